"""A round of dispatching and how it is timed: the same for ours and for the programs that others run in, so this stands on nothing."""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable
from time import perf_counter, process_time
from typing import NamedTuple


class Round(NamedTuple):
    """How many occurrences were sent, and what it took.

    Attributes:
        processor: seconds of this process's processor time, all its threads'.
        elapsed: seconds of the clock on the wall.
        calls: how many calls it made, where that was counted.
    """

    sent: int
    processor: float
    elapsed: float
    calls: int | None = None


def timed(dispatch: Callable[[], int]) -> Round:
    """Time what says how many it has sent. What is there before is none of the collector's business meanwhile, in anybody's program, as it is
    in our functions."""
    gc.collect()
    gc.freeze()
    elapsed, processor = perf_counter(), process_time()
    sent = dispatch()
    return Round(sent, process_time() - processor, perf_counter() - elapsed)


def serve(play: Callable[[], Round]) -> None:
    """Say that one is ready, and play a round for each line read: one line of JSON each, until there are no more."""
    print(json.dumps("ready"), flush=True)
    for _ in sys.stdin:
        print(json.dumps(play()), flush=True)
