"""Start of an attempt: read its inputs, admit its run, and write the start with the permits that it takes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from minutehand.domain.concurrency import Full
from minutehand.domain.deadlines import LEASE_MARGIN, call_limit
from minutehand.domain.definition import Definition
from minutehand.domain.overlap_lock import Permit, Queue
from minutehand.domain.run import Run
from minutehand.domain.run_decisions import Skip, Start
from minutehand.domain.run_successors import Mark, is_same_attempt, started
from minutehand.domain.token import attempt_nonce
from minutehand.usecases.ports.target import Call
from minutehand.usecases.retry_on_conflict import Contended
from minutehand.usecases.retry_when_unavailable import retry_when_unavailable
from minutehand.usecases.running.acknowledge import Delivery
from minutehand.usecases.running.admit import Granted, admit
from minutehand.usecases.running.call import call_of
from minutehand.usecases.running.parent_results import parent_results
from minutehand.usecases.running.payloads import payload_of

if TYPE_CHECKING:
    from minutehand.domain.namespace import Namespace
    from minutehand.usecases.ports.bundle import Ports


class Started(NamedTuple):
    """The attempt has begun.

    Attributes:
        call: what to do now; None when the run's own payload is gone.
        holds_permits: whether the attempt took the lock or a slot.
    """

    run: Run
    call: Call | None
    holds_permits: bool


class TooLittleTime(NamedTuple):
    """This process ends before the call could; another worker has to start the attempt."""


class PermitTaken(NamedTuple):
    """Another run took one of the permits first; another one may be free."""


StartResult = Started | TooLittleTime | PermitTaken | Contended[Run] | Skip | Queue | Full
"""`Contended` when another writer moved the run; `Skip`, `Queue` and `Full` when the run was not admitted."""


def start_attempt(
    run: Run, decision: Start, definition: Definition, namespace: Namespace | None, delivery: Delivery, *, now: datetime
) -> StartResult:
    """Start the attempt that was decided, if the run is admitted.

    All that its call needs is read before the start is written, so that a store that does not answer costs no attempt.

    Raises:
        Unavailable: when a store does not answer.
    """
    ports, worker = delivery.ports, delivery.worker
    if worker.time_left() < call_limit(definition.job) + LEASE_MARGIN:
        return TooLittleTime()
    payload = payload_of(run, definition.job, ports)
    admission = admit(run, definition, namespace, ports, now)
    if not isinstance(admission, Granted):
        return admission
    parents = parent_results(run, ports)
    token = worker.token()
    wanted = started(run, decision, definition.job, Mark(attempt_nonce(token), worker.name, now))
    stored = _write(run, wanted, admission.permits, ports)
    if stored is None:
        return PermitTaken()
    if not is_same_attempt(stored, wanted):
        return Contended(stored)
    call = None
    if payload is not None:
        call = call_of(stored, definition.job, payload, token, worker.callbacks)._replace(parents=parents)
    return Started(stored, call, holds_permits=bool(admission.permits))


def _write(run: Run, wanted: Run, permits: Sequence[Permit], ports: Ports) -> Run | None:
    """Write the start. None when the run is unchanged, but a permit was taken since it was read."""
    if permits:
        return retry_when_unavailable(lambda: ports.runs.start(run, wanted, permits))
    return retry_when_unavailable(lambda: ports.runs.move(run, wanted))
