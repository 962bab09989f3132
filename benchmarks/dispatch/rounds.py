"""Timed rounds of dispatching. The baselines import this module, so it imports nothing else of the project."""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable
from time import perf_counter, process_time
from typing import Any, NamedTuple

RAN: list[None] = []
"""As long as the number of jobs that ran."""


class Round(NamedTuple):
    """Occurrences sent, and their cost.

    Attributes:
        processor: seconds of processor time of all threads of this process.
        elapsed: seconds.
        calls: calls of AWS services, where they are counted.
    """

    sent: int
    processor: float
    elapsed: float
    calls: int | None = None


def timed(dispatch: Callable[[], int]) -> Round:
    """Time a function that returns the number of occurrences it sent. The garbage collector ignores older objects, as in the functions."""
    gc.collect()
    gc.freeze()
    elapsed, processor = perf_counter(), process_time()
    sent = dispatch()
    return Round(sent, process_time() - processor, perf_counter() - elapsed)


def serve(play: Callable[[], Round]) -> None:
    """Write a line when ready, then a round as JSON for each line read."""
    print(json.dumps("ready"), flush=True)
    for _ in sys.stdin:
        print(json.dumps(play()), flush=True)


def job(**_payload: Any) -> None:
    """A job of APScheduler that does nothing but count."""
    RAN.append(None)
