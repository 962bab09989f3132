"""Calling: what a target is told of an attempt, and what it makes of it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, NamedTuple, Protocol

from minutehand.domain.job import HttpTarget
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


class Outcome(NamedTuple):
    """How a call ended: `SUCCEEDED`, `FAILED`, `TIMED_OUT`, `CANCELLED`, or `WAITING` for an answer that comes later; with what is known."""

    state: RunState
    result: Result | None = None
    error: RunError | None = None


class Target(Protocol):
    """What a run does."""

    def __call__(self, target: HttpTarget, call: Call) -> Outcome:
        """Make the call and end it at its `timeout`, whatever the other side does, or soon after `cancelled`. Failures are
        outcomes, not exceptions."""
