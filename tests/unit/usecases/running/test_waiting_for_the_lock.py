"""Runs that wait for the lock of their job: how long they can wait, and how they are woken."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.domain.overlap_lock import lock_of
from minutehand.domain.policies import Backoff, Overlap, Retry
from minutehand.domain.run import RunError, RunState, SkipReason
from minutehand.domain.run_key import RunKey
from minutehand.targets.http.fields import HttpTarget, Mode
from minutehand.usecases.completion.answers import Speaker, heartbeat, report
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.target import Call, Outcome
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at, definition, job, run
from tests.unit.usecases.stage import SUCCESS, Stage

TAKEN_ON = Outcome(state=RunState.WAITING)
BEATING = HttpTarget(method="GET", url="https://shop.test/", mode=Mode.CALLBACK, heartbeat=30 * SECOND)
BROKEN = Outcome(RunState.FAILED, error=RunError("Broken", "it broke"))


@pytest.fixture
def stage() -> Stage:
    return Stage("09:00")


def known(stage: Stage, **fields: object) -> None:
    stage.state.definitions[KEY] = replace(definition(), job=job(**fields))


def queued(stage: Stage, clock: str) -> Received:
    due = run(clock)
    stage.ports.runs.claim([due])
    return Received(run=due.key, attempt=1, receipt=clock)


def state(stage: Stage, message: Received) -> RunState:
    return stage.state.runs[message.run].state


def test_a_run_that_waits_for_hours_wears_out_no_message(stage: Stage) -> None:
    known(stage, overlap=Overlap.QUEUE_ALL, target=BEATING, timeout=600 * MINUTE)
    first, second = queued(stage, "08:58"), queued(stage, "08:59")
    stage.execute([first], lambda _: TAKEN_ON)
    stage.state.messages.clear()
    for _ in range(100):
        [handled] = stage.execute([second])
        assert handled.deletable, "what is handed back again and again becomes a dead letter, and its run is lost"
        [coming] = stage.state.messages
        assert coming.run == second.run
        stage.now = coming.not_before - 5 * SECOND
        heartbeat(stage.ports, Speaker(first.run, 1, "token-1"))
        stage.now = coming.not_before
        stage.state.messages.clear()
    report(stage.ports, Speaker(first.run, 1, "token-1"), SUCCESS)
    assert [message.run for message in stage.state.messages] == [second.run]
    stage.work()
    assert state(stage, second) is RunState.SUCCEEDED


def test_a_run_that_waits_for_a_late_retry_does_not_look_each_second(stage: Stage) -> None:
    retry = Retry(max_attempts=2, backoff=Backoff(initial=10 * SECOND, jitter=0))
    known(stage, overlap=Overlap.QUEUE_ALL, retry=retry)
    first, second = queued(stage, "09:00"), queued(stage, "09:01")
    stage.execute([first], lambda _: BROKEN)
    stage.state.messages.clear()
    stage.at("09:02").execute([second])
    [coming] = stage.state.messages
    assert coming.not_before >= stage.now + 5 * SECOND


def test_a_retry_that_waits_for_the_lock_is_woken_before_later_runs(stage: Stage) -> None:
    retry = Retry(max_attempts=2, backoff=Backoff(initial=10 * SECOND, jitter=0))
    known(stage, overlap=Overlap.QUEUE_ALL, retry=retry)
    first, second, third = (queued(stage, clock) for clock in ("09:00", "09:01", "09:02"))
    stage.execute([first], lambda _: BROKEN)
    stage.state.messages.clear()

    def meanwhile(_: Call) -> Outcome:
        stage.execute([first, third])
        return SUCCESS

    stage.at("09:20").execute([second], meanwhile)
    assert stage.state.permits[lock_of(KEY)].waiting == (first.run.run_id, third.run.run_id)
    assert RunKey.scheduled(KEY, at("09:00")) in {m.run for m in stage.state.messages if m.not_before <= stage.now}
    stage.work()
    assert (state(stage, first), state(stage, third)) == (RunState.SUCCEEDED, RunState.QUEUED)


def test_a_run_whose_message_comes_late_does_not_replace_a_later_one(stage: Stage) -> None:
    known(stage, overlap=Overlap.REPLACE, target=BEATING, timeout=600 * MINUTE)
    late, later = queued(stage, "08:58"), queued(stage, "08:59")
    stage.execute([later], lambda _: TAKEN_ON)
    stage.execute([late])
    assert stage.state.runs[later.run].cancelled_by == ""
    skipped = stage.state.runs[late.run]
    assert (skipped.skip_reason, skipped.blocked_by) == (SkipReason.REPLACED, later.run.run_id)


@pytest.mark.parametrize("heartbeat", [None, 30 * SECOND])
def test_a_cancelled_run_is_waited_for_only_if_it_sends_heartbeats(stage: Stage, heartbeat: timedelta | None) -> None:
    target = HttpTarget(method="GET", url="https://shop.test/", mode=Mode.CALLBACK, heartbeat=heartbeat)
    known(stage, overlap=Overlap.REPLACE, target=target, timeout=600 * MINUTE)
    first, second = queued(stage, "08:58"), queued(stage, "08:59")

    def call(made: Call) -> Outcome:
        if made.run.key == first.run:
            stage.execute([second])
        return TAKEN_ON

    stage.execute([first], call)
    assert state(stage, first) is (RunState.CANCELLED if heartbeat is None else RunState.WAITING)
    if heartbeat is None:
        stage.work(call)
        assert state(stage, second) is RunState.WAITING
