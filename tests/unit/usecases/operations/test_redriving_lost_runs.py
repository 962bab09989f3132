"""Replacement of a lost run: created once, at its instant, in turn, and only for the same job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.errors import Conflict, NotFound
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Dependency, On, Overlap
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.usecases.definitions import manage
from minutehand.usecases.operations import backfill
from minutehand.usecases.operations.backfill import BackfillSpec
from minutehand.usecases.operations.redrive import redrive_lost, redrive_lost_one
from minutehand.usecases.ports.target import Outcome
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at, job
from tests.unit.usecases.queries.explaining import live
from tests.unit.usecases.stage import Stage

DAY = timedelta(days=1)
ALONE = [policy for policy in Overlap if policy is not Overlap.ALLOW]
NEVER = "0 0 1 1 *"


def having_lost(*clocks: str, **fields: object) -> Stage:
    """A job of each minute, whose runs of these were lost; it is paused, an hour later, and nothing is on its way."""
    stage = Stage("08:58:30")
    stage.save(**fields)
    live(stage, "09:06")
    for clock in clocks:
        lose(stage, RunKey.scheduled(KEY, at(clock)))
    stage.at("10:00:00.250")
    manage.pause(stage.ports, KEY, who=Actor("ada"))
    stage.state.messages.clear()
    return stage


def lose(stage: Stage, key: RunKey) -> None:
    stage.state.runs[key] = replace(stage.state.runs[key], state=RunState.LOST)


def redriven(stage: Stage) -> Sequence[Run]:
    """The runs in the place of lost ones, oldest first."""
    return redrive_lost(stage.ports, KEY, limit=20, cursor=None).runs[::-1]


def states(stage: Stage, runs: Sequence[Run]) -> list[RunState]:
    return [stage.state.runs[run.key].state for run in runs]


def test_the_replacement_of_a_lost_run_has_its_instant_and_starts_now() -> None:
    stage = having_lost("09:02")
    [new] = redriven(stage)
    assert (new.scheduled_for, new.starts_at, new.claimed_at) == (at("09:02"), at("10:00"), stage.now)
    stage.work()
    ended = stage.state.runs[new.key]
    assert (ended.state, ended.lateness) == (RunState.SUCCEEDED, stage.now - at("10:00"))


def test_its_children_run_in_the_window_of_the_lost_one() -> None:
    stage = having_lost("09:02")
    child = JobKey("shop", "child")
    stage.save(job("@manual", key=child, depends_on=(Dependency(KEY, On.SUCCESS),)))
    redriven(stage)
    stage.work()
    assert [key.scheduled_for for key in stage.state.runs if key.job == child] == [at("09:02")]


def test_a_lost_run_is_replaced_once_and_for_ever() -> None:
    stage = having_lost("09:02")
    [new] = redriven(stage)
    assert redriven(stage) == [new], "it is under way"
    stage.work()
    for later in (timedelta(0), DAY + MINUTE, 20 * DAY):
        stage.now += later
        assert redriven(stage) == []
        assert redrive_lost_one(stage.ports, RunKey.scheduled(KEY, at("09:02"))) == stage.state.runs[new.key]


def test_the_replacement_is_kept_as_long_as_the_lost_run() -> None:
    stage = having_lost("09:02")
    stage.save(retention=DAY)
    [new] = redriven(stage)
    assert new.expires_at == stage.run("09:02").expires_at


def test_a_lost_replacement_is_replaced_too() -> None:
    stage = having_lost("09:02")
    [first] = redriven(stage)
    lose(stage, first.key)
    [second] = redriven(stage)
    assert second.key not in {first.key, stage.run("09:02").key}
    assert second.scheduled_for == at("09:02")


def test_two_lost_runs_of_one_instant_get_one_each() -> None:
    stage = having_lost("09:02")
    backfill.start(stage.ports, KEY, BackfillSpec(at("09:02"), at("09:03")), identity="again", who=Actor("ada"))
    lose(stage, RunKey.backfilled(KEY, at("09:02"), "again"))
    assert len({new.key for new in redriven(stage)}) == 2


@pytest.mark.parametrize("overlap", ALONE)
def test_lost_runs_of_a_job_whose_runs_do_not_overlap_run_one_after_the_other(overlap: Overlap) -> None:
    stage = having_lost("09:01", "09:02", "09:03", overlap=overlap)
    new = redriven(stage)
    stage.work(lambda _: Outcome(RunState.WAITING))
    assert sorted(state.value for state in states(stage, new)) == ["queued", "queued", "waiting"]
    for _ in range(30):
        stage.now += MINUTE
        stage.work()
    assert states(stage, new).count(RunState.SUCCEEDED) == 2, "the one that waited was never answered"


def test_the_replacement_of_a_fixed_delays_run_waits_for_its_turn() -> None:
    stage = Stage("08:59")
    stage.save(schedule="@after 10m", timeout=timedelta(hours=2))
    stage.at("09:09").tick()
    stage.work()
    [lost] = list(stage.state.runs)
    stage.at("09:19").tick()
    stage.work(lambda _: Outcome(RunState.WAITING))
    assert stage.run("09:19").state is RunState.WAITING
    lose(stage, lost)
    [new] = redriven(stage)
    stage.work()
    assert states(stage, [new]) == [RunState.QUEUED]


@pytest.mark.parametrize(("beside", "overlap"), [(Overlap.ALLOW, Overlap.ALLOW), (None, Overlap.QUEUE_ALL)])
def test_the_replacement_of_a_run_that_ignored_overlap_ignores_it_too(beside: Overlap | None, overlap: Overlap) -> None:
    stage = having_lost("09:02", overlap=Overlap.SKIP)
    lost = stage.run("09:02")
    stage.state.runs[lost.key] = replace(lost, overlap=beside)
    assert [new.overlap for new in redriven(stage)] == [overlap]


def test_for_runs_that_may_overlap_the_job_keeps_deciding() -> None:
    assert [new.overlap for new in redriven(having_lost("09:02"))] == [None]


@pytest.mark.parametrize("later", [SECOND, 3 * DAY])
def test_lost_runs_of_a_deleted_job_are_not_run_by_a_new_job_of_its_name(later: timedelta) -> None:
    stage = having_lost("09:02")
    manage.delete(stage.ports, KEY, who=Actor("ada"))
    with pytest.raises(NotFound):
        redriven(stage)
    stage.save(schedule=NEVER)
    stage.now += later
    stage.save(schedule=NEVER, description="its deletion is remembered for a day")
    assert redriven(stage) == []
    with pytest.raises(Conflict, match="belongs to a deleted job"):
        redrive_lost_one(stage.ports, RunKey.scheduled(KEY, at("09:02")))
