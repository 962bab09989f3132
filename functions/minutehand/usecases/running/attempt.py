"""Attempting: what the target of an attempt is told, and what becomes of the call, whatever the target does."""

from __future__ import annotations

import traceback

from minutehand.domain.deadlines import answer_due, call_limit
from minutehand.domain.job import Job
from minutehand.domain.run import Run, RunError, RunState
from minutehand.domain.target import Target
from minutehand.usecases.ports.target import Call, Outcome, TargetCaller


def call_of(run: Run, job: Job, token: str, callbacks: str) -> Call:
    """What the target of an attempt that has just started is told of it; `callbacks` is the URL of the API, or empty."""
    path = f"/v1/callbacks/{run.key.job}/{run.key.run_id}/{run.attempt}"
    deadline = answer_due(run, job)
    return Call(
        run=run,
        payload=job.payload,
        timeout=min(call_limit(job), deadline - (run.started_at or run.starts_at)),
        deadline=deadline,
        attempts_left=max(job.retry.max_attempts - (run.attempt - run.takeovers), 0),
        token=token,
        callback_url=callbacks and callbacks + path,
    )


def outcome_of(caller: TargetCaller[Target], target: Target, call: Call) -> Outcome:
    """What the call came to; a target that raises has failed, and the record says how."""
    try:
        return caller(target, call)
    except Exception as trouble:  # noqa: BLE001 - whatever a target raises
        stack = "".join(traceback.format_exception(trouble))
        return Outcome(
            state=RunState.FAILED, error=RunError(type=type(trouble).__name__, message=str(trouble), stack=stack)
        )
