"""The outcome of an attempt: how its call ended, or what its target reported later; and the errors that Minutehand records itself."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from minutehand.domain.run import Result, RunError, RunState


class ErrorType(StrEnum):
    """The `type` of a run's error, as the API shows it and as `retry_on` and `give_up_on` name it. Reports of a target may have any other."""

    TIMED_OUT = "TimedOut"
    """The attempt or the whole run reached its limit."""
    CANCELLED = "Cancelled"
    """The call ended because the run was cancelled."""
    HEARTBEAT_MISSED = "HeartbeatMissed"
    """The target of a waiting run sent no heartbeat in time."""
    ANSWER_MISSED = "AnswerMissed"
    """The target of a waiting run did not answer by the deadline."""
    WORKER_LOST = "WorkerLost"
    """The run is lost: its worker died, or no worker could end it."""
    PAYLOAD_GONE = "PayloadGone"
    """The run's own payload has expired, so there is nothing to call its target with. Such an attempt is not retried."""


OUT_OF_TIME = frozenset((ErrorType.TIMED_OUT, ErrorType.HEARTBEAT_MISSED, ErrorType.ANSWER_MISSED))
"""Errors of an attempt that ended `timed_out`."""


class Outcome(NamedTuple):
    """How an attempt ended: `SUCCEEDED`, `FAILED`, `TIMED_OUT` or `CANCELLED`; or `WAITING` for an answer that comes later.

    Attributes:
        final: whether another attempt would end the same way, so that the job's retries do not count.
    """

    state: RunState
    result: Result | None = None
    error: RunError | None = None
    final: bool = False
