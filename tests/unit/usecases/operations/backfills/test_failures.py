"""Failures during a backfill: every occurrence is replayed, and none twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from minutehand.domain.errors import Unavailable
from minutehand.domain.run import RunState
from minutehand.domain.timer import Watchdog
from minutehand.usecases.dispatching.claim import DispatchReport
from minutehand.usecases.dispatching.dispatch import dispatch
from minutehand.usecases.dispatching.replay import WATCH_EVERY, step
from minutehand.usecases.ports.target import Call, Outcome
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at
from tests.unit.usecases.operations.backfills.replaying import FAILURE, ID, asked, replayed, stored, watch, work_off
from tests.unit.usecases.stage import Port, Stage


def ports(stage: Stage) -> list[tuple[Port, str]]:
    return [
        (stage.backfills, "create"),
        (stage.backfills, "get"),
        (stage.backfills, "save"),
        (stage.runs, "get"),
        (stage.runs, "claim"),
        (stage.definitions, "get"),
        (stage.outbox, "send"),
    ]


@pytest.mark.parametrize("after_effect", [False, True])
@pytest.mark.parametrize("turn", range(7))
def test_a_store_failure_during_the_start_loses_and_doubles_nothing(
    stage: Stage, turn: int, after_effect: bool
) -> None:
    port, method = ports(stage)[turn]
    port.fails(method, after_effect=after_effect)
    try:
        asked(stage, concurrency=2)
    except Unavailable:
        asked(stage, concurrency=2)
    _comes_to_rest(stage)
    assert sorted(replayed(stage)) == ["09:00", "09:01", "09:02", "09:03", "09:04"]
    assert stored(stage).counts == {RunState.SUCCEEDED: 5}


@pytest.mark.parametrize("after_effect", [False, True])
@pytest.mark.parametrize("turn", range(1, 7))
@pytest.mark.parametrize("times", [1, 4])
def test_a_call_that_fails_after_a_run_s_end_loses_and_doubles_nothing(
    stage: Stage, turn: int, after_effect: bool, times: int
) -> None:
    asked(stage, concurrency=2)
    [first, second] = stage.receive()
    port, method = ports(stage)[turn]

    def then_fail(_: Call) -> Outcome:
        port.fails(method, times=times, after_effect=after_effect)
        return FAILURE

    [handled] = stage.execute([first], then_fail)
    stage.execute([second])
    for _ in range(10):
        if handled.deletable:
            break
        [handled] = stage.execute([first])
    assert handled.deletable
    _comes_to_rest(stage)
    assert sorted(replayed(stage)) == ["09:00", "09:01", "09:02", "09:03", "09:04"]
    assert stored(stage).counts == {RunState.FAILED: 1, RunState.SUCCEEDED: 4}


@pytest.mark.parametrize("refused", [0, 1, 3])
def test_messages_that_the_queue_refuses_are_sent_by_the_watchdog(stage: Stage, refused: int) -> None:
    turned_away = iter([True] * refused)
    stage.picky.refuses = lambda message: next(turned_away, False)
    asked(stage, concurrency=3)
    assert len(stage.state.messages) == 3 - refused
    _comes_to_rest(stage)
    assert stored(stage).counts == {RunState.SUCCEEDED: 5}


def test_the_watchdog_starts_a_stored_backfill_that_never_started(stage: Stage) -> None:
    stage.backfills.fails("save")
    asked(stage)
    assert (stored(stage).active, stage.state.messages) == ((), [])
    watch(stage)
    assert stage.sent() == ["09:00:00"]
    assert stored(stage).next_at == stage.now + WATCH_EVERY


def test_the_watchdog_waits_for_its_time_and_resends_overdue_runs(stage: Stage) -> None:
    asked(stage)
    stage.receive()
    stage.now = at("11:01:59")
    assert stage.tick().problems == []
    assert stored(stage).next_at == at("11:02")
    watch(stage)
    assert stage.sent() == ["09:00:00"]
    stage.receive()
    watch(stage)
    assert stage.state.messages == [], "it was sent again a moment ago"


def test_a_failing_watchdog_is_reported_and_tries_again(stage: Stage) -> None:
    asked(stage)
    stage.now = at("11:02")
    stage.backfills.fails("get")
    [problem] = stage.tick().problems
    assert "get did not answer" in problem
    assert stored(stage).next_at == at("11:02")


def test_two_concurrent_steps_take_each_occurrence_once(stage: Stage) -> None:
    asked(stage, concurrency=2)
    [first, second] = stage.receive()
    stage.backfills.before("save", lambda: stage.execute([second]))
    stage.execute([first])
    assert sorted(stage.sent()) == ["09:02:00", "09:03:00"]
    work_off(stage)
    assert sorted(replayed(stage)) == ["09:00", "09:01", "09:02", "09:03", "09:04"]


def test_two_processes_that_claim_the_same_run_send_it_once(stage: Stage) -> None:
    meanwhile: Callable[[], Any] = lambda: step(stage.ports, KEY, ID)  # noqa: E731 - a name for what happens between
    stage.runs.before("claim", meanwhile)
    asked(stage)
    assert stage.sent() == ["09:00:00"]


def test_a_backfill_under_too_many_concurrent_updates_keeps_the_message(stage: Stage) -> None:
    asked(stage)

    def changed() -> None:
        one = stored(stage)
        stage.state.backfills[KEY, ID] = replace(one, version=one.version + 1)

    [message] = stage.receive()
    stage.backfills.before("save", *[changed] * 20)
    [handled] = stage.execute([message])
    assert (handled.deletable, handled.problem) == (False, "the follow-up of the run is incomplete")


def test_a_run_of_a_backfill_that_is_forgotten_ends_as_any_other(stage: Stage) -> None:
    asked(stage)
    stage.state.backfills.clear()
    [handled] = stage.execute(stage.receive())
    assert handled.deletable


def _comes_to_rest(stage: Stage) -> None:
    for _ in range(40):
        work_off(stage)
        if stored(stage).next_at is None:
            return
        stage.now += MINUTE + SECOND
        due = stage.state.backfills[KEY, ID].next_at
        if due is not None and due <= stage.now:
            step(stage.ports, KEY, ID, watch=True)
    raise AssertionError("it never comes to rest")


def test_due_runs_are_sent_before_backfills_are_stepped(stage: Stage) -> None:
    asked(stage)
    stage.state.messages.clear()
    stage.save()
    stage.now += 5 * MINUTE
    sent_by_then: list[int] = []
    stage.backfills.before("get", lambda: sent_by_then.append(len(stage.state.messages)))
    stage.tick()
    assert sent_by_then[0] > 0


def test_without_time_no_further_backfill_is_stepped(stage: Stage) -> None:
    asked(stage, identity="first")
    asked(stage, identity="second")
    stage.now += 5 * MINUTE
    left = iter([True] * 3 + [False])  # before each watchdog is sorted out, and before the first is looked after
    due = [Watchdog(job=KEY, backfill=identity, next_at=at("11:00")) for identity in ("first", "second")]
    before = stage.backfills.calls["get"]
    dispatch(due, ports=stage.ports, look_ahead=MINUTE, report=DispatchReport(), may_continue=lambda: next(left))
    assert stage.backfills.calls["get"] == before + 1
