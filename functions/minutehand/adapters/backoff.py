"""Pauses before what is busy is asked again: longer each time, and never the same for all who wait."""

from __future__ import annotations

from collections.abc import Iterator
from random import SystemRandom

# Not the module's own: functions that start from one snapshot would all draw the same numbers from that.
uniform = SystemRandom().uniform

FIRST = 0.1
"""Seconds of the first pause at most; each further one may be twice as long."""


def pauses(tries: int) -> Iterator[float | None]:
    """After each of so many tries, the seconds until the next: anything from none to the longest; None after the last.

    Source: "Exponential Backoff And Jitter", AWS Architecture Blog ("full jitter").
    """
    for turn in range(tries - 1):
        yield uniform(0, FIRST * 2**turn)
    yield None
