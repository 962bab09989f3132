"""Windows, joined schedules, one-shots and manual jobs: which instants they name."""

from __future__ import annotations

from datetime import timedelta

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.errors import Invalid
from minutehand.usecases.definitions import manage
from minutehand.usecases.operations.trigger import trigger
from tests.unit.domain.examples import KEY, MINUTE, at
from tests.unit.usecases.stage import Stage


@pytest.fixture
def stage() -> Stage:
    return Stage("08:58:30")


def run_until(stage: Stage, end: str) -> list[str]:
    while stage.now < at(end):
        stage.tick()
        stage.work()
        stage.now += MINUTE
    return sorted(f"{key.scheduled_for:%H:%M}" for key, _ in stage.called)


def test_both_ends_of_a_window_belong_to_it(stage: Stage) -> None:
    stage.save(start_at=at("09:02"), end_at=at("09:04"))
    assert stage.next_at() == at("09:02")
    assert run_until(stage, "09:20") == ["09:02", "09:03", "09:04"]
    assert stage.next_at() is None


def test_a_rate_counts_from_the_start_of_its_window(stage: Stage) -> None:
    stage.save(schedule="@every 7m", start_at=at("09:02"))
    assert run_until(stage, "09:20") == ["09:02", "09:09", "09:16"]


def test_a_later_end_lets_a_finished_job_continue(stage: Stage) -> None:
    stage.save(end_at=at("09:01"))
    run_until(stage, "09:10")
    stage.save(end_at=at("09:14"))
    assert run_until(stage, "09:20") == ["08:59", "09:00", "09:01", "09:11", "09:12", "09:13", "09:14"]


def test_an_earlier_end_within_the_look_ahead_stops_what_was_dispatched(stage: Stage) -> None:
    stage.save()
    stage.save(end_at=at("08:59"))
    assert stage.next_at() is None
    assert run_until(stage, "09:20") == ["08:59"]


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"schedule": "at(2026-11-20T08:00:00)"}, "schedule"),
        ({"end_at": at("08:00")}, "end_at"),
        ({"schedule": "0 12 * * *", "start_at": at("09:00"), "end_at": at("11:00")}, "end_at"),
    ],
)
def test_a_schedule_without_a_future_instant_is_refused(stage: Stage, fields: dict[str, object], path: str) -> None:
    with pytest.raises(Invalid) as refused:
        stage.save(**fields)
    assert [problem.path for problem in refused.value.problems] == [path]


def test_a_single_time_runs_once_then_rests_and_may_be_saved_again(stage: Stage) -> None:
    once = "at(2026-11-20T09:05:00)"
    stage.save(schedule=once)
    assert run_until(stage, "09:04") == []
    stage.save(schedule=once, description="inside the look-ahead")
    assert run_until(stage, "09:10") == ["09:05"]
    assert not manage.save(stage.ports, stage.state.definitions[KEY].job, keep_paused=False, who=Actor("ada")).changed
    stage.save(schedule=once, description="another")
    assert run_until(stage, "09:20") == ["09:05"]
    with pytest.raises(Invalid, match="has no occurrence after"):
        stage.save(schedule="at(2026-11-20T09:06:00)")


def test_joined_schedules_run_once_where_they_agree(stage: Stage) -> None:
    stage.save(schedule=("*/2 9 * * *", "*/3 9 * * *"))
    assert run_until(stage, "09:10") == ["09:00", "09:02", "09:03", "09:04", "09:06", "09:08", "09:09"]


def test_each_of_joined_schedules_has_its_own_zone(stage: Stage) -> None:
    stage.save(schedule=("CRON_TZ=Europe/Paris 5 10 * * *", "CRON_TZ=Asia/Kolkata 33 14 * * *"))
    assert run_until(stage, "09:20") == ["09:03", "09:05"]


def test_a_manual_job_has_no_next_instant_and_runs_when_triggered(stage: Stage) -> None:
    stage.save(schedule="@manual", max_runs=1)
    assert stage.next_at() is None
    for key in ("one", "two"):
        assert trigger(stage.ports, KEY, idempotency_key=key, who=Actor("ada")).created
    stage.now += timedelta(seconds=1)
    stage.work()
    assert len(stage.called) == 2
    stage.save(schedule="@manual", max_runs=1, description="another")
    manage.pause(stage.ports, KEY, who=Actor("bob"))
    manage.resume(stage.ports, KEY, who=Actor("bob"))
    assert stage.next_at() is None


def test_a_manual_job_that_gets_a_schedule_runs_by_it(stage: Stage) -> None:
    stage.save(schedule="@manual")
    stage.save()
    assert run_until(stage, "09:01")[:2] == ["08:59", "09:00"]
