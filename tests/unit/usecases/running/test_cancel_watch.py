"""The watch for cancels during calls: reads rarely, reads all at once, and never blocks a call."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace

import pytest

from minutehand.domain.run import Run, RunState
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.target import Call, Outcome
from minutehand.usecases.running.cancel_watch import EVERY, Watch
from tests.unit.domain.examples import at, run
from tests.unit.usecases.stage import SUCCESS, Stage

RUNNING = {"state": RunState.RUNNING, "attempt": 1, "nonce": "w", "lease_until": at("09:10")}


@pytest.fixture
def stage() -> Stage:
    return Stage("09:00")


def running(stage: Stage, scheduled_for: str = "09:00", **fields: object) -> Run:
    there = run(scheduled_for, **{**RUNNING, **fields})
    stage.state.runs[there.key] = there
    return there


def cancel(stage: Stage, which: Run) -> None:
    stage.state.runs[which.key] = replace(stage.state.runs[which.key], cancelled_by="ada")


def watch_of(stage: Stage) -> Watch:
    return Watch(stage.runs, stage.ports.clock, lambda look: look())


def test_a_call_that_ends_within_five_seconds_costs_no_read(stage: Stage) -> None:
    cancel(stage, one := running(stage))
    with watch_of(stage).over(one) as cancelled:
        assert not cancelled()
        assert not stage.at("09:00:04.999") or not cancelled()
    assert stage.runs.calls["get"] == 0


def test_a_longer_call_learns_of_a_cancel(stage: Stage) -> None:
    one = running(stage)
    with watch_of(stage).over(one) as cancelled:
        stage.now += EVERY
        assert not cancelled()
        cancel(stage, one)
        assert not cancelled(), "it was looked at just now"
        stage.now += EVERY
        assert cancelled()
        assert cancelled()
    assert stage.runs.calls["get"] == 2


def test_all_calls_under_way_share_one_read(stage: Stage) -> None:
    runs = [running(stage, f"09:00:{second:02}") for second in range(10)]
    watch = watch_of(stage)
    with ExitStack() as calls:
        asks = [calls.enter_context(watch.over(each)) for each in runs]
        cancel(stage, runs[3])
        stage.now += EVERY
        assert [each() for each in asks] == [number == 3 for number in range(10)]
    assert stage.runs.calls["get"] == 1


def test_a_cancel_of_an_earlier_attempt_does_not_count(stage: Stage) -> None:
    one = running(stage)
    cancel(stage, running(stage, attempt=2))
    with watch_of(stage).over(one) as cancelled:
        stage.now += EVERY
        assert not cancelled()


def test_a_failed_read_is_repeated_later(stage: Stage) -> None:
    cancel(stage, one := running(stage))
    stage.runs.fails("get")
    with watch_of(stage).over(one) as cancelled:
        stage.now += EVERY
        assert not cancelled()
        stage.now += EVERY
        assert cancelled()


def test_a_slow_read_blocks_no_call_and_is_the_only_one(stage: Stage) -> None:
    cancel(stage, one := running(stage))
    looks: list[Callable[[], None]] = []
    watch = Watch(stage.runs, stage.ports.clock, looks.append)
    with watch.over(one) as cancelled:
        stage.now += EVERY
        assert not cancelled()
        stage.now += EVERY
        assert not cancelled()
        assert len(looks) == 1
        looks[0]()
        assert cancelled()


def test_a_read_that_ends_after_the_call_is_ignored(stage: Stage) -> None:
    cancel(stage, one := running(stage))
    looks: list[Callable[[], None]] = []
    watch = Watch(stage.runs, stage.ports.clock, looks.append)
    with watch.over(one) as cancelled:
        stage.now += EVERY
        cancelled()
    looks[0]()
    with watch.over(one) as cancelled:
        assert not cancelled()


def test_a_target_sees_the_cancel_of_its_run(stage: Stage) -> None:
    stage.save(schedule="@manual")
    there = run()
    stage.state.runs[there.key] = there
    seen = []

    def call(made: Call) -> Outcome:
        cancel(stage, made.run)
        seen.append(made.cancelled())
        stage.now += EVERY
        seen.append(made.cancelled())
        return SUCCESS

    stage.execute([Received(run=there.key, attempt=1, receipt="r")], call)
    assert seen == [False, True]
