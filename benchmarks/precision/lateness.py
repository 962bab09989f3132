"""The jobs, their seconds, and their lateness. The baselines import this module, so it imports nothing of the project."""

from __future__ import annotations

import math
import time
import urllib.request
from collections.abc import Sequence
from typing import NamedTuple

MINUTE = 60.0
BEGUN = "begun"
"""The header with the time at which a baseline's job began, in seconds since 1970."""


class Late(NamedTuple):
    """The occurrences due in a span, and the lateness of each that came, in seconds."""

    due: int
    at_worker: list[float]
    at_target: list[float]


class Spread(NamedTuple):
    """A sample: its size, how many are below 0, and its percentiles."""

    seen: int
    early: int
    least: float
    p50: float
    p95: float
    p99: float
    most: float


def spread(late: Sequence[float]) -> Spread:
    """The spread of a sample, with percentiles by nearest rank.

    Raises:
        ValueError: when it is empty.
    """
    if not late:
        raise ValueError("nothing arrived")
    ascending = sorted(late)
    p50, p95, p99 = (ascending[max(math.ceil(share / 100 * len(late)), 1) - 1] for share in (50, 95, 99))
    return Spread(len(late), sum(one < 0 for one in late), ascending[0], p50, p95, p99, ascending[-1])


def after_second(at: float, second: int) -> float:
    """Seconds from this second of the minute until `at` (seconds since 1970): -30 to 30."""
    return (at - second + MINUTE / 2) % MINUTE - MINUTE / 2


def seconds(jobs: int) -> list[int]:
    """The second of the minute of each job, evenly spread."""
    return [number * 60 // jobs if jobs <= 60 else number % 60 for number in range(jobs)]


def call(url: str) -> None:
    """A baseline's job: POST the time to a URL on this machine."""
    begun = repr(time.time())
    request = urllib.request.Request(url, data=b"", method="POST", headers={BEGUN: begun})  # noqa: S310 - http by construction
    with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310
        answer.read()
