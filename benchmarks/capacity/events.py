"""A virtual time: what is to happen, in order, and the dice."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count
from random import Random
from typing import Any

from benchmarks.capacity import model

_DRAWN = 4096


class Events:
    """Calls at instants, made in order. Instants are seconds; the first jobs are due at 0.

    Args:
        slower: by how much latencies are longer than assumed.
    """

    def __init__(self, seed: int, slower: float = 1.0) -> None:
        self.now = float("-inf")
        self.dice = Random(seed)  # noqa: S311 - a simulation repeats itself
        self._slower = slower
        # Drawn beforehand: an exponential for each call is what a simulation would mostly do.
        self._factors = [self.dice.lognormvariate(0, model.SPREAD) for _ in range(_DRAWN)]
        self._heap: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self._order = count()

    def at(self, instant: float, do: Callable[..., None], *arguments: Any) -> None:
        """Do something then."""
        heappush(self._heap, (instant, next(self._order), do, arguments))

    def play(self) -> None:
        """Until there is nothing left to do."""
        while self._heap:
            self.now, _, do, arguments = heappop(self._heap)
            do(*arguments)

    def latency(self, median: float, calls: int = 1) -> float:
        """Seconds of so many calls, one after the other."""
        draw = self._factors[int(self.dice.random() * _DRAWN)]
        return median * draw * calls * self._slower
