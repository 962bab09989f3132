"""The simulation does what can be computed by hand."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from benchmarks.capacity import model
from benchmarks.capacity.ceilings import lowest
from benchmarks.capacity.settings import Settings
from benchmarks.capacity.simulation import SLACK, at_once, each_minute
from benchmarks.capacity.stages import AMPLE, STAGES
from benchmarks.capacity.store import Store

ALONE = replace(AMPLE, tick_fan_out=1, tick_memory=1_769)


def claimed_after(settings: Settings, occurrences: int) -> float:
    """Seconds from the first tick's start to the last claim."""
    return at_once(settings, occurrences).claimed_by + SLACK


@pytest.mark.parametrize("settings", [Settings(), ALONE, Settings(settled=False), replace(AMPLE, pollers=50)])
@pytest.mark.parametrize("occurrences", [1, 49, 2_003])
def test_nothing_is_lost_doubled_or_early(settings: Settings, occurrences: int) -> None:
    for outcome in (at_once(settings, occurrences), each_minute(settings, occurrences)):
        assert outcome.claimed == outcome.sent == outcome.started == outcome.occurrences
        assert outcome.least >= 0


def test_a_bucket_takes_1000_advances_a_second_and_two_buckets_twice_as_many() -> None:
    store = Store(AMPLE, Random(1))
    assert [store.advance(0, 5_000, now) for now in (0.0, 0.5, 1.5)] == [1_000, 500, 1_000]
    assert store.advance(1, 5_000, 1.5) == 1_000


def test_buckets_that_share_a_partition_share_its_1000_advances() -> None:
    store = Store(replace(AMPLE, jobs=1_000, settled=False), Random(1))
    assert sum(store.advance(bucket, 500, 0.0) for bucket in range(model.BUCKETS)) == 1_000


@pytest.mark.thorough
def test_invocations_share_buckets_but_never_one_bucket() -> None:
    alone = claimed_after(ALONE, 20_000)
    shared, more = (replace(ALONE, tick_fan_out=most) for most in (model.BUCKETS, 4 * model.BUCKETS))
    assert claimed_after(shared, 320_000) == pytest.approx(alone, rel=0.2)
    assert claimed_after(more, 320_000) == claimed_after(shared, 320_000)


@pytest.mark.parametrize("changes", [{}, {"tick_memory": 512}, {"slower": 3.0}])
def test_an_invocation_dispatches_at_the_pace_of_its_processor_and_calls(changes: dict[str, float]) -> None:
    settings = replace(ALONE, **changes)
    assert claimed_after(settings, 8_000) == pytest.approx(8_000 / settings.tick_pace, rel=0.05)


def test_a_tick_reads_packed_timers_that_are_not_due_before_it_claims() -> None:
    resting = replace(AMPLE, resting=1_000_000)
    assert claimed_after(resting, 1_000) - claimed_after(AMPLE, 1_000) == pytest.approx(1e6 * AMPLE.look_time, rel=0.05)
    most = model.WORKING / AMPLE.look_time
    assert lowest(replace(AMPLE, resting=round(most))).occurrences == pytest.approx(0, abs=1)


@pytest.mark.thorough
@pytest.mark.parametrize("settings", [Settings(tick_fan_out=1), Settings(runs=1_000)])
def test_arithmetic_and_simulation_agree_on_what_is_too_much(settings: Settings) -> None:
    most = lowest(settings).occurrences
    assert each_minute(settings, round(most * 0.8)).p99 < 2
    assert each_minute(settings, round(most * 2)).p99 > 10


def test_the_settings_of_each_stage_allow_more_than_its_load() -> None:
    for stage in STAGES:
        assert lowest(stage.settings).occurrences > 1.3 * stage.each_minute
