"""Packed timers: a tick reads the buckets besides the shards, and every write is made where the timer was read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import chain, repeat

import pytest

from minutehand.adapters.memory import MemoryTimers
from minutehand.adapters.memory.shards import packed_in
from minutehand.adapters.sharding import BUCKETS, bucket_of, shard_of
from minutehand.domain.actor import Actor
from minutehand.domain.job_key import JobKey
from minutehand.domain.timer import Due, Timer
from minutehand.usecases.definitions import manage
from minutehand.usecases.dispatching import tick as ticking
from minutehand.usecases.dispatching.tick import RESERVE, Parts, tick
from tests.unit.domain.examples import KEY, at, timer
from tests.unit.usecases.stage import PARTS, SHARDS, Stage, after_opening

HOME = bucket_of(KEY)


@pytest.fixture
def stage() -> Stage:
    return Stage("09:00")


class _Slow(MemoryTimers):
    """Reads of buckets take time."""

    empty_pages = 0

    def __init__(self, stage: Stage, left: list[timedelta], each: timedelta) -> None:
        super().__init__(stage.state, shards=SHARDS)
        self._left = left
        self._each = each

    def due_packed(self, bucket: int, until: datetime) -> Iterator[Sequence[Due]]:
        self._left[0] -= self._each
        for page in chain(repeat((), self.empty_pages), super().due_packed(bucket, until)):
            yield page
            self._left[0] -= self._each


def own(stage: Stage) -> Timer:
    found = stage.state.timers[KEY]
    assert isinstance(found, Timer)
    return found


def test_the_timer_of_a_job_that_is_due_often_is_packed(stage: Stage) -> None:
    stage.save(schedule="*/5 * * * *")
    assert own(stage).packed
    assert packed_in(stage.state, HOME) == [own(stage)]


def test_the_timer_of_a_job_that_is_seldom_due_is_not(stage: Stage) -> None:
    stage.save(schedule="0 9 * * *")
    assert not own(stage).packed


def test_a_packed_timer_is_dispatched_and_stays_packed(stage: Stage) -> None:
    stage.save(schedule="*/5 * * * *")
    assert stage.at("09:04").tick().claimed == 1
    assert (own(stage).next_at, own(stage).packed) == (at("09:10"), True)


def test_a_packed_timer_that_is_not_due_is_neither_planned_nor_set_aside(stage: Stage) -> None:
    """A timer that cannot be planned would be set aside again each minute, and never be tried again."""
    stage.put(timer("09:30", "* * * * *", packed=True, rule="damaged"))
    assert stage.tick().timers == 0
    assert stage.at("09:29").tick().timers == 1
    aside = own(stage).next_at
    for minute in range(30, 36):
        stage.at(f"09:{minute}").tick()
    assert (own(stage).next_at, len(stage.state.skipped)) == (aside, 1)


def test_an_edit_that_makes_a_job_rare_moves_its_timer_to_the_index(stage: Stage) -> None:
    stage.save(schedule="*/5 * * * *")
    stage.save(schedule="0 9 * * *")
    assert not own(stage).packed
    assert packed_in(stage.state, HOME) == []


def test_a_paused_job_has_no_packed_timer_and_a_resumed_one_has_it_again(stage: Stage) -> None:
    stage.save(schedule="*/5 * * * *")
    manage.pause(stage.ports, KEY, who=Actor("ada"))
    assert not own(stage).packed
    manage.resume(stage.ports, KEY, who=Actor("ada"))
    assert own(stage).packed


def test_an_edit_that_keeps_the_occurrences_packs_a_timer_that_was_in_the_index(stage: Stage) -> None:
    stage.save(schedule="*/5 * * * *")
    stage.put(replace(own(stage), packed=False))
    stage.at("09:01").save(schedule="*/5 * * * *", description="changed")
    assert (own(stage).packed, own(stage).next_at) == (True, at("09:05"))


def test_a_writer_with_an_old_place_changes_nothing(stage: Stage) -> None:
    """The job was edited, and its timer moved, after a tick had read it."""
    stage.save(schedule="*/5 * * * *")
    read = own(stage)
    stage.put(replace(read, packed=False))
    stage.at("09:04").dispatch(read)
    assert own(stage) == replace(read, packed=False)
    assert stage.tick().advanced == 1, "the next tick reads it at its place, and finds the run claimed"
    assert (own(stage).next_at, len(stage.state.runs)) == (at("09:10"), 1)


def test_a_bucket_that_cannot_be_read_is_reported_delays_no_other_and_loses_nothing(stage: Stage) -> None:
    jobs = [JobKey("shop", f"job-{number}") for number in range(40)]
    for job in jobs:
        stage.put(timer("09:00", packed=True, job=job))
    stage.put(timer("09:00", "0 9 * * *"))
    unread = bucket_of(jobs[0])
    stage.timers.refuses("due_packed", lambda bucket, _until: bucket == unread)
    report = stage.tick()
    left = [job for job in jobs if bucket_of(job) == unread]
    assert (report.timers, report.unread, report.parts) == (len(jobs) - len(left) + 1, 1, 4 + BUCKETS)
    assert report.problems == [f"bucket {unread}: due_packed did not answer"]
    assert {job for job in jobs if stage.next_at(job) == at("09:00")} == set(left), "they stay due"
    stage.timers.refuses("due_packed", lambda _bucket, _until: False)
    stage.tick()
    assert {run.job for run in stage.state.runs} == {*jobs, KEY}


def test_short_ticks_starve_neither_shards_nor_buckets(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each tick has time for a few timers, while more are due each minute."""
    monkeypatch.setattr(ticking, "group_size", lambda _: 2)
    often = [JobKey("shop", f"often-{number}") for number in range(20)]
    daily = [JobKey("shop", f"daily-{number}") for number in range(20)]
    for job in often:
        stage.put(timer("09:00", "* * * * *", job=job, packed=True))
    for job in daily:
        stage.put(timer("09:00", "0 9 * * *", job=job))
    for minute in range(20):
        stage.at(f"09:{minute:02d}")
        left = after_opening(stage, [RESERVE] * 8)
        tick(stage.ports, parts=PARTS, time_left=lambda left=left: next(left, timedelta(0)))
    ran = {run.job for run in stage.state.runs}
    assert ran & set(daily)
    assert ran & set(often)
    assert len(ran) > 30


