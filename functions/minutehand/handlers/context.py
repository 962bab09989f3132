"""The context of a run: what its handler may know of it, and say of its progress."""

import logging
from collections.abc import Callable, MutableMapping
from datetime import datetime, timedelta
from typing import Any, Protocol

from minutehand.handlers.invocation import Invocation, Parent


class Line(Protocol):
    """The line from a run to Minutehand; a `LateAnswer` behind a `SteadyLine`, for instance."""

    @property
    def unwanted(self) -> bool:
        """Whether the run was cancelled, or the attempt is over."""

    def progress(self, percent: int | None = None, text: str | None = None) -> bool:
        """Report progress; returns `unwanted`."""

    def heartbeat(self) -> bool:
        """Send a heartbeat; returns `unwanted`."""


class NoLine:
    """The line of a run whose caller waits for the answer: nobody hears of progress, or cancels."""

    unwanted = False

    def progress(self, percent: int | None = None, text: str | None = None) -> bool:  # noqa: ARG002 - as in Line
        """Do nothing."""
        return False

    def heartbeat(self) -> bool:
        """Do nothing."""
        return False


class Context:
    """A run, for its handler.

    Attributes:
        job, run_id: the job's full name and the run's id.
        attempt: the attempt's number, from 1. attempts_left: how many may follow if this one fails.
        scheduled_for: the instant of the run, in UTC.
        deadline: when the attempt times out, in UTC; None if unknown.
        payload: the payload as it came.
        parents: how the parents' runs ended, for a run that they started.
        state: what the app's `init` made.
        log: a logger of the handler's module whose records carry `job`, `run_id` and `attempt`.
    """

    def __init__(
        self,
        invocation: Invocation,
        line: Line,
        *,
        state: Any = None,
        logger: str = __name__,
        clock: Callable[[], datetime],
    ) -> None:
        self.job, self.run_id, self.attempt = invocation.job, invocation.run_id, invocation.attempt
        self.attempts_left = invocation.attempts_left
        self.scheduled_for, self.deadline = invocation.scheduled_for, invocation.deadline
        self.payload: Any = invocation.payload
        self.parents: tuple[Parent, ...] = invocation.parents
        self.state: Any = state
        self.log: logging.LoggerAdapter[logging.Logger] = _RunLogger(
            logging.getLogger(logger), {"job": self.job, "run_id": self.run_id, "attempt": self.attempt}
        )
        self._line = line
        self._clock = clock

    def __repr__(self) -> str:
        return f"Context({self.job} {self.run_id} attempt {self.attempt})"

    @property
    def idempotency_key(self) -> str:
        """A key that is the same for all attempts of the run, for services that the handler calls."""
        return f"{self.job}/{self.run_id}"

    @property
    def time_left(self) -> timedelta | None:
        """The time until the deadline, at least zero; None without one."""
        return None if self.deadline is None else max(self.deadline - self._clock(), timedelta(0))

    @property
    def cancelled(self) -> bool:
        """Whether to stop: the run was cancelled, the attempt is over, or its deadline has passed."""
        return self._line.unwanted or self.time_left == timedelta(0)

    def progress(self, percent: int | None = None, text: str | None = None) -> bool:
        """Report progress: 0 to 100, a line of text, or both. Returns `cancelled`. At most one report a second is sent."""
        return self._line.progress(percent, text) or self.cancelled

    def heartbeat(self) -> bool:
        """Say that the work goes on, and ask whether it should; returns `cancelled`. Runs under a worker send heartbeats anyway."""
        return self._line.heartbeat() or self.cancelled


class _RunLogger(logging.LoggerAdapter[logging.Logger]):
    """Adds the run's fields to those of a call's own `extra`."""

    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> tuple[Any, MutableMapping[str, Any]]:
        """See `LoggerAdapter.process`."""
        kwargs["extra"] = {**(self.extra or {}), **(kwargs.get("extra") or {})}
        return msg, kwargs
