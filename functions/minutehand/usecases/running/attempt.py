"""One attempt, from its start with the permits that it takes, through the call of its target, to its report."""

from __future__ import annotations

import hmac
import traceback
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from minutehand.domain.concurrency import Full
from minutehand.domain.deadlines import answer_due, call_limit, ends_by
from minutehand.domain.definition import Definition
from minutehand.domain.durations import format_duration
from minutehand.domain.instants import SECOND
from minutehand.domain.job import Job
from minutehand.domain.outcome import ErrorType, Outcome
from minutehand.domain.overlap_lock import Queue
from minutehand.domain.run import Run, RunError, RunState
from minutehand.domain.run_decisions import Skip, Start
from minutehand.domain.run_successors import Mark, answered_later, is_same_attempt, started
from minutehand.domain.token import attempt_nonce
from minutehand.usecases.completion.report import NotRecorded, reported
from minutehand.usecases.dispatching.send import send
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.stores import Payload
from minutehand.usecases.ports.target import Call, ParentResult
from minutehand.usecases.retries import Contended, retry_when_unavailable
from minutehand.usecases.running.acknowledge import Delivery, delete, follow_up_and_delete, hand_back, hand_back_later
from minutehand.usecases.running.admit import Granted, admit
from minutehand.usecases.running.slow_calls import Timing
from minutehand.usecases.running.worker import Handled

if TYPE_CHECKING:
    from minutehand.domain.namespace import Namespace

TIME_TO_REPORT = timedelta(seconds=5)
"""How long before the end of the attempt's lease the call must have ended, so that the worker can report in time."""


class PermitTaken(NamedTuple):
    """Another run took one of the permits first; another one may be free. `place` is the minute in which the run has a place, for its
    next try."""

    place: datetime | None = None


class TooLate(NamedTuple):
    """The start took so long that no time is left for the call. Nobody has called the target."""

    lease_left: timedelta


def start_attempt(
    run: Run,
    decision: Start,
    definition: Definition,
    namespace: Namespace | None,
    delivery: Delivery,
    *,
    place: datetime | None = None,
    now: datetime,
) -> Handled | PermitTaken | Contended[Run] | Skip | Queue | Full:
    """Start the attempt that was decided, if the run is admitted, make its call, and report its outcome.

    All that the call needs is read before the start is written, so that a store that does not answer costs no attempt.

    Args:
        place: the minute in which an earlier try got the run a place.

    Returns:
        The result of the message; `PermitTaken` when another run took a permit first; `Contended` when another writer changed the
        run; `Skip`, `Queue` or `Full` when the run was not admitted.

    Raises:
        Unavailable: when a store does not answer.
    """
    ports, worker, job = delivery.ports, delivery.worker, definition.job
    payload = _payload_of(run, job, ports)
    admission = admit(run, definition, namespace, ports, now, place=place)
    if not isinstance(admission, Granted):
        return admission
    permits = admission.permits
    parents = parent_results(run, ports)
    token = worker.proposed(delivery.message) or worker.token()
    wanted = started(run, decision, job, Mark(attempt_nonce(token), worker.name, now))
    stored = retry_when_unavailable(
        lambda: ports.runs.start(run, wanted, permits) if permits else ports.runs.move(run, wanted)
    )
    if stored is None:
        return PermitTaken(admission.place)
    if not is_same_attempt(stored, wanted):
        return Contended(stored)
    call = payload and _call_of(stored, job, payload, parents, token=token, callbacks=worker.callbacks)
    return _make_attempt(stored, call, definition, delivery, holds_permits=bool(permits))


def given_again(run: Run, definition: Definition, delivery: Delivery) -> Handled | None:
    """Make the call of an attempt once more whose asker has not got the answer; None if there is no such attempt.

    ◆ Only who proposed the attempt's token gets it, and only while the attempt waits, on the terms that it began with. Nothing is written:
    the lease goes on as it began.

    Raises:
        Unavailable: when a store does not answer.
    """
    worker, ports, job = delivery.worker, delivery.ports, definition.job
    token = worker.proposed(delivery.message)
    if not token or run.state is not RunState.WAITING or run.cancelled_by or run.shadow:
        return None
    if not hmac.compare_digest(attempt_nonce(token), run.nonce):
        return None
    began = (run.heartbeat, run.deadline_at)
    if began != (job.target.heartbeat, answer_due(run, job)) or (worker.forward and worker.forward(run, definition)):
        return None
    payload = _payload_of(run, job, ports)
    if payload is None:
        return None
    call = _call_of(run, job, payload, parent_results(run, ports), token=token, callbacks=worker.callbacks)
    outcome = worker.call(job.target, call)
    return delete(delivery, run)._replace(started=outcome.state is RunState.WAITING)


