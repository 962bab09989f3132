"""The simulation does what can be computed by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from benchmarks.capacity.ceilings import lowest
from benchmarks.capacity.settings import Settings
from benchmarks.capacity.simulation import SLACK, at_once, each_minute
from benchmarks.capacity.stages import AMPLE, STAGES

ONE_SHARD = replace(AMPLE, due_shards=1, tick_fan_out=1, tick_memory=1_769)


def claimed_after(settings: Settings, occurrences: int) -> float:
    """Seconds from the first tick's start to the last claim."""
    return at_once(settings, occurrences).claimed_by + SLACK


@pytest.mark.parametrize("settings", [Settings(), ONE_SHARD, Settings(settled=False), replace(AMPLE, pollers=50)])
@pytest.mark.parametrize("occurrences", [1, 49, 2_003])
def test_nothing_is_lost_doubled_or_early(settings: Settings, occurrences: int) -> None:
    for outcome in (at_once(settings, occurrences), each_minute(settings, occurrences)):
        assert outcome.claimed == outcome.sent == outcome.started == outcome.occurrences
        assert outcome.least >= 0


def test_a_shard_advances_500_timers_a_second_and_two_shards_twice_as_many() -> None:
    alone = claimed_after(ONE_SHARD, 20_000)
    assert alone == pytest.approx(40, rel=0.05)
    assert claimed_after(replace(ONE_SHARD, due_shards=2, tick_fan_out=2), 20_000) == pytest.approx(alone / 2, rel=0.1)


@pytest.mark.thorough
@pytest.mark.parametrize("settings", [Settings(tick_fan_out=1), Settings(runs=1_000)])
def test_arithmetic_and_simulation_agree_on_what_is_too_much(settings: Settings) -> None:
    most = lowest(settings).occurrences
    assert each_minute(settings, round(most * 0.8)).p99 < 2
    assert each_minute(settings, round(most * 2)).p99 > 10


def test_the_settings_of_each_stage_allow_more_than_its_load() -> None:
    for stage in STAGES:
        assert lowest(stage.settings).occurrences > 1.3 * stage.each_minute
