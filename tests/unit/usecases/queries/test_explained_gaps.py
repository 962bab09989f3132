"""Explanations of occurrences without a run."""

from __future__ import annotations

from minutehand.domain.findings import Kind
from minutehand.domain.policies import CatchUp
from minutehand.domain.timer import BrokenTimer, Ticks
from tests.unit.domain.examples import KEY, MINUTE, at
from tests.unit.usecases.queries.explaining import HOURLY, blocked_range, instant, kinds, live
from tests.unit.usecases.stage import Stage


def test_a_missed_occurrence_is_explained_with_the_policy_and_the_ticks_around(stage: Stage) -> None:
    stage.save(misfire_grace=MINUTE, catch_up=CatchUp.SKIP)
    stage.tick()
    stage.at("09:20:10").tick()
    finding = instant(stage, "09:10")
    assert (finding.kind, str(finding.policy)) == (Kind.PASSED_OVER, "catch_up=skip")
    assert finding.ticks == Ticks(at("09:00"), at("09:20"))


def test_an_occurrence_due_without_ticks_is_overdue(stage: Stage) -> None:
    stage.save()
    stage.tick()
    stage.at("09:20:10")
    finding = instant(stage, "09:10")
    assert (finding.kind, finding.ticks) == (Kind.OVERDUE, Ticks(at("09:00"), None))


def test_an_overdue_occurrence_shows_that_its_timer_is_unreadable(stage: Stage) -> None:
    stage.save()
    stage.state.timers[KEY] = BrokenTimer(job=KEY, revision=1, next_at=at("09:03"), problem="no target")
    stage.at("09:20:10")
    assert instant(stage, "09:10").problem == "no target"


def test_an_occurrence_without_run_or_range_is_missed(stage: Stage) -> None:
    stage.save()
    live(stage, "09:10")
    del stage.state.runs[next(key for key in stage.state.runs if key.scheduled_for == at("09:05"))]
    finding = instant(stage, "09:05")
    assert (finding.kind, finding.ticks) == (Kind.MISSED, Ticks(at("09:05"), at("09:06")))


def test_outside_its_window_a_job_names_nothing(stage: Stage) -> None:
    stage.save(schedule=HOURLY, start_at=at("11:00"), end_at=at("13:00"))
    assert kinds(blocked_range(stage, "10:00", "14:00")) == [
        ("outside_window", "10:00:00", "10:59:59", None),
        ("not_yet_due", "11:00:00", "13:00:00", 3),
        ("outside_window", "13:00:01", "14:00:00", None),
    ]


def test_after_the_last_of_its_runs_a_job_has_used_them_up(stage: Stage) -> None:
    stage.save(schedule=HOURLY, max_runs=2)
    assert kinds(blocked_range(stage, "10:00", "13:00")) == [
        ("not_yet_due", "10:00:00", "11:00:00", 2),
        ("used_up", "12:00:00", "13:00:00", 2),
    ]
    stage.now = at("09:58:30")
    live(stage, "11:02")
    assert [kind for kind, *_ in kinds(blocked_range(stage, "10:00", "13:00"))] == ["ran", "used_up"]
