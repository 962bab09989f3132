"""Overlap of triggered runs, of revisions and of other jobs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.policies import Overlap
from minutehand.domain.run import RunState
from minutehand.domain.run_key import RunKey
from minutehand.usecases.operations.trigger import trigger
from tests.unit.domain.examples import KEY, at, job
from tests.unit.usecases.running.overlap.later import ALONE, HOUR, QUEUED, SKIPPED, WAITING, Later, held_by_nine


def triggered(stage: Later, **options: bool) -> RunKey:
    key = trigger(stage.ports, KEY, idempotency_key="k", who=Actor("ada"), **options).run.key
    stage.work(stage.takes_on)
    return key


@pytest.mark.parametrize(
    ("overlap", "state"),
    [(Overlap.ALLOW, WAITING), (Overlap.SKIP, SKIPPED), (Overlap.QUEUE_ALL, QUEUED), (Overlap.REPLACE, WAITING)],
)
def test_a_triggered_run_obeys_the_overlap_policy(overlap: Overlap, state: RunState) -> None:
    stage = Later(overlap)
    stage.pass_to("09:00")
    stage.at("09:00:30")
    key = triggered(stage)
    stage.work(stage.takes_on)
    assert stage.state.runs[key].state is state


@pytest.mark.parametrize("overlap", ALONE)
def test_a_run_triggered_beside_others_starts_without_the_lock(overlap: Overlap) -> None:
    stage = Later(overlap)
    stage.pass_to("09:00")
    lock = stage.lock
    key = triggered(stage.at("09:00:30"), ignore_overlap=True)
    assert stage.state.runs[key].state is WAITING
    assert stage.there("09:00").state is WAITING
    assert stage.lock == lock


def test_a_triggered_run_blocks_a_scheduled_one() -> None:
    stage = Later(Overlap.SKIP, schedule="@manual")
    stage.at("08:59:30")
    key = triggered(stage)
    stage.save(overlap=Overlap.SKIP, timeout=HOUR)
    stage.pass_to("09:00")
    assert stage.there("09:00").blocked_by == key.run_id


def test_the_policy_of_the_newest_revision_counts() -> None:
    stage = Later(Overlap.ALLOW)
    stage.pass_to("09:00")
    stage.at("09:00:30").save(overlap=Overlap.SKIP, timeout=HOUR)
    stage.pass_to("09:01")
    assert stage.there("09:01").state is WAITING, "who began without the lock holds none"
    stage.pass_to("09:02")
    assert stage.there("09:02").blocked_by == stage.there("09:01").key.run_id


def test_runs_of_another_job_do_not_count() -> None:
    stage = held_by_nine(Overlap.SKIP)
    other = replace(job(overlap=Overlap.SKIP), key=KEY._replace(name="stock"))
    stage.save(other)
    stage.pass_to("09:02")
    assert stage.state.runs[RunKey.scheduled(other.key, at("09:02"))].state is WAITING
    assert stage.there("09:02").state is SKIPPED
