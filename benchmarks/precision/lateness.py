"""How late something was, many times: the few figures that tell it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

MINUTE = 60.0


class Spread(NamedTuple):
    """Of many figures how many there are, how many are below 0, and where they lie."""

    seen: int
    early: int
    least: float
    p50: float
    p95: float
    p99: float
    most: float


def spread(late: Sequence[float]) -> Spread:
    """The figures of a sample.

    Raises:
        ValueError: when there is nothing in it.
    """
    if not late:
        raise ValueError("nothing arrived, so nothing can be said of how late it was")
    low_to_high = sorted(late)
    early = sum(one < 0 for one in late)
    p50, p95, p99 = (percentile(low_to_high, share) for share in (50, 95, 99))
    return Spread(len(late), early, low_to_high[0], p50, p95, p99, low_to_high[-1])


def percentile(low_to_high: Sequence[float], share: float) -> float:
    """The smallest figure that at least so many in a hundred do not exceed (the nearest rank: always one that was measured)."""
    return low_to_high[max(math.ceil(share / 100 * len(low_to_high)), 1) - 1]


def since_second(at: float, second: int) -> float:
    """How long before `at`, in seconds since 1970, a clock showed this second of its minute: from -30, for half a minute early, to 30."""
    return (at - second + MINUTE / 2) % MINUTE - MINUTE / 2


def seconds(jobs: int) -> list[int]:
    """At which second of the minute each job is due: spread over all of them, as evenly as they can be."""
    return [number * 60 // jobs if jobs <= 60 else number % 60 for number in range(jobs)]
