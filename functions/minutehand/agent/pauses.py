"""Pauses between tries, which grow and differ from agent to agent, and which the agent's end cuts short."""

import threading
from random import SystemRandom
from typing import NamedTuple

_uniform = SystemRandom().uniform


class Span(NamedTuple):
    """The shortest and the longest pause, in seconds."""

    shortest: float
    longest: float


class Pauses:
    """Pauses of one thread."""

    def __init__(self, span: Span, over: threading.Event) -> None:
        self._span = span
        self._over = over

    def after(self, failures: int) -> None:
        """Wait after a failure, the first of which is 1: each time up to twice as long."""
        self._over.wait(self.seconds(failures))

    def seconds(self, failures: int) -> float:
        """How long `after` waits."""
        longest: float = min(self._span.longest, self._span.shortest * 2 ** min(failures, 16))
        return _uniform(0.5, 1) * longest
