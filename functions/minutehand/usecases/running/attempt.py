"""One attempt, from its start to its report: its call, and the outcome, even if the target raises."""

from __future__ import annotations

import traceback
from datetime import timedelta
from typing import NamedTuple

from minutehand.domain.deadlines import call_limit, ends_by
from minutehand.domain.definition import Definition
from minutehand.domain.durations import format_duration
from minutehand.domain.error_types import ErrorType
from minutehand.domain.instants import SECOND
from minutehand.domain.job import Job
from minutehand.domain.outcome import Outcome
from minutehand.domain.run import Run, RunError, RunState
from minutehand.domain.run_successors import answered_later, is_same_attempt
from minutehand.usecases.completion.report import NotRecorded, reported
from minutehand.usecases.dispatching.send import send
from minutehand.usecases.ports.target import Call
from minutehand.usecases.running.acknowledge import HAND_BACK, Delivery, follow_up_and_delete, hand_back
from minutehand.usecases.running.start import Started
from minutehand.usecases.running.worker import Handled

TIME_TO_REPORT = timedelta(seconds=5)
"""What is left of the lease when the call must have ended."""


class TooLate(NamedTuple):
    """The start took so long that no time is left for the call. Nobody has called the target."""

    lease_left: timedelta


def make_attempt(start: Started, definition: Definition, delivery: Delivery) -> Handled:
    """Make the call of an attempt that has started, and report its outcome.

    Raises:
        Unavailable: when a store does not answer.
    """
    run, ports = start.run, delivery.ports
    outcome = _payload_gone(run) if start.call is None else _make_call(start.call, definition.job, delivery)
    if isinstance(outcome, TooLate):
        late = f"attempt {run.attempt} took so long to start that its time is over; the run's next message takes it further"
        return hand_back(delivery, max(outcome.lease_left, SECOND), run=run, problem=late)
    if outcome.state is RunState.WAITING:
        # Before the run waits, something leads back to it: a message that arrives when its target was not heard of in time.
        waiting = answered_later(run, outcome, definition.job, ports.clock())
        if not all(send([waiting], ports, ports.clock())):
            return hand_back(delivery, HAND_BACK, run=run, problem="the deadline of the answer could not be set")
    stored = reported(run, outcome, definition, ports, delivery.record, holds_permits=start.holds_permits)
    if isinstance(stored, NotRecorded):
        return Handled(received=delivery.message, deletable=False, problem=stored.why)
    if not is_same_attempt(stored, run):
        now_at = f"the run is at attempt {stored.attempt}, {stored.state.value}"
        fenced = f"attempt {run.attempt} reported too late: {now_at}"
        return Handled(received=delivery.message, deletable=False, run=stored, started=True, problem=fenced)
    return follow_up_and_delete(delivery, stored, definition, started=True)


def _payload_gone(run: Run) -> Outcome:
    """The outcome of an attempt whose run has lost its own payload. A retry would not find it either."""
    message = f"the payload of run {run.key.run_id} is gone, because its retention is over; trigger the job again with a payload"
    return Outcome(RunState.FAILED, error=RunError(ErrorType.PAYLOAD_GONE, message), final=True)


def _make_call(call: Call, job: Job, delivery: Delivery) -> Outcome | TooLate:
    """Call the target, within the lease of the attempt and the limit of the run. A target that raises has failed."""
    run, worker, now = call.run, delivery.worker, delivery.ports.clock()
    lease_left = (run.lease_until or run.starts_at) - now
    over_at = ends_by(run, job)
    timeout = min(call.timeout, lease_left - TIME_TO_REPORT, *(() if over_at is None else (over_at - now,)))
    if timeout <= timedelta(0):
        return TooLate(lease_left)
    with worker.watch.over(run) as cancelled:
        try:
            outcome = worker.call(job.target, call._replace(timeout=timeout, cancelled=cancelled))
        except Exception as trouble:  # noqa: BLE001 - whatever a target raises
            stack = "".join(traceback.format_exception(trouble))
            outcome = Outcome(RunState.FAILED, error=RunError(type(trouble).__name__, str(trouble), stack))
    error = outcome.error
    if error is None or error.type != ErrorType.TIMED_OUT or job.run_timeout is None or call.timeout >= call_limit(job):
        return outcome
    # The limit of the whole run, not that of the attempt, cut the call short.
    left = f"no more was left of the run's {format_duration(job.run_timeout)}"
    return outcome._replace(error=error._replace(message=f"{error.message}; {left}"))
