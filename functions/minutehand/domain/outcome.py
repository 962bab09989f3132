"""The outcome of an attempt: how its call ended, or what its target reported later."""

from __future__ import annotations

from typing import NamedTuple

from minutehand.domain.run import Result, RunError, RunState


class Outcome(NamedTuple):
    """How an attempt ended: `SUCCEEDED`, `FAILED`, `TIMED_OUT` or `CANCELLED`; or `WAITING` for an answer that comes later.

    Attributes:
        final: whether another attempt would end the same way, so that the job's retries do not count.
    """

    state: RunState
    result: Result | None = None
    error: RunError | None = None
    final: bool = False
