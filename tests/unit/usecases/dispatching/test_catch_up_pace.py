"""Catch-up pace: a tick dispatches at most `max_catch_up` missed occurrences of a job, spread over the minute, and all that are on time."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.calendar import CalendarKey, Period
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import CatchUp
from minutehand.usecases.definitions import calendars
from minutehand.usecases.definitions.calendars import Content
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at, job
from tests.unit.usecases.stage import Stage


def away(since: str = "08:00", now: str = "10:00", **fields: object) -> Stage:
    """A stage on which nothing has ticked between two clock times, with a job that is due each minute."""
    stage = Stage(since)
    stage.save(job(**{"catch_up": CatchUp.ALL, "max_catch_up": 10} | fields))
    stage.receive()
    return stage.at(now)


def offsets(stage: Stage) -> list[timedelta]:
    """How much later than now each message arrives, in the order they were sent; they are taken off the queue."""
    found = [message.not_before - stage.now for message in stage.state.messages]
    stage.state.messages.clear()
    return found


def late(stage: Stage) -> list[timedelta]:
    """As `offsets`, of the missed occurrences alone."""
    found = [m.not_before - stage.now for m in stage.state.messages if m.run.scheduled_for < stage.now - 5 * MINUTE]
    stage.state.messages.clear()
    return found


ON_TIME = [f"09:{minute:02d}:00" for minute in range(55, 60)] + ["10:00:00", "10:01:00", "10:02:00"]


def test_a_tick_makes_up_for_no_more_than_so_many_and_dispatches_all_that_are_on_time() -> None:
    stage = away()
    assert stage.tick().claimed == 18
    assert stage.sent() == [f"08:{minute:02d}:00" for minute in range(3, 13)] + ON_TIME
    assert stage.next_at() == at("08:13")


def test_what_is_due_while_missed_ones_remain_is_dispatched_before_its_instant_and_once() -> None:
    stage = away(max_catch_up=1)
    for minute in range(30):
        stage.at(f"10:{minute:02d}").tick()
        stage.work()
    on_time = [each for each in stage.state.runs.values() if each.scheduled_for >= at("10:00")]
    assert len(on_time) == 32
    assert all(each.claimed_at <= each.scheduled_for for each in on_time)
    assert stage.next_at() == at("08:33"), "thirty missed ones were made up for meanwhile"
    assert max(Counter(stage.called).values()) == 1


def test_a_pace_below_the_schedules_own_rate_catches_up_too() -> None:
    stage = Stage("08:00")
    stage.save(job("@every 10s", catch_up=CatchUp.ALL, max_catch_up=2, misfire_grace=MINUTE))
    stage.work()
    stage.at("08:10")
    while stage.next_at() <= stage.now:
        stage.tick()
        stage.now += MINUTE
        assert stage.now < at("08:45"), "48 missed ones, two a minute"
    stage.now += MINUTE
    stage.work()
    expected = [at("08:00") + n * 10 * SECOND for n in range(1, 6 * (stage.now.minute - 1))]
    assert sorted(key.scheduled_for for key, _ in stage.called)[: len(expected)] == expected


def test_a_second_outage_during_a_catch_up_loses_nothing() -> None:
    stage = away(max_catch_up=10)
    stage.tick()
    stage.at("10:30")
    while stage.next_at() <= stage.now:
        stage.tick()
        stage.work()
        stage.now += MINUTE
    stage.work()
    minutes = [key.scheduled_for for key, _ in stage.called]
    assert len(minutes) == len(set(minutes))
    assert sorted(minutes)[:150] == [at("08:03") + n * MINUTE for n in range(150)]


@pytest.mark.parametrize("refused", ["08:05:00", "10:01:00"])
def test_what_could_not_be_sent_is_sent_by_the_next_tick(refused: str) -> None:
    stage = away()
    stage.picky.refuses = lambda message: f"{message.run.scheduled_for:%H:%M:%S}" == refused
    stage.tick()
    assert refused not in stage.sent()
    stage.picky.refuses = lambda _message: False
    stage.tick()
    assert stage.sent().count(refused) == 1


def test_the_next_ticks_make_up_for_the_rest_in_order_and_each_once() -> None:
    stage = away(now="09:00")
    ticks = 0
    while stage.next_at() <= stage.now:
        stage.tick()
        ticks += 1
        stage.now += MINUTE
    assert sorted(stage.sent())[:57] == [f"08:{minute:02d}:00" for minute in range(3, 60)]
    assert len(stage.sent()) == len(set(stage.sent()))
    assert ticks < 10


def test_they_are_spread_evenly_over_the_minute() -> None:
    stage = away()
    stage.tick()
    assert late(stage) == [number * 6 * SECOND for number in range(10)]


@pytest.mark.parametrize("most", [1, 2, 7, 60, 150])
def test_all_of_them_begin_within_the_minute(most: int) -> None:
    stage = away(max_catch_up=most, now="11:30")
    stage.tick()
    starts = late(stage)
    assert len(starts) == most
    assert timedelta(0) <= min(starts)
    assert max(starts) < MINUTE
    assert starts == sorted(starts)
    assert len({later - earlier for earlier, later in pairwise(starts)}) <= 1 or most == 7


def test_occurrences_on_time_are_neither_counted_nor_spread() -> None:
    stage = away(now="08:10", max_catch_up=1)
    stage.tick()
    assert stage.sent() == ["08:03:00", *(f"08:{minute:02d}:00" for minute in range(5, 13))], "five minutes of grace"
    assert offsets(stage)[1:] == [SECOND] * 6 + [MINUTE, 2 * MINUTE], "what is due begins right after the missed one"
    stage.tick()
    assert stage.sent() == ["08:04:00"]


def test_the_last_missed_occurrence_is_claimed_with_those_on_time() -> None:
    stage = away(now="08:10", max_catch_up=10)
    assert stage.tick().claimed == 10
    assert offsets(stage)[:3] == [0 * SECOND, 6 * SECOND, -5 * MINUTE]


def test_a_dense_schedule_that_is_on_time_is_not_held_back() -> None:
    stage = Stage("08:00")
    stage.save(job("@every 1s", max_catch_up=5))
    stage.at("08:02").tick()
    assert len(stage.sent()) > 100


def test_no_occurrence_of_an_outage_or_after_it_is_lost() -> None:
    stage = away(now="09:00", max_catch_up=1)
    for _ in range(60):
        stage.tick()
        stage.now += MINUTE
    assert sorted(stage.sent()) == stage.claimed()[2:]
    expected = [f"08:{minute:02d}:00" for minute in range(1, 60)]
    assert stage.claimed()[:59] == expected


@pytest.mark.parametrize(("catch_up", "late"), [(CatchUp.SKIP, 0), (CatchUp.LATEST, 1)])
def test_the_pace_is_of_no_account_where_not_all_are_made_up_for(catch_up: CatchUp, late: int) -> None:
    stage = away(catch_up=catch_up, max_catch_up=1)
    stage.tick()
    missed = [clock for clock in stage.sent() if clock < "09:55:00"]
    assert len(missed) == late
    assert [(f"{one.first:%H:%M}", str(one.policy)) for one in stage.state.skipped] == [
        ("08:03", f"catch_up={catch_up.value}")
    ]


def test_the_one_missed_occurrence_of_many_jobs_is_spread_among_them() -> None:
    stage = Stage("08:00")
    keys = [JobKey(KEY.namespace, f"job-{number}") for number in range(40)]
    for key in keys:
        stage.save(job("0 9 * * *", key=key, catch_up=CatchUp.LATEST))
    stage.at("10:00").tick()
    late = offsets(stage)
    assert len(late) == 40
    assert timedelta(0) <= min(late) <= max(late) < MINUTE
    assert len(set(late)) > 20


def test_each_job_has_its_own_pace() -> None:
    stage = away()
    other = JobKey(KEY.namespace, "stock")
    stage.at("08:00").save(job(key=other, catch_up=CatchUp.ALL, max_catch_up=3))
    stage.receive()
    stage.at("10:00").tick()
    jobs = [message.run.job for message in stage.state.messages]
    assert (jobs.count(KEY) - 8, jobs.count(other) - 8) == (10, 3), "and eight that are on time"


def test_a_week_without_ticks_is_one_skipped_range_and_caught_up_at_the_pace() -> None:
    stage = away(max_catch_up=50, catchup_window=timedelta(hours=1))
    stage.now += timedelta(days=7)
    assert stage.tick().claimed == 50 + 8
    [skipped] = stage.state.skipped
    assert (skipped.first, skipped.until) == (at("08:03"), stage.now - timedelta(hours=1))


@pytest.mark.parametrize(
    "more", [{"calendars": ("closed",)}, {"max_runs": 500}, {"calendars": ("closed",), "max_runs": 500}]
)
def test_with_calendars_or_a_limit_of_runs_later_occurrences_wait_for_missed_ones(more: dict[str, Any]) -> None:
    stage = Stage("08:00")
    far = Period(at("09:00") + timedelta(days=30), at("10:00") + timedelta(days=30))
    calendars.save(stage.ports, CalendarKey(KEY.namespace, "closed"), Content(periods=(far,)), who=Actor("ada"))
    stage.save(job(catch_up=CatchUp.ALL, max_catch_up=10, **more))
    stage.receive()
    for tick in range(2):
        assert stage.at(f"10:0{tick}").tick().claimed == 10
        assert offsets(stage) == [n * 6 * SECOND for n in range(10)]


@pytest.mark.parametrize("more", [{}, {"max_runs": 500}])
def test_the_one_missed_occurrence_starts_before_those_that_became_due_since(more: dict[str, Any]) -> None:
    stage = away(now="08:30:20", catch_up=CatchUp.LATEST, **more)
    stage.tick()
    starts = {message.run.scheduled_for: message.not_before for message in stage.state.messages}
    assert min(starts) == at("08:25")
    assert starts.pop(at("08:25")) == stage.now
    assert [start - stage.now for start in starts.values()][:5] == [SECOND] * 5
    assert starts[at("08:32")] == at("08:32")


def test_it_starts_before_the_next_occurrence() -> None:
    for number in range(20):
        stage = Stage("08:00")
        stage.save(job("0 9,10 * * *", key=JobKey(KEY.namespace, f"job-{number}"), catch_up=CatchUp.LATEST))
        stage.at("09:59:50").tick()
        missed, following = stage.state.messages
        assert stage.now <= missed.not_before < following.not_before == at("10:00")