def _payload_of(run: Run, job: Job, ports: Ports) -> Payload | None:
    """What the run gives its target. A run on one of several nodes has that of the run on all of them.

    None when the run's own payload was deleted because its retention is over. The job's payload does not replace it.
    """
    if not run.own_payload:
        return Payload(job.payload)
    return ports.runs.payload(run.key if run.share is None else run.share.parent)


def _call_of(
    run: Run, job: Job, payload: Payload, parents: tuple[ParentResult, ...], *, token: str, callbacks: str
) -> Call:
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
        parents=parents,
        takeovers_left=0 if run.share is not None else max(job.takeovers - run.takeovers, 0),
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


def _make_attempt(
    run: Run, call: Call | None, definition: Definition, delivery: Delivery, *, holds_permits: bool
) -> Handled:
    """Make the call of an attempt that has started (None: the run's own payload is gone), and report its outcome."""
    ports = delivery.ports
    timing = Timing(definition, ports, delivery.worker.slow_calls, delivery.worker.background)
    outcome: Outcome | TooLate
    if call is None:
        message = f"the payload of run {run.key.run_id} is gone, because its retention is over; trigger the job again with a payload"
        # Final, since a retry would not find it either.
        outcome = Outcome(RunState.FAILED, error=RunError(ErrorType.PAYLOAD_GONE, message), final=True)
    else:
        outcome = _make_call(call, definition.job, delivery, timing)
    if isinstance(outcome, TooLate):
        late = f"attempt {run.attempt} took so long to start that its time is over; a worker decides about the run at its next message"
        return hand_back(delivery, max(outcome.lease_left, SECOND), run=run, problem=late)
    if outcome.state is RunState.WAITING:
        # Before the run waits, send a message that has a worker check it when its target should have reported.
        waiting = answered_later(run, outcome, definition.job, ports.clock())
        if not all(send([waiting], ports, ports.clock())):
            return hand_back_later(delivery, run=run, problem="no message for the answer's deadline could be sent")
    ended_at = ports.clock()
    done = reported(run, outcome, definition, ports, delivery.record, holds_permits=holds_permits)
    if call is not None and not run.shadow:
        timing.ended(ended_at)
    if isinstance(done, NotRecorded):
        return Handled(received=delivery.message, deletable=False, problem=done.why)
    stored = done.run
    if not is_same_attempt(stored, run):
        now_at = f"the run is at attempt {stored.attempt}, {stored.state.value}"
        fenced = f"attempt {run.attempt} reported too late: {now_at}"
        return Handled(received=delivery.message, deletable=False, run=stored, started=True, problem=fenced)
    ended = done.written and stored.state is not RunState.WAITING
    return follow_up_and_delete(delivery, stored, definition, started=True)._replace(ended=ended)


def _make_call(call: Call, job: Job, delivery: Delivery, timing: Timing) -> Outcome | TooLate:
    """Call the target, within the lease of the attempt and the limit of the run. A target that raises has failed.

    Every call of a target is made here. ◆ Whether the attempt calls none, because it is a shadow, is read from its own record, as the
    start wrote it.
    """
    run, worker, now = call.run, delivery.worker, delivery.ports.clock()
    lease_left = (run.lease_until or run.starts_at) - now
    over_at = ends_by(run, job)
    timeout = min(call.timeout, lease_left - TIME_TO_REPORT, *(() if over_at is None else (over_at - now,)))
    if timeout <= timedelta(0):
        return TooLate(lease_left)
    if run.shadow:
        return worker.shadow(job.target, call)
    if worker.spread is not None and (spread := worker.spread(run, job)) is not None:
        return spread
    with worker.watch.over(run) as cancelled:
        try:
            outcome = worker.call(job.target, call._replace(timeout=timeout, cancelled=timing.asking(cancelled)))
        except Exception as trouble:  # noqa: BLE001 - whatever a target raises
            stack = "".join(traceback.format_exception(trouble))
            outcome = Outcome(RunState.FAILED, error=RunError(type(trouble).__name__, str(trouble), stack))
    error = outcome.error
    if error is None or error.type != ErrorType.TIMED_OUT or job.run_timeout is None or call.timeout >= call_limit(job):
        return outcome
    # The limit of the whole run, not that of the attempt, cut the call short.
    left = f"no more was left of the run's {format_duration(job.run_timeout)}"
    return outcome._replace(error=error._replace(message=f"{error.message}; {left}"))
