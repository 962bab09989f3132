"""The simulation does what can be told by hand: nothing is lost or doubled, and each limit lets through what it says."""

from __future__ import annotations

from dataclasses import replace

import pytest
from benchmarks.capacity import model
from benchmarks.capacity.buckets import Bucket
from benchmarks.capacity.ceilings import ceilings, first
from benchmarks.capacity.play import SLACK, at_once, each_minute, on_the_minute
from benchmarks.capacity.settings import Settings
from benchmarks.capacity.shares import shares
from benchmarks.capacity.sweep import read, swept

AMPLE = Settings(
    due_shards=32,
    tick_fan_out=32,
    tick_memory=1_769,
    worker_memory=1_769,
    worker_concurrency=1_000,
    account=2_000,
    jobs=100_000,
    due=100_000,
    runs=100_000,
    by_time=100_000,
    quota=100_000,
    jobs_reads=40_000,
    runs_reads=40_000,
    namespaces=32,
)
ONE_SHARD = replace(AMPLE, due_shards=1, tick_fan_out=1)
NEW = Settings(settled=False)


def taken(settings: Settings, occurrences: int) -> float:
    """Seconds from the first tick's beginning until the last claim."""
    return at_once(settings, occurrences).claimed_by + SLACK


@pytest.mark.parametrize("settings", [Settings(), AMPLE, ONE_SHARD, NEW, replace(AMPLE, namespaces=1, pollers=50)])
@pytest.mark.parametrize("occurrences", [1, 49, 2_003])
def test_nothing_is_lost_or_doubled_and_nothing_starts_early(settings: Settings, occurrences: int) -> None:
    for outcome in (at_once(settings, occurrences), each_minute(settings, occurrences)):
        assert outcome.claimed == outcome.sent == outcome.started == outcome.occurrences
        assert outcome.least >= 0


def test_what_is_refused_again_and_again_is_late_and_still_there() -> None:
    outcome = at_once(replace(NEW, runs=1_000, due=1_000, tick_memory=1_769), 10_000)
    assert outcome.refused > 10_000
    assert outcome.claimed == outcome.started == 10_000
    assert outcome.last > at_once(AMPLE, 10_000).last


def test_one_seed_is_one_history() -> None:
    assert at_once(Settings(), 3_000) == at_once(Settings(), 3_000)
    assert at_once(Settings(), 3_000) != at_once(Settings(), 3_000, seed=1)


def test_a_shard_takes_500_advances_a_second_and_two_take_twice_as_many() -> None:
    alone = taken(ONE_SHARD, 20_000)
    assert alone == pytest.approx(40, rel=0.05)
    both = taken(replace(ONE_SHARD, due_shards=2, tick_fan_out=2), 20_000)
    assert both == pytest.approx(alone / 2, rel=0.1)


def test_a_tick_has_as_much_processor_as_memory_up_to_a_whole_one() -> None:
    small = taken(replace(ONE_SHARD, due_shards=8, tick_memory=442), 8_000)
    assert small == pytest.approx(8_000 * model.TICK_CPU * 4, rel=0.05)
    assert taken(replace(ONE_SHARD, due_shards=8, tick_memory=884), 8_000) == pytest.approx(small / 2, rel=0.15)
    whole = taken(replace(ONE_SHARD, due_shards=8), 8_000)
    assert whole < small / 2  # more than a quarter, since groups wait for the tables as long as for the processor
    assert taken(replace(ONE_SHARD, due_shards=8, tick_memory=4_000), 8_000) == whole


def test_busy_shards_are_shared_and_quiet_ones_are_not() -> None:
    settings = replace(AMPLE, due_shards=8, tick_fan_out=8)
    alone = replace(settings, tick_fan_out=1)
    assert taken(settings, 16_000) < taken(alone, 16_000) / 4
    assert taken(settings, 3_000) == taken(alone, 3_000)
    assert [at_once(settings, due).ticks for due in (3_000, 16_000)] == [1, 8]


def test_what_a_tick_takes_on_alone_is_a_setting() -> None:
    settings = replace(AMPLE, due_shards=8, tick_fan_out=8, tick_share=80)
    assert [at_once(settings, due).ticks for due in (80, 81, 88)] == [1, 1, 8], "one more is busy, and this tick's own"
    assert at_once(replace(settings, tick_share=20_000), 16_000).ticks == 1


def test_a_namespace_takes_4000_claims_a_second() -> None:
    assert taken(replace(AMPLE, namespaces=1), 20_000) > 20_000 / 4_000
    assert taken(AMPLE, 20_000) < 20_000 / 4_000


def test_a_tick_takes_on_alone_by_default_as_much_as_the_smallest_one_has_done_in_two_thirds_of_its_time() -> None:
    done = [row[0] for row in shares().rows if row[2] < model.WORKING * 2 / 3]
    assert Settings().tick_share == max(done)


