"""The sweep takes timers out of buckets where they do not belong."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice

import pytest

from minutehand.adapters.memory import MemoryBuckets
from minutehand.adapters.sharding import BUCKETS, bucket_of
from minutehand.domain.errors import Unavailable
from minutehand.domain.job_key import JobKey
from minutehand.domain.timer import BrokenTimer, Timer
from minutehand.usecases.ports.buckets import Placed
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
    return sum(sweep_at(stage, store, turn) for turn in range(turns))


def sweep_at(
    stage: Stage,
    store: MemoryBuckets,
    turn: int,
    time_left: Callable[[], timedelta] = lambda: timedelta(minutes=1),
) -> int:
    """The sweep of so many minutes from now; how many timers it unpacked."""
    now = stage.now + turn * timedelta(minutes=1)
    return unpack_strays(store, buckets=BUCKETS, now=now, time_left=time_left)


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


def at_home(count: int) -> list[JobKey]:
    """So many jobs of one bucket, by name."""
    keys = (JobKey("shop", f"job-{number:05}") for number in range(100_000))
    return list(islice((key for key in keys if bucket_of(key) == HOME), count))


def test_all_jobs_of_a_bucket_are_compared_page_by_page(stage: Stage) -> None:
    jobs = at_home(10)
    for job in jobs:
        stage.put(timer("09:05", OFTEN, packed=True, job=job))
    last = jobs[-1]
    stage.state.strays[HOME, last] = stage.state.timers[last]
    stage.put(timer("09:05", OFTEN, job=last))
    assert sweeps(stage, turns=10 * BUCKETS) == 1
    assert stage.state.strays == {}


@pytest.mark.parametrize("count", [1, 2, 3, 10])
def test_all_names_of_a_bucket_are_read_within_the_promised_laps_however_short_of_time_sweeps_are(
    stage: Stage, count: int
) -> None:
    for job in at_home(count):
        stage.put(timer("09:05", OFTEN, packed=True, job=job))
    read: list[JobKey] = []

    class Watched(MemoryBuckets):
        def indexed(self, jobs: Sequence[JobKey]) -> Mapping[JobKey, Placed]:
            read.extend(jobs)
            return super().indexed(jobs)

    store = Watched(stage.state, page_size=2)
    for lap in range(2 * (count // 2 + 1)):
        if lap == count // 2 + 1:
            assert {*read} == {*at_home(count)}
            read.clear()
        for turn in range(lap * BUCKETS, (lap + 1) * BUCKETS):
            left = iter([timedelta(minutes=1)])
            sweep_at(stage, store, turn, lambda left=left: next(left, timedelta(0)))  # type: ignore[misc]
    assert {*read} == {*at_home(count)}


def test_a_timer_that_cannot_be_unpacked_does_not_keep_the_sweep_from_those_after_it(stage: Stage) -> None:
    jobs = at_home(3)
    for job in jobs:
        stage.put(timer(None, OFTEN, packed=True, job=job))

    class Refusing(MemoryBuckets):
        def unpack(self, packed: Placed, indexed: Placed | None) -> bool:
            if packed.timer.job == jobs[0]:
                raise Unavailable("no")
            return super().unpack(packed, indexed)

    store = Refusing(stage.state, page_size=1)
    for turn in range(3 * BUCKETS):
        with suppress(Unavailable):
            sweep_at(stage, store, turn)
    assert [job for job in jobs if stage.state.timers[job].packed] == jobs[:1]


def test_a_sweep_whose_time_is_over_unpacks_no_further_and_a_later_one_the_rest(stage: Stage) -> None:
    jobs = at_home(100)
    for job in jobs:
        stage.put(timer(None, OFTEN, packed=True, job=job))
    store = MemoryBuckets(stage.state)
    left = iter([timedelta(minutes=1)] * 11)  # asked once before the page, then before each transaction
    turn = next(turn for turn in range(BUCKETS) if int((stage.now.timestamp()) // 60 + turn) % BUCKETS == HOME)
    assert sweep_at(stage, store, turn, lambda: next(left, timedelta(seconds=10))) == 10
    assert sum(stage.state.timers[job].packed for job in jobs) == 90
    assert sweep_at(stage, store, turn + BUCKETS) == 90


def test_a_sweep_short_of_time_reads_nothing(stage: Stage) -> None:
    stage.put(timer(None, OFTEN, packed=True))
    assert unpack_strays(Buckets(stage), buckets=1, now=stage.now, time_left=lambda: timedelta(seconds=10)) == 0
    assert stage.state.timers[KEY].packed
