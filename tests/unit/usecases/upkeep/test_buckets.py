"""The sweep takes timers out of buckets where they do not belong."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from minutehand.adapters.memory import MemoryBuckets
from minutehand.adapters.sharding import BUCKETS, bucket_of
from minutehand.domain.job_key import JobKey
from minutehand.domain.timer import BrokenTimer, Timer
from minutehand.usecases.ports.buckets import Placed
from minutehand.usecases.upkeep import buckets as upkeep
from minutehand.usecases.upkeep.buckets import unpack_strays
from tests.unit.domain.examples import KEY, at, timer
from tests.unit.usecases.stage import SHARDS, Stage

OFTEN, DAILY = "*/5 * * * *", "0 9 * * *"
HOME = bucket_of(KEY)


@pytest.fixture
def stage() -> Stage:
    return Stage("09:00")


class Buckets(MemoryBuckets):
    """Runs a callback between the look and the move."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage.state, shards=SHARDS, page_size=2)
        self.between = lambda: None

    def unpack(self, packed: Placed, indexed: Placed | None) -> bool:
        self.between()
        return super().unpack(packed, indexed)


def sweeps(stage: Stage, store: MemoryBuckets | None = None, *, turns: int = BUCKETS) -> int:
    """As many sweeps as there are buckets; how many timers they unpacked."""
    store = store or Buckets(stage)
    minutes = (stage.now + turn * timedelta(minutes=1) for turn in range(turns))
    return sum(
        unpack_strays(store, buckets=BUCKETS, now=now, time_left=lambda: timedelta(minutes=1)) for now in minutes
    )


def test_one_bucket_is_read_in_each_sweep_and_each_in_its_turn(stage: Stage) -> None:
    read: list[int] = []

    class Watched(MemoryBuckets):
        def page(self, bucket: int, cursor: str | None):
            read.append(bucket)
            return super().page(bucket, cursor)

    sweeps(stage, Watched(stage.state), turns=2 * BUCKETS)
    assert sorted(read) == sorted([*range(BUCKETS)] * 2)


def test_a_timer_that_belongs_to_its_bucket_stays(stage: Stage) -> None:
    packed = stage.put(timer("09:05", OFTEN, packed=True))
    assert sweeps(stage) == 0
    assert stage.state.timers == {KEY: packed}


def test_a_finished_timer_is_unpacked(stage: Stage) -> None:
    finished = stage.put(timer(None, OFTEN, packed=True))
    assert sweeps(stage) == 1
    assert stage.state.timers == {KEY: replace(finished, packed=False)}


def test_the_timer_of_a_job_that_is_seldom_due_is_unpacked(stage: Stage) -> None:
    packed = stage.put(timer("09:00", DAILY, packed=True))
    assert sweeps(stage) == 1
    assert stage.state.timers == {KEY: replace(packed, packed=False)}
    assert stage.tick().claimed == 1, "it is in the index from now on"


def test_a_timer_whose_rule_is_a_little_below_the_line_keeps_its_place(stage: Stage) -> None:
    stage.put(timer("09:00", "0 */4 * * *", packed=True))
    assert sweeps(stage) == 0


def test_a_timer_that_cannot_be_read_keeps_its_place(stage: Stage) -> None:
    stage.put(timer("09:00", rule="damaged", packed=True))
    stage.state.timers[KEY] = BrokenTimer(job=KEY, revision=1, next_at=at("09:00"), problem="?", packed=True)
    assert sweeps(stage) == 0


@pytest.mark.parametrize("moved", [at("09:05"), None], ids=["a tick", "the end of its schedule"])
def test_a_timer_that_a_tick_moves_meanwhile_is_left_alone(stage: Stage, moved: datetime | None) -> None:
    packed = stage.put(timer("09:00", DAILY, packed=True))
    store = Buckets(stage)
    store.between = lambda: stage.put(replace(packed, next_at=moved)) and None  # type: ignore[assignment, func-returns-value]
    assert sweeps(stage, store) == 0
    assert stage.state.timers == {KEY: replace(packed, next_at=moved)}


def test_a_timer_that_an_edit_moves_meanwhile_is_left_alone(stage: Stage) -> None:
    packed = stage.put(timer("09:00", DAILY, packed=True))
    store = Buckets(stage)
    store.between = lambda: stage.put(replace(packed, revision=2)) and None  # type: ignore[assignment, func-returns-value]
    assert sweeps(stage, store) == 0


def test_a_timer_in_the_bucket_of_other_jobs_is_moved_to_the_index_and_runs_on(stage: Stage) -> None:
    stray = timer("09:00", OFTEN, packed=True)
    stage.state.strays[(HOME + 1) % BUCKETS, KEY] = stray
    stage.at("09:00").tick()
    assert sweeps(stage) == 1
    assert (stage.state.strays, stage.state.timers) == ({}, {KEY: replace(stray, packed=False)})
    stage.tick()
    assert stage.next_at() == at("09:05")


@pytest.mark.parametrize("ahead", ["packed", "indexed"])
def test_of_two_timers_of_a_job_the_one_furthest_ahead_is_left(stage: Stage, ahead: str) -> None:
    packed = timer("09:10" if ahead == "packed" else "09:00", OFTEN, packed=True)
    indexed = stage.put(timer("09:05", OFTEN))
    stage.state.strays[HOME, KEY] = packed
    assert sweeps(stage) == 1
    left = replace(packed, packed=False) if ahead == "packed" else indexed
    assert (stage.state.strays, stage.state.timers) == ({}, {KEY: left})


def test_both_timers_of_a_job_are_dispatched_once_until_then(stage: Stage) -> None:
    stage.put(timer("09:00", OFTEN))
    stage.state.strays[HOME, KEY] = timer("09:00", OFTEN, packed=True)
    report = stage.tick()
    assert (report.claimed, len(stage.state.runs)) == (1, 1)
    assert isinstance(found := stage.timers.get(KEY), Timer)
    assert found.next_at == at("09:05")


def test_many_jobs_of_a_bucket_are_compared_in_turn(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "MOST_COMPARED", 3)
    jobs = [key for number in range(400) if bucket_of(key := JobKey("shop", f"job-{number}")) == HOME][:10]
    for job in jobs:
        stage.put(timer("09:05", OFTEN, packed=True, job=job))
    last = jobs[-1]
    stage.state.strays[HOME, last] = stage.state.timers[last]  # type: ignore[assignment]
    stage.put(timer("09:05", OFTEN, job=last))
    assert sweeps(stage, turns=10 * BUCKETS) == 1
    assert stage.state.strays == {}


def test_a_sweep_short_of_time_reads_no_further(stage: Stage) -> None:
    stage.put(timer(None, OFTEN, packed=True))
    assert unpack_strays(Buckets(stage), buckets=1, now=stage.now, time_left=lambda: timedelta(seconds=10)) == 0