def test_a_tick_without_time_to_read_all_dispatches_what_it_found_and_later_ones_the_rest(stage: Stage) -> None:
    jobs = {JobKey("shop", f"job-{number}") for number in range(100)}
    for job in jobs:
        stage.put(timer("09:00", "0 9 * * *" if bucket_of(job) % 2 else "*/30 * * * *", job=job, packed=True))
    for minute in range(4 + BUCKETS):
        stage.at(f"09:{minute:02d}")
        left = [timedelta(minutes=1)]
        stage.ports = stage.ports._replace(timers=_Slow(stage, left, timedelta(seconds=3)))
        report = tick(stage.ports, parts=PARTS, time_left=lambda left=left: left[0])
        assert report.stopped_early
        cut = [problem for problem in report.problems if problem.endswith("time ran out before it was read to its end")]
        assert len(cut) >= report.unread > 0
        if not minute:
            assert 0 < report.timers < len(jobs)
    assert {run.job for run in stage.state.runs} == jobs


def test_a_tick_stops_within_a_bucket_in_which_little_is_due(stage: Stage) -> None:
    left = [timedelta(minutes=1)]
    endless = _Slow(stage, left, timedelta(seconds=1))
    endless.empty_pages = 1_000
    stage.put(timer("09:00", "0 9 * * *"))
    stage.ports = stage.ports._replace(timers=endless)
    report = tick(stage.ports, parts=Parts([shard_of(KEY, SHARDS)], [HOME]), time_left=lambda: left[0])
    assert (report.timers, report.stopped_early, report.unread) == (1, True, 0)
    assert report.problems == [f"bucket {HOME}: time ran out before it was read to its end"]
    assert left[0] > RESERVE
