"""Blocked occurrences that move to the next open day."""

from __future__ import annotations

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.errors import Invalid
from minutehand.usecases.definitions import calendars
from tests.unit.domain.examples import DAY as TODAY
from tests.unit.domain.examples import MINUTE, at
from tests.unit.usecases.dispatching.calendars.closing import (
    CLOSED,
    NEXT_DAY,
    ONE_DAY,
    called,
    close,
    closed_days,
    recorded,
    run_until,
)
from tests.unit.usecases.stage import Stage


def test_a_moved_occurrence_that_was_dispatched_survives_edits_that_drop_its_calendar(stage: Stage) -> None:
    closed_days(stage, TODAY - ONE_DAY)
    stage.now = at("08:59") - ONE_DAY
    stage.save(schedule="0 9 19 * *", **NEXT_DAY)
    run_until(stage, at("08:59"), 10 * MINUTE)
    stage.tick()
    assert stage.claimed() == ["09:00:00"]
    stage.save(schedule="0 9 18-19 * *", **NEXT_DAY)
    stage.at("09:00:10").save(schedule="0 9 25 * *")
    calendars.delete(stage.ports, CLOSED, who=Actor("ada"))
    handled = stage.at("09:00:20").work()
    assert {each.problem for each in handled} == {""}
    assert stage.run("09:00").state.finished


@pytest.mark.thorough
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


def test_an_occurrence_that_has_run_is_not_moved_when_its_day_is_blocked_afterwards(stage: Stage) -> None:
    closed_days(stage)
    stage.save(schedule="0 9,18 20 * *", **NEXT_DAY)
    run_until(stage, at("15:00"), 5 * MINUTE)
    closed_days(stage, TODAY)
    run_until(stage, at("19:00") + ONE_DAY, 5 * MINUTE)
    assert called(stage) == ["20 09:00", "21 18:00"]


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
