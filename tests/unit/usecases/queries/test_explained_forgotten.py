"""Explanations of occurrences whose records have expired: runs are kept by age and number, skipped ranges for 30 days."""

from __future__ import annotations

from dataclasses import replace

from minutehand.domain.actor import Actor
from minutehand.domain.findings import Kind
from minutehand.usecases.definitions import manage
from minutehand.usecases.operations import backfill
from minutehand.usecases.operations.backfill import BackfillSpec
from minutehand.usecases.operations.trigger import trigger
from tests.unit.domain.examples import KEY, at
from tests.unit.usecases.queries.explaining import A_DAY, HOURLY, instant, live
from tests.unit.usecases.stage import Stage


def drop(stage: Stage, until: str = "23:59") -> None:
    """Take the runs before an instant away, as a store does once they are kept no longer."""
    for key in [key for key in stage.state.runs if key.scheduled_for < at(until)]:
        del stage.state.runs[key]


def leap(stage: Stage, days: int) -> None:
    """Let days go by in which the schedule names nothing."""
    stage.now += days * A_DAY
    stage.state.timers[KEY] = replace(stage.state.timers[KEY], next_at=stage.now)


def test_occurrences_older_than_the_retention_are_forgotten(stage: Stage) -> None:
    stage.save(schedule=HOURLY, retention=A_DAY)
    leap(stage, 3)
    assert instant(stage, "12:00").kind is Kind.FORGOTTEN


def test_occurrences_older_than_the_retention_count_are_forgotten(stage: Stage) -> None:
    stage.save(retention_count=2)
    live(stage, "09:10")
    drop(stage, "09:06")
    leap(stage, 2)
    assert instant(stage, "09:03").kind is Kind.FORGOTTEN
    assert instant(stage, "09:06").kind is Kind.RAN
    del stage.state.runs[next(key for key in stage.state.runs if key.scheduled_for == at("09:08"))]
    assert instant(stage, "09:08").kind is Kind.MISSED


def test_the_runs_of_a_backfill_do_not_prove_that_later_records_are_kept(stage: Stage) -> None:
    stage.save(retention_count=2)
    live(stage, "09:10")
    drop(stage, "09:06")
    leap(stage, 2)
    backfill.start(stage.ports, KEY, BackfillSpec(at("08:00"), at("08:01")), identity="abc", who=Actor("ada"))
    assert instant(stage, "09:03").kind is Kind.FORGOTTEN


def test_with_only_triggered_runs_kept_the_rest_is_forgotten(stage: Stage) -> None:
    stage.save(retention_count=2)
    live(stage, "09:10")
    drop(stage)
    leap(stage, 2)
    trigger(stage.ports, KEY, idempotency_key="k", who=Actor("ada"))
    assert instant(stage, "09:09").kind is Kind.FORGOTTEN


def test_of_the_last_day_nothing_is_forgotten(stage: Stage) -> None:
    stage.save(retention_count=2)
    live(stage, "09:10")
    drop(stage, "09:06")
    assert instant(stage, "09:03").kind is Kind.MISSED


def test_runs_expired_before_a_longer_retention_stay_forgotten(stage: Stage) -> None:
    stage.save(schedule=HOURLY, retention=A_DAY)
    live(stage, "10:10")
    drop(stage)
    leap(stage, 3)
    stage.save(schedule=HOURLY, retention=30 * A_DAY)
    assert instant(stage, "10:00").kind is Kind.FORGOTTEN


def test_a_longer_retention_does_not_count_for_runs_claimed_before(stage: Stage) -> None:
    stage.save(schedule=HOURLY, retention=A_DAY)
    live(stage, "10:00")
    stage.save(schedule=HOURLY, retention=30 * A_DAY)
    drop(stage)
    leap(stage, 3)
    assert instant(stage, "10:00").kind is Kind.FORGOTTEN
    assert instant(stage, "12:00").kind is Kind.MISSED


def test_the_shorter_retention_of_a_deleted_job_counts_for_its_runs(stage: Stage) -> None:
    stage.save(schedule=HOURLY, retention=A_DAY)
    live(stage, "10:10")
    drop(stage)
    manage.delete(stage.ports, KEY, who=Actor("bob"))
    stage.now += 3 * A_DAY
    stage.save(schedule=HOURLY)
    assert instant(stage, "10:00").kind is Kind.FORGOTTEN


def test_occurrences_older_than_skipped_ranges_are_kept_are_forgotten(stage: Stage) -> None:
    stage.save(schedule=HOURLY, retention=3650 * A_DAY)
    leap(stage, 40)
    assert instant(stage, "12:00").kind is Kind.FORGOTTEN
    leap(stage, -15)
    assert instant(stage, "12:00").kind is Kind.MISSED
