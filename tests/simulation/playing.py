"""Play many histories, each judged by the checker, on one process for each core."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

import pytest

from minutehand.schedule import parser
from minutehand.usecases.agents import clean_up
from tests.simulation import agents_judged
from tests.simulation.agents import KEPT, Pools
from tests.simulation.checker import violations
from tests.simulation.rules import Rule
from tests.simulation.scenario import Scenario

AT_A_TIME = 10
OF_AGENTS = 25
"""Of so many histories the last has agents. It takes five times as long as another."""
read_once = lru_cache(maxsize=1024)(parser.parse_parts)
"""Cache of parsed schedules: a dozen of them are parsed again and again, each as slowly as ten ticks."""


class Played(NamedTuple):
    """The violations that the checker found in one history, none where every promise held; and how often each rule was applied."""

    seed: int
    problems: list[str]
    judged: Mapping[Rule, int] = MappingProxyType({})

    def __str__(self) -> str:
        """The problems, and the command that replays the history."""
        lines = [f"seed {self.seed}: {problem}" for problem in self.problems]
        return "\n".join([*lines, f"replay with: python -m tests.simulation {self.seed} --trace"])


def play(seed: int, *, trace: bool = False) -> Played:
    """Play one history: the ordinary scenario, or now and then the one with agents."""
    if seed % OF_AGENTS == OF_AGENTS - 1:
        return play_agents(seed, trace=trace)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parser, "parse_parts", read_once)
        scenario = Scenario(seed, trace=trace)
        scenario.play()
        return Played(seed, violations(scenario), scenario.history.judged)


def play_agents(seed: int, *, trace: bool = False) -> Played:
    """Play one history with agents. Queues that nobody uses are removed within minutes in it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parser, "parse_parts", read_once)
        patch.setattr(clean_up, "INBOX_KEPT", KEPT)
        patch.setattr(clean_up, "POOL_KEPT", KEPT)
        pools = Pools(seed, trace=trace)
        pools.play()
        return Played(seed, agents_judged.violations(pools), pools.history.judged)


def play_all(seeds: range, *, jobs: int) -> Iterator[Played]:
    """Play the histories of these seeds, in order; with one job in this process."""
    if jobs == 1:
        yield from map(play, seeds)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(play, seeds, chunksize=AT_A_TIME)


def cores() -> int:
    """How many histories can be played at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
