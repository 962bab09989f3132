"""Many histories, each judged by the checker, on as many processes as there are cores."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from typing import NamedTuple

import pytest

from minutehand.schedule import parser
from tests.simulation.checker import violations
from tests.simulation.scenario import Scenario

AT_A_TIME = 10
_read_once = lru_cache(maxsize=1024)(parser.parse_parts)
"""What is read over and over: a dozen schedules, each of which takes as long to read as ten ticks."""


class Played(NamedTuple):
    """What the checker found in one history: nothing, where every promise held."""

    seed: int
    problems: list[str]

    def __str__(self) -> str:
        """The problems, and how to see the history again."""
        told = [f"seed {self.seed}: {problem}" for problem in self.problems]
        return "\n".join([*told, f"replay with: python -m tests.simulation {self.seed} --trace"])


def play(seed: int, *, trace: bool = False) -> Played:
    """One history, to its end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parser, "parse_parts", _read_once)
        scenario = Scenario(seed, trace=trace)
        scenario.play()
        return Played(seed, violations(scenario))


def play_all(seeds: range, *, jobs: int) -> Iterator[Played]:
    """The histories of these seeds, in their order; with one job they are played in this process."""
    if jobs == 1:
        yield from map(play, seeds)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(play, seeds, chunksize=AT_A_TIME)


def cores() -> int:
    """How many histories can be played at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