@pytest.mark.parametrize("short", [replace(AMPLE, jobs_reads=550), replace(AMPLE, runs_reads=round(500 + read()))])
def test_workers_wait_for_what_they_read(short: Settings) -> None:
    """A run and a definition each, and the settings of a namespace for ten: 500 runs a second are through, twice as many are not."""
    assert first(short).occurrences == pytest.approx(30_000, rel=0.01)
    assert each_minute(short, 24_000).p99 < 2
    assert each_minute(short, 60_000).p99 > 10


def test_a_longer_look_ahead_has_a_hot_minute_claimed_in_time() -> None:
    one_tick = replace(AMPLE, due_shards=8, tick_fan_out=1, tick_memory=512)
    assert at_once(one_tick, 20_000).claimed_by > 0
    assert at_once(replace(one_tick, look_ahead=300), 20_000).claimed_by < 0


def test_pollers_that_were_at_rest_become_five_more_each_second() -> None:
    outcome = at_once(AMPLE, 10_000)
    # Batches: 5 t of work from the start and 5 t² / 2 from those that are added, each batch taking about 0.4 s.
    seconds = (-5 + (25 + 2 * 5 * 1_000 * AMPLE.batch_time) ** 0.5) / 5
    assert outcome.last == pytest.approx(seconds, rel=0.25)


def test_what_is_all_on_the_minute_takes_as_long_as_its_workers_need() -> None:
    settings = replace(AMPLE, worker_concurrency=20)
    needed = 5_000 / (20 * model.BATCH / settings.batch_time)
    assert on_the_minute(settings, 5_000).last == pytest.approx(needed, rel=0.15)


def test_workers_wait_for_the_second_where_schedules_name_it() -> None:
    spread, named = each_minute(AMPLE, 3_000), each_minute(AMPLE, 3_000, to_the_second=True)
    assert 0 <= named.least < named.p50 < spread.p50 / 2


def test_provisioned_pollers_are_ready() -> None:
    assert at_once(replace(AMPLE, pollers=100), 10_000).last < at_once(AMPLE, 10_000).last / 2


def test_provisioned_pollers_have_ten_batches_each_in_work_and_take_ten_a_second() -> None:
    few = replace(AMPLE, pollers=2)
    outcome = at_once(few, 3_000)
    assert outcome.workers <= 20
    assert outcome.last == pytest.approx(3_000 / (2 * 10 * model.BATCH), rel=0.15)
    slow = at_once(replace(few, call=4.0), 3_000)
    assert slow.workers == 20
    assert slow.last == pytest.approx(3_000 / (20 * model.BATCH / replace(few, call=4.0).batch_time), rel=0.15)
    assert [replace(few, call=call).batches_a_second for call in (0.3, 4.0)] == pytest.approx([20, 20 / 4.1], rel=0.02)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "settings", [Settings(tick_fan_out=1), replace(ONE_SHARD, tick_memory=1_024), Settings(runs=1_000)]
)
def test_arithmetic_and_simulation_agree_on_what_is_too_much(settings: Settings) -> None:
    most = first(settings).occurrences
    assert each_minute(settings, round(most * 0.8)).p99 < 2
    assert each_minute(settings, round(most * 2)).p99 > 10


def test_each_setting_lifts_the_limit_that_it_is_said_to_lift() -> None:
    def most(settings: Settings, what: str) -> float:
        return next(one.occurrences for one in ceilings(settings) if one.what == what)

    base = Settings()
    for what, more in (
        ("advances: partitions of `due`", replace(base, due_shards=16)),
        ("processor time of the tick", replace(base, tick_memory=1_024)),
        ("claims: partitions of `by_time`", replace(base, namespaces=2, by_time=8_000)),
        ("claims, starts, reports: table Runs", replace(base, runs=8_000)),
        ("reads by workers: table Jobs", replace(base, jobs_reads=24_000)),
        ("batches in work", replace(base, worker_concurrency=200)),
    ):
        assert most(more, what) == pytest.approx(2 * most(base, what), rel=0.001)


def test_the_sweep_looks_at_more_with_more_memory() -> None:
    assert swept(1_769) > 2 * swept(512)
    assert read(1_769) / read(512) == pytest.approx(swept(1_769) / swept(512))


def test_a_bucket_gives_a_second_s_worth_and_fills_up_again() -> None:
    bucket = Bucket(1_000)
    assert bucket.whole(2_000, 1, -60.0) == 1_000
    assert bucket.whole(1, 1, -60.0) == 0
    assert bucket.whole(2_000, 2, -59.5) == 250
    assert bucket.whole(2_000, 1, 40.0) == 1_000
    assert bucket.wait(500, 40.0) == pytest.approx(0.5)
    assert bucket.whole(1, 1, 40.1) == 0
