"""Changes of the number of shards under seeded faults; and each rule of them, broken on purpose, is noticed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryShards
from minutehand.adapters.sharding import shard_of
from minutehand.usecases.ports.shards import Place
from minutehand.usecases.upkeep.shards import ShardsToRead
from tests.simulation.backfilling import broken_backfills
from tests.simulation.checker import violations
from tests.simulation.mutations import Mutation, Patch, assert_noticed
from tests.simulation.resharding import Reshaped, broken_layouts

SEEDS = 40
GROUP = 10
pytestmark = pytest.mark.thorough


def problems(seed: int) -> list[str]:
    scenario = Reshaped(seed)
    scenario.play()
    return [*broken_layouts(scenario), *broken_backfills(scenario), *violations(scenario)]


@pytest.mark.parametrize("first", range(0, SEEDS, GROUP))
def test_no_history_of_faults_breaks_a_promise_while_shards_change(first: int) -> None:
    for seed in range(first, first + GROUP):
        found = problems(seed)
        assert not found, f"seed {seed}: {found}"


def a_tick_that_reads_no_more_than_it_writes(patch: Patch) -> None:
    patch.setattr(ShardsToRead, "at", lambda self, _now: self._setting)


def timers_that_are_moved_as_they_were_read(patch: Patch) -> None:
    """Written whole, whatever has become of them."""

    def move(self: MemoryShards, places: Sequence[Place], over: int) -> int:
        for place in places:
            timer = self.read.get(place.key)
            if place.key[0] == "timer" and timer is not None:
                self._state.timers[timer.job] = timer
            self._state.places[place.key] = shard_of(place.job, over)
        return len(places)

    right = MemoryShards.page

    def page(self: MemoryShards, *which: Any) -> Any:
        found = right(self, *which)
        self.read = {("timer", job): timer for job, timer in self._state.timers.items()}
        return found

    patch.setattr(MemoryShards, "move", move)
    patch.setattr(MemoryShards, "page", page)


@pytest.mark.parametrize(
    ("mutation", "first"),
    [(a_tick_that_reads_no_more_than_it_writes, 0), (timers_that_are_moved_as_they_were_read, 340)],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_a_broken_rule_is_noticed(mutation: Mutation, first: int, monkeypatch: Patch) -> None:
    """`first` is where to begin, not long before a history that notices; few do."""
    assert_noticed(mutation, monkeypatch, problems, first=first, histories=300)
