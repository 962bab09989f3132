"""Runs that are claimed so late that the sweep has passed their instant: a watchlist leads the sweep to them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.dependencies import window_of
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import CatchUp, Dependency, On
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.usecases.dispatching.send import OVERDUE
from minutehand.usecases.dispatching.watchlists import LATE, claim_watched, claimed_late, send_watched
from minutehand.usecases.operations.redrive import redrive_lost_one
from minutehand.usecases.operations.trigger import trigger
from minutehand.usecases.ports.stores import Claim
from minutehand.usecases.upkeep.sweep import sweep
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at, job, run
from tests.unit.usecases.stage import FOREVER, Stage

PARENT = JobKey("shop", "extract")
DAY = timedelta(days=1)


@pytest.fixture
def stage() -> Stage:
    return Stage("09:00")


def child_of_a_month(stage: Stage) -> None:
    """The child's run of a window of 31 days, whose parent succeeds twenty days after the window's beginning."""
    child = job("@manual", depends_on=(Dependency(PARENT, On.SUCCESS),), join_window=31 * DAY)
    stage.now = window_of(child, stage.now).start + 20 * DAY
    stage.save(job("@manual", key=PARENT))
    stage.save(child)
    stage.now += MINUTE
    trigger(stage.ports, PARENT, idempotency_key="k", who=Actor("ada"))
    stage.work()


def missed_runs(stage: Stage) -> None:
    stage.save(schedule="0 * * * *", catch_up=CatchUp.ALL, max_catch_up=3)
    stage.now += timedelta(hours=3, minutes=30)
    stage.tick()


def missed_runs_of_a_few(stage: Stage) -> None:
    stage.save(schedule="0 * * * *", catch_up=CatchUp.ALL, max_catch_up=3, max_runs=10)
    stage.now += timedelta(hours=3, minutes=30)
    stage.tick()


def replacement(stage: Stage) -> None:
    stage.save(schedule="@manual")
    lost = run(key=RunKey.triggered(KEY, stage.now, "k"), claimed_at=stage.now, state=RunState.LOST)
    stage.state.runs[lost.key] = lost
    stage.now += 20 * DAY
    redrive_lost_one(stage.ports, lost.key)


LATE_RUNS = [child_of_a_month, missed_runs, missed_runs_of_a_few, replacement]


@pytest.mark.parametrize("make", LATE_RUNS, ids=lambda make: make.__name__)
def test_a_run_claimed_late_whose_message_is_lost_is_found_within_a_minute_of_being_overdue(
    stage: Stage, make: Callable[[Stage], None]
) -> None:
    sweep(stage.ports, time_left=lambda: FOREVER)
    make(stage)
    active = {run.key: run for run in stage.state.runs.values() if not run.state.finished}
    assert active
    stage.state.messages.clear()
    for _ in range(3):  # now is the end of what the sweep looked at, so that no first look finds them
        stage.now += MINUTE
        stage.state.sweep_progress = stage.state.sweep_progress._replace(until=stage.now)
        sweep(stage.ports, time_left=lambda: FOREVER)
    assert {message.run for message in stage.state.messages} == active.keys()


def test_a_run_sent_in_time_leaves_no_watchlist(stage: Stage) -> None:
    stage.save()
    stage.at("09:01").tick()
    stage.work()
    assert (len(stage.state.runs), stage.sweeps.calls["watch"]) == (3, 0)


@pytest.mark.parametrize(
    ("late", "is_late"), [(LATE - SECOND, False), (LATE, True), (20 * DAY, True)], ids=["in time", "late", "old"]
)
def test_a_run_is_late_when_the_sweep_may_pass_its_instant_before_its_claim_is_seen(
    late: timedelta, is_late: bool
) -> None:
    assert claimed_late(run("09:00"), at("09:00") + late) is is_late


@pytest.mark.parametrize(
    "known",
    [
        run("09:00", state=RunState.RETRYING, attempt=1),
        run("09:00", state=RunState.WAITING, attempt=1),
        run(key=RunKey.backfilled(KEY, at("09:00"), "replay")),
    ],
    ids=["retrying", "waiting", "backfilled"],
)
def test_runs_that_the_sweep_or_a_watchdog_knows_leave_no_watchlist(stage: Stage, known: Run) -> None:
    stage.now += DAY
    assert send_watched([known], stage.ports, stage.now) == [True]
    assert stage.state.watchlists == set()


def test_runs_claimed_together_share_watchlists(stage: Stage) -> None:
    stage.now += DAY
    runs = [run(f"09:00:{n:02}") for n in range(60)]
    claim_watched(runs, stage.ports)
    [watchlist] = stage.state.watchlists
    assert (watchlist.look_at, watchlist.runs) == (stage.now + OVERDUE, tuple(one.key for one in runs))


@pytest.mark.parametrize("trouble", ["watch", "send"])
def test_a_late_run_that_could_be_neither_sent_nor_watched_is_not_done(stage: Stage, trouble: str) -> None:
    stage.now += DAY
    if trouble == "watch":
        stage.sweeps.fails("watch")
    else:
        stage.picky.refuses = lambda _message: True
    assert send_watched([run("09:00")], stage.ports, stage.now) == [False]
    assert stage.state.watchlists == set()


def test_late_runs_that_no_watchlist_names_are_not_claimed(stage: Stage) -> None:
    stage.now += MINUTE
    late, prompt = run("09:00"), run("09:02")
    stage.sweeps.fails("watch")
    assert claim_watched([late, prompt, late], stage.ports) == [Claim.FAILED, Claim.CLAIMED, Claim.FAILED]
    assert stage.state.runs.keys() == {prompt.key}


class Killed(BaseException):
    """The end of a process."""


@pytest.mark.parametrize("make", [child_of_a_month, missed_runs], ids=lambda make: make.__name__)
def test_a_late_run_whose_process_died_after_the_claim_is_found(stage: Stage, make: Callable[[Stage], None]) -> None:
    sweep(stage.ports, time_left=lambda: FOREVER)
    stage.runs.fails("claim", after_effect=True, error=Killed())
    with pytest.raises(Killed):
        make(stage)
    active = {run.key for run in stage.state.runs.values() if not run.state.finished}
    assert active
    stage.state.messages.clear()
    for _ in range(3):
        stage.now += MINUTE
        stage.state.sweep_progress = stage.state.sweep_progress._replace(until=stage.now)
        sweep(stage.ports, time_left=lambda: FOREVER)
    assert {message.run for message in stage.state.messages} == active
