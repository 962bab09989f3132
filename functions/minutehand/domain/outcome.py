"""The outcome of an attempt: how its call ended, or what its target reported later. Also the errors that Minutehand records."""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum
from typing import NamedTuple

from minutehand.domain.run import Result, RunError, RunState


class ErrorType(StrEnum):
    """The `type` of a run's error, in the API, `retry_on` and `give_up_on`. Targets may report other types too."""

    TIMED_OUT = "TimedOut"
    """The attempt or the whole run reached its limit."""
    CANCELLED = "Cancelled"
    """The call ended because the run was cancelled."""
    HEARTBEAT_MISSED = "HeartbeatMissed"
    """The target of a waiting run sent no heartbeat in time."""
    ANSWER_MISSED = "AnswerMissed"
    """The target of a waiting run did not answer by the deadline."""
    WORKER_LOST = "WorkerLost"
    """The run is lost: a worker died and none may take over, or no worker could end the run."""
    NODES_FAILED = "NodesFailed"
    """Too few nodes of a run on several nodes succeeded. It is not retried: each node was, by the job's `retry`."""
    PARENT_ENDED = "ParentEnded"
    """The run on several nodes, of which this one is a part, was over before its turn came."""
    TOO_MANY_NODES = "TooManyNodes"
    """More nodes are live than a run may take. Such an attempt is not retried."""
    PAYLOAD_GONE = "PayloadGone"
    """The run's own payload has expired, so there is nothing to call its target with. Such an attempt is not retried."""


OUT_OF_TIME = frozenset((ErrorType.TIMED_OUT, ErrorType.HEARTBEAT_MISSED, ErrorType.ANSWER_MISSED))
"""Types of the errors with which an attempt ends in `timed_out`."""


class Outcome(NamedTuple):
    """How an attempt ended: `SUCCEEDED`, `FAILED`, `TIMED_OUT` or `CANCELLED`; `SKIPPED` if its target had nothing to do, or was not
    called, in shadow; or `WAITING` for an answer that comes later.

    Attributes:
        final: whether another attempt would end the same way, so that none follows, whatever the job's `retry`.
        retry_after: the time for which the target asks not to be called again.
        nodes: whether the attempt is carried out on several nodes, by runs of their own, whose ends end it.
        endpoints: of a target with several, the URLs of those that were tried, in order. Only the last one can have received the request.
    """

    state: RunState
    result: Result | None = None
    error: RunError | None = None
    final: bool = False
    retry_after: timedelta | None = None
    endpoints: tuple[str, ...] = ()
    nodes: bool = False
