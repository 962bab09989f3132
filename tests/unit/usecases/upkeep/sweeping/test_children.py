"""The sweep and runs that ended without starting the runs of their children: a worker died, and then its message was lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.policies import Dependency, On
from minutehand.domain.run import RunState
from minutehand.usecases.completion.cancel import cancel
from minutehand.usecases.operations.trigger import trigger
from minutehand.usecases.ports.target import Outcome
from tests.unit.domain.examples import MINUTE, SECOND, job
from tests.unit.usecases.completion.child_runs.family import EXTRACT, LOAD, REPORT, depends, of, started
from tests.unit.usecases.stage import SUCCESS, Stage
from tests.unit.usecases.upkeep.sweeping.sweeps import sweeps, swept


class Killed(BaseException):
    """The end of a process."""


@pytest.fixture
def stage(stage: Stage) -> Stage:
    for parent in (EXTRACT, LOAD):
        stage.save(job("@manual", key=parent))
    depends(stage, REPORT, Dependency(EXTRACT, On.END))
    swept(stage)
    return stage


def is_killed_after_the_end(stage: Stage, outcome: Outcome = SUCCESS) -> None:
    """A worker ends a parent's run and dies; then the queue is purged."""
    trigger(stage.ports, EXTRACT, idempotency_key="k", who=Actor("ada"))
    stage.runs.fails("claim", error=Killed())
    with pytest.raises(Killed):
        stage.work(lambda _call: outcome)
    assert of(stage, EXTRACT)[0].state.finished
    stage.state.messages.clear()
    stage.state.deadlines.clear()


@pytest.mark.parametrize("state", [RunState.SUCCEEDED, RunState.FAILED])
def test_children_that_an_ended_run_did_not_start_are_started_within_two_minutes(stage: Stage, state: RunState) -> None:
    is_killed_after_the_end(stage, Outcome(state=state))
    sweeps(stage, until=stage.now + 2 * MINUTE)
    stage.work()
    stage.work()
    [child] = of(stage, REPORT)
    assert child.state is RunState.SUCCEEDED
    assert not sweeps(stage, until=stage.now + 10 * MINUTE), "the sweep leaves it alone from then on"


def test_a_cancelled_parents_children_are_started_too(stage: Stage) -> None:
    parent = trigger(stage.ports, EXTRACT, idempotency_key="k", who=Actor("ada")).run
    stage.runs.fails("claim", error=Killed())
    with pytest.raises(Killed):
        cancel(stage.ports, parent.key, who=Actor("ada"))
    stage.state.messages.clear()
    stage.state.deadlines.clear()
    sweeps(stage, until=stage.now + 2 * MINUTE)
    stage.work()
    assert len(of(stage, REPORT)) == 1


def test_a_parents_message_that_is_lost_again_and_again_is_sent_after_growing_waits(stage: Stage) -> None:
    is_killed_after_the_end(stage)
    sent = [clock for clock, _ in sweeps(stage, until=stage.now + 20 * MINUTE)]
    assert sent == ["11:03:15", "11:04:15", "11:05:15", "11:07:15", "11:11:15", "11:19:15"]


def test_the_worker_that_ended_a_run_has_some_seconds_to_start_its_children(stage: Stage) -> None:
    is_killed_after_the_end(stage)
    [parent] = of(stage, EXTRACT)
    stage.now = parent.finished_at + 9 * SECOND if parent.finished_at else stage.now
    stage.state.sweep_progress = stage.state.sweep_progress._replace(until=parent.scheduled_for - MINUTE)
    assert swept(stage) == []
    assert [key for _, key in sweeps(stage, until=stage.now + MINUTE)] == [parent.key]


def test_a_child_that_waits_for_another_parent_is_not_missing(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT, LOAD)
    trigger(stage.ports, EXTRACT, idempotency_key="k", who=Actor("ada"))
    stage.work()
    assert of(stage, EXTRACT)[0].has_children
    assert not sweeps(stage, until=stage.now + 5 * MINUTE)
    assert started(stage) == []


@pytest.mark.parametrize(
    "trouble",
    [
        lambda stage: stage.definitions.fails("get"),
        lambda stage: stage.outbox.fails("send"),
        lambda stage: setattr(stage.picky, "refuses", lambda message: stage.now.minute == 3),
    ],
    ids=["definitions", "queue", "refused message"],
)
def test_a_parent_that_could_not_be_looked_at_or_sent_is_looked_at_by_the_next_sweep(
    stage: Stage, trouble: Callable[[Stage], None]
) -> None:
    is_killed_after_the_end(stage)
    trouble(stage)
    [first, *_] = sweeps(stage, until=stage.now + 3 * MINUTE)
    assert first == ("11:04:15", of(stage, EXTRACT)[0].key)


def test_a_run_without_children_costs_the_sweep_no_further_read(stage: Stage) -> None:
    trigger(stage.ports, LOAD, idempotency_key="k", who=Actor("ada"))
    stage.work()
    before = stage.definitions.calls["get"]
    sweeps(stage, until=stage.now + 3 * MINUTE)
    assert stage.definitions.calls["get"] == before
