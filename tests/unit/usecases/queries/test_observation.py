"""The observer finds what ought to have run and has not, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.adapters.sharding import BUCKETS
from minutehand.domain.errors import Unavailable
from minutehand.domain.policies import Overlap
from minutehand.domain.run import RunState
from minutehand.domain.taken_limit import TakenLimit
from minutehand.usecases.queries.observation import Observed, observe, whose_turn
from tests.unit.usecases.stage import SHARDS, Stage

NOTHING = Observed(0, timedelta(0), 0)


@pytest.fixture
def stage() -> Stage:
    stage = Stage("09:00:30")
    stage.save(schedule="* * * * *", overlap=Overlap.ALLOW)
    return stage


def lives(stage: Stage, minutes: int, *, ticks: bool = True, works: bool = True) -> list[Observed]:
    """What an observation finds in each of so many minutes, while ticks and workers do what they do."""
    made = []
    for _ in range(minutes):
        if ticks:
            stage.tick()
        stage.wait(60)
        if works:
            stage.work()
        made.append(observe(stage.ports, shards=SHARDS, buckets=BUCKETS))
    return made


def test_a_stack_that_does_its_work_shows_nothing(stage: Stage) -> None:
    assert set(lives(stage, 30)) == {NOTHING}


def test_timers_of_a_tick_that_has_stopped_are_overdue(stage: Stage) -> None:
    lives(stage, 2)
    seen = lives(stage, 20, ticks=False)
    assert any(each.overdue for each in seen)
    assert max(each.oldest for each in seen) > timedelta(minutes=10)
    assert seen[0] == NOTHING, "a tick that is late by a minute is none that has stopped"


def test_runs_that_no_worker_takes_have_not_begun(stage: Stage) -> None:
    lives(stage, 2)
    seen = lives(stage, 20, works=False)
    assert seen[0] == NOTHING
    assert seen[-1].unstarted >= 4


@pytest.mark.parametrize(
    "waits",
    [
        {"waits_for": TakenLimit("busy", "x")},
        {"retry": True},
        {"state": RunState.WAITING},
    ],
)
def test_a_run_that_says_for_what_it_waits_is_not_forgotten(stage: Stage, waits: dict[str, object]) -> None:
    lives(stage, 2)
    lives(stage, 12, works=False)
    for key, run in stage.state.runs.items():
        if run.state is RunState.QUEUED:
            how = {"retry_at": stage.now + timedelta(minutes=1)} if "retry" in waits else waits
            stage.state.runs[key] = replace(run, **how)
    assert observe(stage.ports, shards=SHARDS, buckets=BUCKETS).unstarted == 0


def test_runs_that_may_wait_for_each_other_are_not_counted() -> None:
    stage = Stage("09:00:30")
    stage.save(schedule="* * * * *", overlap=Overlap.QUEUE_ALL)
    assert all(each.unstarted == 0 for each in lives(stage, 15, works=False))


def test_a_store_that_does_not_answer_fails_the_observation(stage: Stage) -> None:
    stage.timers.fails("due")
    with pytest.raises(Unavailable):
        observe(stage.ports, shards=SHARDS, buckets=BUCKETS)


def test_each_has_its_turn_as_often_as_the_others() -> None:
    seen = [one for turn in range(5) for one in whose_turn("abcde", 2, turn)]
    assert sorted(seen) == sorted("abcde" * 2)
    assert whose_turn("ab", 2, 7) == "ab"
