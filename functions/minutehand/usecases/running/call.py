"""The call of an attempt: what its target receives, and the outcome, even if the target raises."""

from __future__ import annotations

import traceback
from datetime import timedelta
from typing import NamedTuple

from minutehand.domain.deadlines import answer_due, call_limit, ends_by
from minutehand.domain.job import Job, Target
from minutehand.domain.outcome import ErrorType, Outcome
from minutehand.domain.run import Run, RunError, RunState
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.stores import Payload
from minutehand.usecases.ports.target import Call, TargetCaller, told_of_the_run
from minutehand.usecases.running.worker import Worker

TIME_TO_REPORT = timedelta(seconds=5)
"""What is left of the lease when the call must have ended."""


class TooLate(NamedTuple):
    """The start took so long that no time is left for the call. Nobody has called the target."""

    lease_left: timedelta


def call_of(run: Run, job: Job, payload: Payload, token: str, callbacks: str) -> Call:
    """The call of an attempt that has just started.

    Args:
        callbacks: URL of the API; empty when targets cannot answer later.
    """
    path = f"/v1/callbacks/{run.key.job}/{run.key.run_id}/{run.attempt}"
    deadline = answer_due(run, job)
    return Call(
        run=run,
        payload=payload.value,
        timeout=min(call_limit(job), deadline - (run.started_at or run.starts_at)),
        deadline=deadline,
        attempts_left=max(job.retry.max_attempts - (run.attempt - run.takeovers), 0),
        token=token,
        callback_url=callbacks and callbacks + path,
    )


def make_call(call: Call, job: Job, ports: Ports, worker: Worker) -> Outcome | TooLate:
    """Call the target, within the lease of the attempt and the limit of the run."""
    run, now = call.run, ports.clock()
    lease_left = (run.lease_until or run.starts_at) - now
    over_at = ends_by(run, job)
    timeout = min(call.timeout, lease_left - TIME_TO_REPORT, *(() if over_at is None else (over_at - now,)))
    if timeout <= timedelta(0):
        return TooLate(lease_left)
    with worker.watch.over(run) as cancelled:
        outcome = _outcome(worker.call, job.target, call._replace(timeout=timeout, cancelled=cancelled))
    return told_of_the_run(outcome, call, job)


def payload_gone(run: Run) -> Outcome:
    """The outcome of an attempt whose run has lost its own payload. A retry would not find it either."""
    message = f"the payload of run {run.key.run_id} is gone, because its retention is over; trigger the job again with a payload"
    return Outcome(RunState.FAILED, error=RunError(ErrorType.PAYLOAD_GONE, message), final=True)


def _outcome(caller: TargetCaller[Target], target: Target, call: Call) -> Outcome:
    """The outcome of the call; a target that raises has failed, and the error keeps the stack."""
    try:
        return caller(target, call)
    except Exception as trouble:  # noqa: BLE001 - whatever a target raises
        stack = "".join(traceback.format_exception(trouble))
        return Outcome(
            state=RunState.FAILED, error=RunError(type=type(trouble).__name__, message=str(trouble), stack=stack)
        )
