"""Calendars apply as they are stored when an occurrence is dispatched."""

from __future__ import annotations

import pytest

from minutehand.domain.calendar import Weekly
from minutehand.domain.errors import Invalid, Unavailable
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import SkipReason
from tests.unit.domain.examples import DAY as TODAY
from tests.unit.domain.examples import at, job
from tests.unit.usecases.dispatching.calendars.closing import (
    CLOSED,
    NEXT_DAY,
    ONE_DAY,
    accounted,
    called,
    close,
    closed_days,
    recorded,
    run_until,
)
from tests.unit.usecases.stage import Stage


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


def test_a_job_that_its_calendars_block_for_ever_is_refused(stage: Stage) -> None:
    close(stage, weekly=(Weekly(0b1111111, 9 * 3600, 10 * 3600),))
    with pytest.raises(Invalid, match="the calendar blocks every occurrence of the schedule"):
        stage.save(schedule="30 9 * * *", calendars=("closed",))


def test_a_job_may_name_only_calendars_that_exist(stage: Stage) -> None:
    with pytest.raises(Invalid, match="there is no calendar shop/closed"):
        stage.save(calendars=("closed",))
