"""Requests to end a command before its own end."""

import threading
from collections.abc import Callable
from enum import Enum


class Stop(Enum):
    """Why an agent ends a command before its own end."""

    TIME_LIMIT = "time limit"
    """Its timeout is over. The attempt is reported as failed: `TimedOut`."""
    UNWANTED = "unwanted"
    """The run was cancelled, or the attempt has ended otherwise. Nothing is reported."""
    LEASE = "lease"
    """Heartbeats did not get through, and another agent may soon take the run over. Nothing is reported."""
    AGENT = "agent"
    """The agent itself ends. The attempt is reported as failed: `AgentStopped`."""


UNREPORTED = frozenset((Stop.UNWANTED, Stop.LEASE))
"""Reasons for which no end of the attempt is reported."""


class StopRequest:
    """Whether a command is to be ended, and why. Thread-safe.

    Attributes:
        why: the first reason; None while the command may go on.
        grace: seconds from TERM to KILL: the shortest that was asked for.
    """

    def __init__(self, grace: float) -> None:
        self.why: Stop | None = None
        self.grace = grace
        self._lock = threading.Lock()
        self._wake: Callable[[], None] = lambda: None

    def ask(self, why: Stop, *, grace: float | None = None) -> None:
        """Ask to end the command."""
        with self._lock:
            self.why = self.why or why
            self.grace = self.grace if grace is None else min(self.grace, grace)
            wake = self._wake
        wake()

    def tell(self, wake: Callable[[], None]) -> None:
        """Call `wake` at each request, and now if there was one."""
        with self._lock:
            self._wake = wake
        if self.why is not None:
            wake()
