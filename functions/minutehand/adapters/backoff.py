"""Exponential backoff with full jitter."""

from __future__ import annotations

from collections.abc import Iterator
from random import SystemRandom

# Not random.uniform: functions restored from one snapshot would all draw the same numbers.
uniform = SystemRandom().uniform

FIRST = 0.1
"""Upper bound of the first random pause, in seconds; doubles with each further one."""


def pauses(tries: int) -> Iterator[float | None]:
    """The pauses between this many tries, in seconds, each drawn between 0 and its longest; at the end None, for the last try.

    Source: "Exponential Backoff And Jitter", AWS Architecture Blog ("full jitter").
    """
    for turn in range(tries - 1):
        yield uniform(0, FIRST * 2**turn)
    yield None
