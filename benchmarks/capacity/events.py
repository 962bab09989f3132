"""Virtual time: an event queue, random latencies, and the timers that move through it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from itertools import count
from random import Random
from typing import Any, NamedTuple

from benchmarks.capacity import model

_DRAWN = 4096


class Timers(NamedTuple):
    """So many timers of a bucket that are due at the same instant, or their messages.

    Attributes:
        sent: whether their occurrences were sent before, so that another message changes nothing.
    """

    due: float
    bucket: int
    many: int
    sent: bool = False

    def only(self, many: int) -> Timers:
        """Some of them."""
        return Timers(self.due, self.bucket, many, self.sent)


def size(timers: Iterable[Timers]) -> int:
    """The number of timers."""
    return sum(one.many for one in timers)


class Events:
    """Calls at instants, made in order. Instants are seconds; the first jobs are due at 0.

    Args:
        slower: the factor by which latencies exceed the assumed ones.
    """

    def __init__(self, seed: int, slower: float = 1.0) -> None:
        self.now = float("-inf")
        self.dice = Random(seed)  # noqa: S311 - a reproducible simulation
        self._slower = slower
        # Drawn before: an exponential for each call would take most of the simulation's time.
        self._factors = [self.dice.lognormvariate(0, model.SPREAD) for _ in range(_DRAWN)]
        self._heap: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self._order = count()

    def at(self, instant: float, do: Callable[..., None], *arguments: Any) -> None:
        """Schedule a call."""
        heappush(self._heap, (instant, next(self._order), do, arguments))

    def run(self) -> None:
        """Make all calls."""
        while self._heap:
            self.now, _, do, arguments = heappop(self._heap)
            do(*arguments)

    def latency(self, median: float, calls: int = 1) -> float:
        """Seconds of so many calls, one after another."""
        factor = self._factors[int(self.dice.random() * _DRAWN)]
        return median * factor * calls * self._slower
