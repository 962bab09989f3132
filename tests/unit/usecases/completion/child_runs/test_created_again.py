"""A child job that is deleted and created again within a window."""

from __future__ import annotations

from datetime import timedelta

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Dependency, On
from minutehand.domain.run import RunState, SkipReason
from minutehand.usecases.definitions import manage
from minutehand.usecases.operations.trigger import trigger
from tests.unit.domain.examples import KEY, MINUTE, job
from tests.unit.usecases.stage import Stage

PARENT = JobKey("shop", "extract")
DAY = timedelta(days=1)


@pytest.fixture
def stage() -> Stage:
    stage = Stage("09:00:30")
    stage.save(job("@manual", key=PARENT))
    make(stage)
    return stage


def make(stage: Stage) -> None:
    stage.save(job("@manual", depends_on=(Dependency(PARENT, On.SUCCESS),), join_window=DAY))


def make_again(stage: Stage) -> None:
    stage.now += MINUTE
    manage.delete(stage.ports, KEY, who=Actor("ada"))
    stage.now += MINUTE
    make(stage)


def parent_succeeds(stage: Stage) -> None:
    stage.now += MINUTE
    trigger(stage.ports, PARENT, idempotency_key=f"{stage.now}", who=Actor("ada"))
    stage.work()


def states(stage: Stage) -> list[RunState]:
    """The states of the child's runs, in the order of their creation."""
    return [run.state for key, run in stage.state.runs.items() if key.job == KEY]


def test_it_has_a_run_of_its_own_in_a_window_in_which_its_predecessor_ran(stage: Stage) -> None:
    parent_succeeds(stage)
    stage.work()
    make_again(stage)
    assert states(stage) == [RunState.SUCCEEDED]
    for _ in range(2):
        parent_succeeds(stage)
        stage.work()
    assert states(stage) == [RunState.SUCCEEDED] * 2, "one for each of the two jobs"


def test_a_waiting_run_of_its_predecessor_is_skipped_and_takes_no_window_from_it(stage: Stage) -> None:
    parent_succeeds(stage)
    make_again(stage)
    parent_succeeds(stage)
    stage.work()
    assert states(stage) == [RunState.SKIPPED, RunState.SUCCEEDED]
    assert next(run for key, run in stage.state.runs.items() if key.job == KEY).skip_reason is SkipReason.DELETED


def test_it_keeps_its_window_when_it_is_edited_long_after(stage: Stage) -> None:
    """Only the definition still records the deletion."""
    make_again(stage)
    parent_succeeds(stage)
    stage.work()
    for days in (2, 2):
        stage.now += days * DAY
        stage.save(
            job("@manual", depends_on=(Dependency(PARENT, On.SUCCESS),), join_window=31 * DAY, owner=f"{stage.now}")
        )
        parent_succeeds(stage)
        stage.work()
    assert states(stage) == [RunState.SUCCEEDED] * 2, "one of the day, and one of the 31 days"
