"""Explanations of one instant: its run, the future, the schedule, calendars, and related runs."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.calendar import DateRange, Weekly
from minutehand.domain.errors import NotFound
from minutehand.domain.findings import Kind
from minutehand.domain.policies import CatchUp, OnBlocked
from minutehand.usecases.operations.trigger import trigger
from minutehand.usecases.queries.explain import explain_instant, explain_range
from tests.unit.domain.examples import DAY, KEY, MINUTE, at
from tests.unit.usecases.queries.explaining import A_DAY, HOURLY, blocked_range, calendar, instant, kinds, live
from tests.unit.usecases.stage import Stage


def test_a_job_that_never_was_is_not_found(stage: Stage) -> None:
    with pytest.raises(NotFound, match="never was one"):
        explain_instant(stage.ports, KEY, stage.now)
    with pytest.raises(NotFound):
        explain_range(stage.ports, KEY, stage.now, stage.now)


def test_a_run_that_has_ended_is_shown_with_its_record(stage: Stage) -> None:
    stage.save()
    live(stage, "09:03")
    finding = instant(stage, "09:02")
    assert (finding.kind, finding.run) == (Kind.RAN, stage.run("09:02"))


def test_an_instant_with_a_fraction_is_its_whole_second(stage: Stage) -> None:
    stage.save()
    live(stage, "09:03")
    assert instant(stage, "09:02:00.900").kind is Kind.RAN


def test_a_run_that_has_not_ended_is_active(stage: Stage) -> None:
    stage.save()
    finding = instant(stage, "09:02")
    assert (finding.kind, finding.run) == (Kind.UNDER_WAY, stage.run("09:02"))


def test_a_future_occurrence_is_not_yet_due(stage: Stage) -> None:
    stage.save()
    assert instant(stage, "11:30").kind is Kind.NOT_YET


def test_an_instant_that_is_not_named_is_explained_with_the_nearest_named_ones(stage: Stage) -> None:
    stage.save(schedule=HOURLY)
    finding = instant(stage, "10:20")
    assert (finding.kind, finding.before, finding.after) == (Kind.NOT_NAMED, at("10:00"), at("11:00"))


def test_the_nearest_of_a_schedule_at_its_end_are_none_after(stage: Stage) -> None:
    stage.save(schedule="at(2026-11-20T10:00:00)")
    assert (instant(stage, "10:01").before, instant(stage, "10:01").after) == (at("10:00"), None)
    assert (instant(stage, "09:59").before, instant(stage, "09:59").after) == (None, at("10:00"))


def test_a_blocked_occurrence_is_explained_by_its_record_and_before_that_by_the_calendar(stage: Stage) -> None:
    calendar(stage, dates=(DateRange(DAY, DAY),))
    stage.save(schedule=HOURLY, calendars=("closed",))
    assert (instant(stage, "12:00").kind, instant(stage, "12:00").calendar) == (Kind.BLOCKED, "closed")
    stage.at("11:58:30").tick()
    assert (instant(stage, "12:00").kind, str(instant(stage, "12:00").policy)) == (Kind.PASSED_OVER, "calendar=closed")


def test_a_moved_occurrence_is_explained_with_its_new_instant(stage: Stage) -> None:
    calendar(stage, dates=(DateRange(DAY, DAY),))
    stage.save(schedule="0 12 * * FRI", calendars=("closed",), on_blocked=OnBlocked.NEXT_DAY)
    finding = instant(stage, "12:00")
    assert (finding.kind, finding.moved_to) == (Kind.BLOCKED, at("12:00") + A_DAY)
    [moved] = explain_instant(stage.ports, KEY, at("12:00") + A_DAY).findings
    assert moved.kind is Kind.NOT_YET


def test_a_deleted_calendar_no_longer_blocks_anything(stage: Stage) -> None:
    calendar(stage, weekly=(Weekly(0b1111111, 0, 3600),))
    stage.save(schedule=HOURLY, calendars=("closed",))
    stage.at("09:10:00").save(schedule=HOURLY)
    stage.state.calendars.clear()
    assert instant(stage, "09:05").kind is Kind.NOT_NAMED
    assert instant(stage, "12:00").kind is Kind.NOT_YET


def test_a_manual_job_names_nothing_and_its_runs_speak_for_themselves(stage: Stage) -> None:
    stage.save(schedule="@manual")
    assert instant(stage, "12:00").kind is Kind.NOT_NAMED
    stage.at("10:00:00")
    trigger(stage.ports, KEY, idempotency_key="k", who=Actor("ada"))
    assert [kind for kind, *_ in kinds(blocked_range(stage, "09:59", "10:01"))] == ["under_way"]


def test_a_fixed_delay_names_its_outstanding_run_and_then_waits_for_its_end(stage: Stage) -> None:
    stage.save(schedule="@after 10m")
    assert kinds(blocked_range(stage, "09:01", "10:00")) == [
        ("under_way" if stage.run("09:10:30") else "not_yet_due", "09:10:30", "09:10:30", 1)
    ]
    finding = instant(stage, "11:00")
    assert (finding.kind, finding.before, finding.after) == (Kind.NOT_NAMED, at("09:10:30"), None)
    assert instant(stage, "09:05").before is None


def test_a_fixed_delay_is_late_and_never_passed_over(stage: Stage) -> None:
    stage.save(schedule="@after 10m", misfire_grace=MINUTE, catch_up=CatchUp.SKIP)
    stage.at("11:00:00").tick()
    assert instant(stage, "09:10:30").kind is Kind.UNDER_WAY


def test_triggered_runs_are_explained_among_the_others_and_near_an_instant(stage: Stage) -> None:
    stage.save(schedule=HOURLY)
    stage.at("10:05:00")
    triggered = trigger(stage.ports, KEY, idempotency_key="k", who=Actor("ada")).run
    found = explain_instant(stage.ports, KEY, at("10:10"))
    assert [finding.kind for finding in found.findings] == [Kind.NOT_NAMED]
    assert [finding.run for finding in found.beside] == [triggered]
    assert explain_instant(stage.ports, KEY, at("10:30")).beside == []
    assert [kind for kind, *_ in kinds(blocked_range(stage, "10:01", "10:10"))] == ["not_named", "under_way"]


def test_a_run_that_was_active_at_an_instant_is_listed_beside_it(stage: Stage) -> None:
    stage.save()
    live(stage, "09:03")
    run = stage.run("09:02")
    assert run is not None
    stage.state.runs[run.key] = replace(run, finished_at=at("09:02:50"))
    found = explain_instant(stage.ports, KEY, at("09:02:20"))
    assert [finding.kind for finding in found.findings] == [Kind.NOT_NAMED]
    assert [finding.run for finding in found.beside] == [stage.run("09:02")]


def test_a_leap_day_far_ahead_is_not_yet_due(stage: Stage) -> None:
    stage.save(schedule="0 12 29 2 *")
    noon = at("12:00").combine(date(2028, 2, 29), at("12:00").timetz())
    [finding] = explain_instant(stage.ports, KEY, noon).findings
    assert finding.kind is Kind.NOT_YET
