"""Calling: what a target is told of an attempt, and what it makes of it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, NamedTuple, Protocol

from minutehand.domain.deadlines import call_limit
from minutehand.domain.durations import format_duration
from minutehand.domain.error_types import ErrorType
from minutehand.domain.job import HttpTarget, Job
from minutehand.domain.outcome import Outcome as Outcome  # noqa: PLC0414 - callers find it beside Call
from minutehand.domain.run import Result, Run, RunError, RunKey, RunState


class ParentResult(NamedTuple):
    """How a run ended whose end started another.

    Attributes:
        truncated: whether the result's text is not all that was answered.
    """

    run: RunKey
    state: RunState
    result: Result | None
    error: RunError | None
    truncated: bool


class Call(NamedTuple):
    """One attempt, as its target is told of it.

    Attributes:
        timeout: of the call itself; an answer that comes later has until `deadline`.
        deadline: by when the attempt must have been answered.
        attempts_left: how many more the job's retries allow, should this one not succeed.
        token: what reports of this attempt must show; its digest is the run's nonce.
        callback_url: where they go; empty when nobody takes them.
        parents: the runs whose end started this one, with what they answered.
        cancelled: whether somebody has asked for the run's end since; asked again and again while the call waits.
    """

    run: Run
    payload: Any
    timeout: timedelta
    deadline: datetime
    attempts_left: int
    token: str
    callback_url: str = ""
    parents: tuple[ParentResult, ...] = ()
    cancelled: Callable[[], bool] = lambda: False


def told_of_the_run(outcome: Outcome, call: Call, job: Job) -> Outcome:
    """The outcome, which says so where the limit of the whole run left a call less time than the job gives it."""
    error = outcome.error
    if error is None or error.type != ErrorType.TIMED_OUT or job.run_timeout is None or call.timeout >= call_limit(job):
        return outcome
    left = f"no more was left of the run's {format_duration(job.run_timeout)}"
    return outcome._replace(error=error._replace(message=f"{error.message}; {left}"))


class Target(Protocol):
    """What a run does."""

    def __call__(self, target: HttpTarget, call: Call) -> Outcome:
        """Make the call and end it at its `timeout`, whatever the other side does, or soon after `cancelled`. Failures are
        outcomes, not exceptions."""
