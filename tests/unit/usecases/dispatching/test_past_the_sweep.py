"""Runs too old for the sweep: a deadline resends a lost message."""

from __future__ import annotations

from datetime import timedelta

import pytest

from minutehand.domain.dependencies import window_of
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Backoff, Dependency, On, Retry
from minutehand.domain.run import Run, RunKey, RunState
from minutehand.domain.timer import Deadline
from minutehand.targets.http.fields import HttpTarget, Mode
from minutehand.usecases.completion.answers import Speaker, report
from minutehand.usecases.dispatching.send import REMIND_EVERY, send
from minutehand.usecases.operations.redrive import redrive_lost_one
from minutehand.usecases.operations.trigger import trigger
from minutehand.usecases.ports.target import Outcome
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at, job, run
from tests.unit.usecases.stage import Stage

PARENT = JobKey("shop", "extract")
DAY = timedelta(days=1)
BUSY = Outcome(state=RunState.FAILED)


def lives(stage: Stage, time: timedelta) -> None:
    """Let time go by with its ticks, and no worker."""
    end = stage.now + time
    while stage.now < end:
        stage.now += 10 * MINUTE
        stage.tick()


def child_of_a_month(stage: Stage, *, into: timedelta, **how: object) -> Run:
    """The child's run of a window of 31 days, whose parent succeeds so long after the window's beginning."""
    child = job("@manual", depends_on=(Dependency(PARENT, On.SUCCESS),), join_window=31 * DAY, **how)
    stage.now = window_of(child, stage.now).start + into
    stage.save(job("@manual", key=PARENT))
    stage.save(child)
    stage.now += MINUTE
    trigger(stage.ports, PARENT, idempotency_key="k")
    stage.work()
    return its_run(stage)


def its_run(stage: Stage) -> Run:
    return next(found for key, found in stage.state.runs.items() if key.job == KEY)


@pytest.fixture
def stage() -> Stage:
    return Stage("09:00")


def test_a_lost_message_of_a_run_late_in_its_window_is_sent_again_each_day_until_the_run_has_ended(
    stage: Stage,
) -> None:
    late = child_of_a_month(stage, into=20 * DAY)
    for _ in range(3):
        stage.state.messages.clear()
        lives(stage, REMIND_EVERY - 30 * MINUTE)
        assert stage.state.messages == []
        lives(stage, 30 * MINUTE)
        assert [message.run for message in stage.state.messages] == [late.key]
    stage.work()
    assert its_run(stage).state is RunState.SUCCEEDED
    lives(stage, REMIND_EVERY)
    stage.work()
    assert (stage.state.deadlines, stage.called[1:]) == ({}, [(late.key, 1)]), "looked at once more, and then at rest"


@pytest.mark.parametrize(("into", "left"), [(5 * DAY, 0), (6 * DAY, 1)])
def test_a_run_within_reach_of_the_sweep_leaves_no_deadline(stage: Stage, into: timedelta, left: int) -> None:
    child_of_a_month(stage, into=into)
    assert (len(stage.state.deadlines), stage.timers.calls["remind"]) == (left, left)


@pytest.mark.parametrize(("days", "left"), [(0, 0), (20, 1)])
def test_the_replacement_of_a_run_lost_weeks_ago_is_found_again(stage: Stage, days: int, left: int) -> None:
    stage.save(schedule="@manual")
    lost = run(key=RunKey.triggered(KEY, stage.now, "k"), claimed_at=stage.now, state=RunState.LOST)
    stage.state.runs[lost.key] = lost
    stage.now += days * DAY
    made = redrive_lost_one(stage.ports, lost.key)
    assert [message.run for message in stage.state.messages] == [made.key]
    assert [*stage.state.deadlines] == [made.key][:left]


def test_a_backfills_runs_leave_no_deadline(stage: Stage) -> None:
    replayed = run(key=RunKey.backfilled(KEY, stage.now - 800 * DAY, "replay"), claimed_at=stage.now)
    assert send([replayed], stage.ports, stage.now) == [True]
    assert stage.state.deadlines == {}


def old(**fields: object) -> Run:
    return run(key=RunKey.child(KEY, at("09:00") - 20 * DAY, "k"), claimed_at=at("09:00"), **fields)


def test_its_retry_and_its_wait_for_an_answer_keep_the_deadlines_that_send_them_in_time(stage: Stage) -> None:
    retrying = old(state=RunState.RETRYING, attempt=1, retry_at=at("11:00"))
    stage.state.runs[retrying.key] = retrying
    assert send([retrying], stage.ports, stage.now) == [True]
    assert (stage.sent(), [*stage.state.deadlines.values()]) == ([], [Deadline(retrying.key, at("10:58"))])
    stage.at("10:58").tick()
    assert [message.not_before for message in stage.state.messages] == [at("11:00")]
    assert [*stage.state.deadlines.values()] == [Deadline(retrying.key, at("11:00") + REMIND_EVERY)]


@pytest.mark.parametrize("trouble", ["remind", "send"])
def test_a_run_that_could_be_neither_sent_nor_reminded_is_not_done(stage: Stage, trouble: str) -> None:
    if trouble == "remind":
        stage.timers.fails("remind")
    else:
        stage.picky.refuses = lambda _message: True
    assert send([old()], stage.ports, stage.now) == [False]
    assert stage.state.deadlines == {}


def test_a_retry_after_a_later_answer_leaves_a_deadline_in_place_of_the_answers(stage: Stage) -> None:
    target = HttpTarget(method="POST", url="https://shop.test/", mode=Mode.CALLBACK)
    late = child_of_a_month(stage, into=20 * DAY, target=target, retry=Retry(2, Backoff(initial=30 * SECOND, jitter=0)))
    stage.work(lambda _: Outcome(state=RunState.WAITING))
    assert its_run(stage).state is RunState.WAITING
    stage.now += SECOND
    report(stage.ports, Speaker(run=late.key, attempt=1, token="token-2"), BUSY)
    assert its_run(stage).state is RunState.RETRYING
    assert [deadline.next_at for deadline in stage.state.deadlines.values()] == [stage.now + 30 * SECOND + REMIND_EVERY]
