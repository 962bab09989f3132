"""Start of an attempt: read its inputs, admit its run, and write the start with the permits that it takes."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from minutehand.domain.concurrency import Full
from minutehand.domain.deadlines import LEASE_MARGIN, answer_due, call_limit
from minutehand.domain.definition import Definition
from minutehand.domain.job import Job
from minutehand.domain.overlap_lock import Queue
from minutehand.domain.run import Run
from minutehand.domain.run_decisions import Skip, Start
from minutehand.domain.run_successors import Mark, is_same_attempt, started
from minutehand.domain.token import attempt_nonce
from minutehand.usecases.ports.stores import Payload
from minutehand.usecases.ports.target import Call, ParentResult
from minutehand.usecases.retries import Contended, retry_when_unavailable
from minutehand.usecases.running.acknowledge import Delivery
from minutehand.usecases.running.admit import Granted, admit

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


def start_attempt(
    run: Run, decision: Start, definition: Definition, namespace: Namespace | None, delivery: Delivery, *, now: datetime
) -> Started | TooLittleTime | PermitTaken | Contended[Run] | Skip | Queue | Full:
    """Start the attempt that was decided, if the run is admitted.

    All that its call needs is read before the start is written, so that a store that does not answer costs no attempt.

    Returns:
        `Contended` when another writer moved the run; `Skip`, `Queue` and `Full` when the run was not admitted.

    Raises:
        Unavailable: when a store does not answer.
    """
    ports, worker, job = delivery.ports, delivery.worker, definition.job
    if worker.time_left() < call_limit(job) + LEASE_MARGIN:
        return TooLittleTime()
    # None when the run's own payload is gone, with the retention that it was stored for. The job's does not replace it.
    payload = ports.runs.payload(run.key) if run.own_payload else Payload(job.payload)
    admission = admit(run, definition, namespace, ports, now)
    if not isinstance(admission, Granted):
        return admission
    permits = admission.permits
    parents = parent_results(run, ports)
    token = worker.token()
    wanted = started(run, decision, job, Mark(attempt_nonce(token), worker.name, now))
    stored = retry_when_unavailable(
        lambda: ports.runs.start(run, wanted, permits) if permits else ports.runs.move(run, wanted)
    )
    if stored is None:
        return PermitTaken()
    if not is_same_attempt(stored, wanted):
        return Contended(stored)
    call = payload and _call_of(stored, job, payload, token, worker.callbacks)._replace(parents=parents)
    return Started(stored, call, holds_permits=bool(permits))


def _call_of(run: Run, job: Job, payload: Payload, token: str, callbacks: str) -> Call:
    deadline = answer_due(run, job)
    path = f"/v1/callbacks/{run.key.job}/{run.key.run_id}/{run.attempt}"
    return Call(
        run=run,
        payload=payload.value,
        timeout=min(call_limit(job), deadline - (run.started_at or run.starts_at)),
        deadline=deadline,
        attempts_left=max(job.retry.max_attempts - (run.attempt - run.takeovers), 0),
        token=token,
        callback_url=callbacks and callbacks + path,
    )


def parent_results(run: Run, ports: Ports) -> tuple[ParentResult, ...]:
    """The results of the runs that started this one, in the order of the job's parents. Runs that were removed are left out.

    Costs no read for a run without parents. Of a long answer, the target receives the end that is kept beside the run.

    Raises:
        Unavailable: when a store does not answer.
    """
    if not run.parents:
        return ()
    found = ports.runs.get(run.parents)
    results = []
    for parent in (found[key] for key in run.parents if key in found):
        result, error, truncated = parent.result, parent.error, parent.detailed
        kept = ports.outputs.get(parent.key, parent.attempt) if parent.detailed else None
        if kept is not None:
            result, error, truncated = kept.result, kept.error, kept.truncated
        truncated = truncated or (result is not None and result.cut)
        results.append(ParentResult(parent.key, parent.state, result, error, truncated))
    return tuple(results)
