"""Blocked ranges are recorded, and every other occurrence runs."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.calendar import DAY, Weekly
from minutehand.domain.policies import CatchUp
from minutehand.domain.run import RunState
from minutehand.usecases.definitions import manage
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at
from tests.unit.usecases.dispatching.calendars.closing import ONE_DAY, accounted, called, close, recorded, run_until
from tests.unit.usecases.stage import Stage


def test_blocked_occurrences_do_not_run_and_each_range_is_recorded(stage: Stage) -> None:
    close(stage, (at("09:02"), at("09:05")), (at("09:08"), at("09:20")))
    stage.save(calendars=("closed",))
    run_until(stage, at("09:30"))
    assert called(stage) == [f"20 08:{m}" for m in (59,)] + [
        f"20 09:{m:02}" for m in (0, 1, 5, 6, 7, *range(20, 30)) if m < 30
    ]
    assert {policy for *_, policy in recorded(stage)} == {"calendar=closed"}
    accounted(stage, at("08:59"), at("09:29"))


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


def test_a_paused_job_records_nothing_and_continues_under_its_calendar(stage: Stage) -> None:
    close(stage, (at("09:05"), at("09:10")))
    stage.save(calendars=("closed",))
    manage.pause(stage.ports, KEY, who=Actor("bob"))
    stage.at("09:06:30")
    manage.resume(stage.ports, KEY, who=Actor("bob"))
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
    before, ranges = stage.next_at(), len(stage.state.skipped)
    stage.dispatch(stale)
    assert (stage.next_at(), len(stage.state.skipped)) == (before, ranges)


@pytest.mark.thorough
def test_a_calendar_that_opens_and_closes_many_times_a_minute_does_not_hold_its_jobs_up(stage: Stage) -> None:
    blocks = [(at("08:59") + n * 10 * SECOND, at("08:59") + (n * 10 + 5) * SECOND) for n in range(200)]
    close(stage, *blocks)
    stage.save(schedule="* * * * * *", calendars=("closed",), catch_up=CatchUp.ALL)
    run_until(stage, at("09:25"))
    assert not [r for r in stage.state.runs.values() if r.started_at and r.started_at - r.scheduled_for > 2 * MINUTE]
