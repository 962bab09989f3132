"""Calendars apply as they are stored when an occurrence is dispatched, and blocked occurrences are recorded."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta

import pytest

from minutehand.domain.calendar import DAY, CalendarKey, DateRange, Period, Weekly
from minutehand.domain.errors import Invalid, Unavailable
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import CatchUp, OnBlocked
from minutehand.domain.run import RunState, SkipReason
from minutehand.usecases.definitions import calendars, manage
from minutehand.usecases.definitions.calendars import Content
from tests.unit.domain.examples import DAY as TODAY
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at, job
from tests.unit.usecases.stage import Stage

CLOSED = CalendarKey("shop", "closed")
ONE_DAY = timedelta(days=1)
NEXT_DAY = {"calendars": ("closed",), "on_blocked": OnBlocked.NEXT_DAY}


@pytest.fixture
def stage() -> Stage:
    return Stage("08:58:30")


def close(stage: Stage, *periods: tuple[datetime, datetime], name: str = "closed", **content: object) -> None:
    said = Content(periods=tuple(Period(*each) for each in periods), **content)
    calendars.save(stage.ports, CalendarKey("shop", name), said, who="ada")


def closed_days(stage: Stage, *days: date) -> None:
    close(stage, dates=tuple(DateRange(day, day) for day in days))


def run_until(stage: Stage, end: datetime, step: timedelta = MINUTE) -> None:
    while stage.now < end:
        stage.tick()
        stage.work()
        stage.now += step


def called(stage: Stage) -> list[str]:
    return sorted(f"{key.scheduled_for:%d %H:%M}" for key, _ in stage.called)


def recorded(stage: Stage) -> list[tuple[str, str, str]]:
    return [(f"{r.first:%d %H:%M:%S}", f"{r.until:%d %H:%M:%S}", str(r.policy)) for r in stage.state.skipped]


def accounted(stage: Stage, first: datetime, last: datetime) -> None:
    """Each minute of the stretch has one run or one range, and not both."""
    minute = first
    while minute <= last:
        runs = sum(key.scheduled_for == minute for key in stage.state.runs)
        ranges = sum(r.first <= minute < r.until for r in stage.state.skipped)
        assert runs + ranges == 1, f"{minute}: {runs} runs, {ranges} ranges"
        minute += MINUTE


def test_blocked_occurrences_do_not_run_and_each_range_is_recorded(stage: Stage) -> None:
    close(stage, (at("09:02"), at("09:05")), (at("09:08"), at("09:20")))
    stage.save(calendars=("closed",))
    run_until(stage, at("09:30"))
    assert called(stage) == [f"20 08:{m}" for m in (59,)] + [
        f"20 09:{m:02}" for m in (0, 1, 5, 6, 7, *range(20, 30)) if m < 30
    ]
    assert {policy for *_, policy in recorded(stage)} == {"calendar=closed"}
    accounted(stage, at("08:59"), at("09:29"))


def test_a_calendar_that_is_opened_before_an_occurrence_is_dispatched_lets_it_run(stage: Stage) -> None:
    close(stage, (at("09:00"), at("18:00")))
    stage.save(schedule="0 12 * * *", calendars=("closed",))
    assert stage.next_at() == at("12:00"), "it stops at what is blocked too"
    stage.at("10:00")
    close(stage)
    stage.at("11:59").tick()
    assert stage.claimed() == ["12:00:00"]


def test_a_calendar_that_is_closed_before_an_occurrence_is_dispatched_blocks_it(stage: Stage) -> None:
    close(stage)
    stage.save(schedule="0 12 * * *", calendars=("closed",))
    close(stage, (at("12:00"), at("12:01")))
    run_until(stage.at("11:50"), at("12:10"))
    assert stage.claimed() == []
    assert recorded(stage)[0][2] == "calendar=closed"


@pytest.mark.parametrize("schedule", ["0 12 * * *", "0 12 21 * *"])
def test_saving_a_job_whose_next_occurrence_is_blocked_records_nothing_before_that_is_due(
    stage: Stage, schedule: str
) -> None:
    closed_days(stage, TODAY, TODAY + ONE_DAY)
    stage.save(schedule=schedule, calendars=("closed",))
    assert recorded(stage) == []
    assert stage.state.rechecks == {}


def test_a_job_whose_calendar_is_missing_is_set_aside_and_others_continue(stage: Stage) -> None:
    other = JobKey("shop", "other")
    close(stage)
    stage.save(calendars=("closed",))
    stage.save(job(key=other))
    stage.state.calendars.clear()
    dispatched = stage.at("09:01:30").tick()
    assert "there is no calendar shop/closed" in "".join(dispatched.problems)
    assert stage.next_at(other) == at("09:04")
    assert recorded(stage)[0][2].startswith("timer set aside: ")


def test_after_it_was_set_aside_a_job_records_what_its_calendar_blocks(stage: Stage) -> None:
    close(stage, (at("09:12"), at("09:30")))
    stage.save(calendars=("closed",))
    stored = dict(stage.state.calendars)
    stage.state.calendars.clear()
    stage.at("09:01:10").tick()
    stage.state.calendars.update(stored)
    assert stage.next_at() == at("09:11:10")
    run_until(stage.at("09:10:30"), at("09:40"))
    accounted(stage, at("08:59"), at("09:39"))


def test_saving_a_job_that_is_set_aside_does_not_revive_skipped_occurrences(stage: Stage) -> None:
    close(stage)
    stage.save(calendars=("closed",))
    stored = dict(stage.state.calendars)
    stage.state.calendars.clear()
    stage.at("09:01:10").tick()
    stage.state.calendars.update(stored)
    stage.at("09:02:10").save(calendars=("closed",), description="another")
    assert stage.next_at() == at("09:11:10")
    run_until(stage, at("09:20"))
    accounted(stage, at("08:59"), at("09:19"))


def test_a_calendar_that_cannot_be_read_delays_only_jobs_that_name_it(stage: Stage) -> None:
    other = JobKey("shop", "other")
    for name in ("closed", "open"):
        close(stage, name=name)
    stage.save(calendars=("closed",))
    stage.save(job(key=other, calendars=("open",)))
    stage.calendars.refuses("get", lambda keys: CLOSED in keys, Unavailable("it is of a later version"))
    stage.at("09:01:30").tick()
    assert stage.next_at(other) == at("09:04")
    assert stage.next_at() == at("09:01"), "it stays due"
    assert recorded(stage) == []


def test_a_job_without_calendars_reads_none(stage: Stage) -> None:
    stage.save()
    run_until(stage, at("09:10"))
    stage.save(description="another")
    assert stage.calendars.calls.total() == 0


def test_a_worker_reads_calendars_only_where_an_edit_came_between(stage: Stage) -> None:
    close(stage)
    stage.save(schedule="*/15 * * * *", **NEXT_DAY)
    reads = stage.calendars.calls["get"]
    stage.at("09:00:30").work()
    assert called(stage) == ["20 09:00"]
    assert stage.calendars.calls["get"] == reads


def test_an_edit_that_adds_a_calendar_stops_what_was_dispatched_and_is_blocked_now(stage: Stage) -> None:
    close(stage, (at("09:00"), at("09:10")))
    stage.save()
    assert stage.claimed() == ["08:59:00", "09:00:00"]
    stage.save(calendars=("closed",))
    run_until(stage, at("09:20"))
    assert stage.run("09:00").skip_reason is SkipReason.SUPERSEDED
    assert called(stage) == ["20 08:59", *(f"20 09:{m}" for m in range(10, 20))]


def test_a_dispatched_run_starts_though_a_calendar_blocks_it_a_moment_later(stage: Stage) -> None:
    close(stage)
    stage.save(calendars=("closed",))
    close(stage, (at("08:59"), at("09:10")))
    stage.save(calendars=("closed",), description="another")
    stage.at("09:00").work()
    assert called(stage) == ["20 08:59", "20 09:00"]


def test_a_moved_occurrence_that_was_dispatched_survives_edits_that_drop_its_calendar(stage: Stage) -> None:
    closed_days(stage, TODAY - ONE_DAY)
    stage.now = at("08:59") - ONE_DAY
    stage.save(schedule="0 9 19 * *", **NEXT_DAY)
    run_until(stage, at("08:59"), 10 * MINUTE)
    stage.tick()
    assert stage.claimed() == ["09:00:00"]
    stage.save(schedule="0 9 18-19 * *", **NEXT_DAY)
    stage.at("09:00:10").save(schedule="0 9 25 * *")
    calendars.delete(stage.ports, CLOSED)
    handled = stage.at("09:00:20").work()
    assert {each.problem for each in handled} == {""}
    assert stage.run("09:00").state.finished


def test_a_blocked_occurrence_runs_at_its_time_of_the_next_open_day(stage: Stage) -> None:
    closed_days(stage, TODAY, TODAY + ONE_DAY)
    stage.save(schedule="0 9 20 * *", **NEXT_DAY)
    run_until(stage, at("09:30") + 3 * ONE_DAY)
    assert called(stage) == ["22 09:00"]
    assert {policy for *_, policy in recorded(stage)} == {"calendar=closed, moved to the next day that is open"}


@pytest.mark.thorough
def test_a_moved_occurrence_runs_earlier_when_a_day_is_opened_meanwhile(stage: Stage) -> None:
    closed_days(stage, TODAY, TODAY + ONE_DAY, TODAY + 2 * ONE_DAY)
    stage.save(schedule="0 9 20 * *", **NEXT_DAY)
    run_until(stage, at("09:30"))
    closed_days(stage, TODAY)
    run_until(stage, at("09:30") + 4 * ONE_DAY)
    assert called(stage) == ["21 09:00"]


@pytest.mark.thorough
def test_a_moved_occurrence_moves_on_when_its_new_day_is_closed_meanwhile(stage: Stage) -> None:
    closed_days(stage, TODAY)
    stage.save(schedule="0 9 20 * *", **NEXT_DAY)
    run_until(stage, at("09:30"))
    closed_days(stage, TODAY, TODAY + ONE_DAY, TODAY + 2 * ONE_DAY)
    run_until(stage, at("09:30") + 4 * ONE_DAY)
    assert called(stage) == ["23 09:00"]


@pytest.mark.parametrize("catch_up", list(CatchUp))
def test_after_an_outage_over_a_blocked_range_every_minute_is_accounted_for(stage: Stage, catch_up: CatchUp) -> None:
    close(stage, (at("09:30"), at("10:00")), (at("11:00"), at("12:30")))
    stage.save(calendars=("closed",), catch_up=catch_up, catchup_window=timedelta(hours=2))
    run_until(stage, at("09:20"))
    run_until(stage.at("12:20"), at("13:00"))
    accounted(stage, at("08:59"), at("12:59"))
    policies = {policy for *_, policy in recorded(stage)}
    assert f"catch_up={catch_up.value}" in policies
    assert "calendar=closed" in policies


def test_a_blocked_range_before_misfired_occurrences_is_recorded_as_blocked(stage: Stage) -> None:
    close(stage, (at("09:01"), at("10:00")))
    stage.save(calendars=("closed",), catch_up=CatchUp.SKIP)
    run_until(stage.at("11:00"), at("11:05"))
    assert recorded(stage)[0] == ("20 09:01:00", "20 10:00:00", "calendar=closed")
    assert recorded(stage)[1] == ("20 10:00:00", "20 10:55:00", "catch_up=skip")


def test_a_job_of_every_second_passes_a_long_block_tick_by_tick(stage: Stage) -> None:
    close(stage, (at("09:00"), at("17:00")))
    stage.save(schedule="* * * * * *", calendars=("closed",))
    for _ in range(30):
        stage.tick()
        stage.now += MINUTE
    [*earlier, last] = stage.state.skipped
    assert all(one.until == other.first for one, other in zip(earlier, [*earlier[1:], last], strict=True))
    assert last.until == stage.now - MINUTE + stage.ports.look_ahead + SECOND


def test_a_job_that_its_calendars_block_for_ever_is_refused(stage: Stage) -> None:
    close(stage, weekly=(Weekly(0b1111111, 9 * 3600, 10 * 3600),))
    with pytest.raises(Invalid, match="the calendar blocks every occurrence of the schedule"):
        stage.save(schedule="30 9 * * *", calendars=("closed",))


@pytest.mark.parametrize(
    ("schedule", "fine"),
    [
        ("*/15 * * * *", True),
        ("* 9 * * *", True),
        ("*/14 * * * *", False),
        ("* 9,17 * * SAT", False),
        ("* * * * * *", False),
    ],
)
def test_only_a_job_of_few_occurrences_a_day_may_have_them_moved(stage: Stage, schedule: str, fine: bool) -> None:
    close(stage)
    if fine:
        stage.save(schedule=schedule, **NEXT_DAY)
        return
    with pytest.raises(Invalid, match="more than 96 occurrences within 24 hours from 2026-11-2") as refused:
        stage.save(schedule=schedule, **NEXT_DAY)
    assert [problem.path for problem in refused.value.problems] == ["on_blocked"]


def test_a_job_may_name_only_calendars_that_exist(stage: Stage) -> None:
    with pytest.raises(Invalid, match="there is no calendar shop/closed"):
        stage.save(calendars=("closed",))


def test_a_paused_job_records_nothing_and_continues_under_its_calendar(stage: Stage) -> None:
    close(stage, (at("09:05"), at("09:10")))
    stage.save(calendars=("closed",))
    manage.pause(stage.ports, KEY, who="bob")
    stage.at("09:06:30")
    manage.resume(stage.ports, KEY, who="bob")
    run_until(stage, at("09:15"))
    assert called(stage) == [f"20 09:{m}" for m in range(10, 15)]
    accounted(stage, at("09:07"), at("09:14"))


def test_two_ticks_and_an_edit_of_the_calendar_between_them_agree_on_each_minute(stage: Stage) -> None:
    close(stage, (at("09:02"), at("09:05")))
    stage.save(calendars=("closed",))
    stage.at("09:00:30")
    stage.timers.before("skip", lambda: close(stage, (at("09:03"), at("09:05"))), stage.tick)
    stage.tick()
    run_until(stage, at("09:20"))
    accounted(stage, at("08:59"), at("09:19"))
    assert {run.state for run in stage.state.runs.values() if run.scheduled_for < at("09:19")} == {RunState.SUCCEEDED}


def test_a_whole_week_that_is_closed_by_the_hour_is_passed(stage: Stage) -> None:
    close(stage, weekly=(Weekly(0b1111111, 0, 12 * 3600), Weekly(0b0111110, 12 * 3600, DAY)))
    stage.save(schedule="0 * * * *", calendars=("closed",))
    run_until(stage, at("16:00") + ONE_DAY, 30 * MINUTE)
    assert called(stage) == ["21 12:00", "21 13:00", "21 14:00", "21 15:00"]


def test_limits_and_calendars_count_only_what_runs(stage: Stage) -> None:
    close(stage, (at("09:00"), at("09:10")))
    stage.save(calendars=("closed",), max_runs=3)
    run_until(stage, at("09:30"))
    assert called(stage) == ["20 08:59", "20 09:10", "20 09:11"]
    assert stage.next_at() is None


def test_a_stale_timer_does_nothing_to_one_that_has_passed_its_block(stage: Stage) -> None:
    close(stage, (at("09:02"), at("09:05")))
    stage.save(calendars=("closed",))
    stage.at("09:00:30").tick()
    stale = replace(stage.state.timers[KEY], next_at=at("09:02"))
    stage.at("09:04").tick()
    stood, ranges = stage.next_at(), len(stage.state.skipped)
    stage.dispatch(stale)
    assert (stage.next_at(), len(stage.state.skipped)) == (stood, ranges)


def test_an_occurrence_that_has_run_is_not_moved_when_its_day_is_blocked_afterwards(stage: Stage) -> None:
    closed_days(stage)
    stage.save(schedule="0 9,18 20 * *", **NEXT_DAY)
    run_until(stage, at("15:00"), 5 * MINUTE)
    closed_days(stage, TODAY)
    run_until(stage, at("19:00") + ONE_DAY, 5 * MINUTE)
    assert called(stage) == ["20 09:00", "21 18:00"]


@pytest.mark.thorough
def test_a_calendar_that_opens_and_closes_many_times_a_minute_does_not_hold_its_jobs_up(stage: Stage) -> None:
    blocks = [(at("08:59") + n * 10 * SECOND, at("08:59") + (n * 10 + 5) * SECOND) for n in range(200)]
    close(stage, *blocks)
    stage.save(schedule="* * * * * *", calendars=("closed",), catch_up=CatchUp.ALL)
    run_until(stage, at("09:25"))
    assert not [r for r in stage.state.runs.values() if r.started_at and r.started_at - r.scheduled_for > 2 * MINUTE]


def test_a_new_job_is_not_moved_what_was_due_before_it_was_saved(stage: Stage) -> None:
    closed_days(stage, TODAY)
    stage.now = at("15:00")
    stage.save(schedule="0 9 20,25 * *", **NEXT_DAY)
    assert stage.next_at() == at("09:00") + 5 * ONE_DAY
    stage.save(schedule="0 9 20,25 * *", description="the same instants", **NEXT_DAY)
    assert stage.next_at() == at("09:00") + 5 * ONE_DAY


def test_a_waiting_occurrence_keeps_waiting_when_the_job_is_saved_with_the_same_instants(stage: Stage) -> None:
    closed_days(stage, TODAY)
    stage.save(schedule="0 9,20 20 * *", **NEXT_DAY)
    run_until(stage, at("15:00"), 5 * MINUTE)
    stage.save(schedule="0 9,20 20 * *", description="said better", **NEXT_DAY)
    run_until(stage, at("21:00") + ONE_DAY, 5 * MINUTE)
    assert called(stage) == ["21 09:00", "21 20:00"]
