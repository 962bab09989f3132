"""The lanes of a worker: what it moves to the slow one, and what it stores about slow calls."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from minutehand.domain.job_key import JobKey
from minutehand.domain.lanes import PROBATION, SLOW, SUSPICION
from minutehand.domain.run import RunState
from minutehand.domain.timer import Timer
from minutehand.usecases.dispatching.send import reminder
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.target import Call, Outcome
from minutehand.usecases.running.slow_calls import SlowCalls
from tests.unit.domain.examples import KEY, SECOND, at
from tests.unit.usecases.stage import SUCCESS, Stage

NEIGHBOUR = JobKey(namespace=KEY.namespace, name="neighbour")
STRANGER = JobKey(namespace="elsewhere", name="stranger")


@pytest.fixture
def stage() -> Stage:
    """A job of each minute in the quick lane, whose first run is due."""
    stage = Stage("08:59:30")
    stage.save(schedule="* * * * *")
    stage.prove()
    return stage.at("09:00")


def takes(stage: Stage, duration: timedelta) -> Callable[[Call], Outcome]:
    def call(made: Call) -> Outcome:
        for _ in range(duration // SECOND):
            stage.now += SECOND
            made.cancelled()
        return SUCCESS

    return call


def lane(stage: Stage, key: JobKey = KEY) -> tuple[bool, bool]:
    """Whether the job is in the slow lane, by its definition and by its timer."""
    timer = stage.state.timers[key]
    assert isinstance(timer, Timer)
    return stage.state.definitions[key].slow_until is not None, timer.slow


def first(stage: Stage, key: JobKey = KEY) -> list[Received]:
    """The message of the job's run of nine, or of its next one; no other message is left."""
    taken = [one for one in stage.receive() if one.run.job == key]
    return taken[:1]


def test_a_quick_run_is_called_in_the_quick_lane_and_stores_nothing_about_it(stage: Stage) -> None:
    [handled] = stage.execute(first(stage), slow_calls=SlowCalls())
    assert handled.run is not None
    assert (handled.run.state, handled.moved) == (RunState.SUCCEEDED, False)
    assert stage.definitions.calls["set_lane"] == 1, "that of the fixture"


def test_runs_of_a_new_job_are_moved_until_its_first_quick_call_although_all_were_sent_before() -> None:
    stage = Stage("08:59:30")
    stage.save(schedule="* * * * *")
    assert [message.slow for message in stage.state.messages] == [False, False]
    one, two = stage.receive()
    [moved] = stage.at("09:00").execute([one], slow_calls=SlowCalls())
    assert moved.moved
    stage.execute(stage.receive())
    assert lane(stage) == (False, False)
    [handled] = stage.at("09:01").execute([two], slow_calls=SlowCalls())
    assert not handled.moved


def test_an_edit_keeps_the_lane_of_the_timer_unless_the_job_starts_anew(stage: Stage) -> None:
    stage.execute(first(stage), takes(stage, SLOW + SECOND))
    stage.save(schedule="*/2 * * * *")
    assert lane(stage) == (True, True)
    stage.save(schedule="*/2 * * * *", timeout=2 * SLOW)
    assert lane(stage) == (True, False)


def test_a_run_of_a_slow_job_that_reaches_the_quick_lane_is_moved_before_it_starts(stage: Stage) -> None:
    stage.execute(first(stage), takes(stage, SLOW + SECOND))
    assert lane(stage) == (True, True)
    stage.at("09:01").tick()
    run = stage.run("09:01")
    assert run is not None
    stage.state.messages[:] = [reminder(run, stage.now)]
    stage.inbox.calls.clear()
    [handled] = stage.execute(first(stage), slow_calls=SlowCalls())
    assert (handled.deletable, handled.moved, stage.run("09:01")) == (True, True, run)
    [message] = stage.state.messages
    assert (message.run, message.slow, message.not_before) == (run.key, True, stage.now)
    assert stage.inbox.calls.total() == 0, "nobody needs to hide a message that is deleted"
    [handled] = stage.execute(first(stage))
    assert handled.run is not None
    assert handled.run.state is RunState.SUCCEEDED


def test_a_run_is_handled_where_it_is_if_the_slow_lane_accepts_no_message(stage: Stage) -> None:
    stage.execute(first(stage), takes(stage, SLOW + SECOND))
    stage.at("09:01").tick()
    stage.picky.refuses = lambda message: message.slow
    [handled] = stage.at("09:02").execute(first(stage), slow_calls=SlowCalls())
    assert handled.run is not None
    assert (handled.run.state, handled.moved) == (RunState.SUCCEEDED, False)


def test_a_run_that_no_worker_can_start_now_is_not_moved(stage: Stage) -> None:
    [message] = first(stage)
    stage.execute([message])
    stage.ports.definitions.set_lane(KEY, 1, stage.now + PROBATION)
    [ended] = stage.execute([message], slow_calls=SlowCalls())
    assert (ended.deletable, ended.moved) == (True, False)


def test_a_slow_call_is_stored_while_it_is_under_way(stage: Stage) -> None:
    seen: list[tuple[bool, bool]] = []

    def call(made: Call) -> Outcome:
        for _ in range(2 * SLOW // SECOND):
            stage.now += SECOND
            made.cancelled()
            seen.append(lane(stage))
        return SUCCESS

    stage.execute(first(stage), call, slow_calls=SlowCalls())
    assert seen[: SLOW // SECOND] == [(False, False)] * (SLOW // SECOND)
    assert set(seen[SLOW // SECOND :]) == {(True, True)}
    assert stage.definitions.calls["set_lane"] == 2, "that of the fixture, and one"


def test_a_slow_call_of_one_job_moves_the_runs_of_its_namespace_for_a_while_and_no_others(stage: Stage) -> None:
    for key in (NEIGHBOUR, STRANGER):
        stage.at("08:59:30").save(key=key, schedule="* * * * *")
        stage.prove(key)
    known = SlowCalls()
    taken = stage.receive()
    messages = {one.run.job: one for one in taken if one.run == type(one.run).scheduled(one.run.job, at("09:00"))}
    stage.at("09:00").execute([messages[KEY]], takes(stage, SLOW + SECOND), slow_calls=known)
    moved = {key: stage.execute([messages[key]], slow_calls=known)[0].moved for key in (NEIGHBOUR, STRANGER)}
    assert moved == {NEIGHBOUR: True, STRANGER: False}
    assert lane(stage, NEIGHBOUR) == (False, False), "its own calls have not been slow"
    stage.now += SUSPICION + SLOW
    [handled] = stage.execute([messages[NEIGHBOUR]], slow_calls=known)
    assert not handled.moved


def test_a_slow_call_in_the_slow_lane_says_nothing_about_its_namespace(stage: Stage) -> None:
    stage.execute(first(stage), takes(stage, SLOW + SECOND))
    stage.at("08:59:59").save(key=NEIGHBOUR, schedule="* * * * *")
    stage.prove(NEIGHBOUR)
    [handled] = stage.at("09:00:10").execute(first(stage, NEIGHBOUR), slow_calls=SlowCalls())
    assert not handled.moved


def test_a_job_leaves_the_slow_lane_with_a_quick_call_once_its_slow_ones_are_over(stage: Stage) -> None:
    stage.execute(first(stage), takes(stage, SLOW + SECOND))
    stage.at("09:05").tick()
    stage.execute(first(stage))
    assert lane(stage) == (True, True)
    stage.at("09:15").tick()
    stage.execute(first(stage))
    assert lane(stage) == (False, False)


def test_a_lane_that_cannot_be_stored_fails_no_run(stage: Stage) -> None:
    stage.definitions.fails("set_lane", times=2)
    [handled] = stage.execute(first(stage), takes(stage, SLOW + SECOND), slow_calls=SlowCalls())
    assert handled.run is not None
    assert (handled.run.state, handled.deletable) == (RunState.SUCCEEDED, True)


def test_an_edit_during_a_call_keeps_what_the_edit_says(stage: Stage) -> None:
    def call(made: Call) -> Outcome:
        stage.now += 2 * SLOW
        stage.save(schedule="*/2 * * * *")
        made.cancelled()
        return SUCCESS

    stage.execute(first(stage), call)
    assert lane(stage) == (False, False)


def test_slow_calls_of_many_namespaces_are_forgotten() -> None:
    known = SlowCalls()
    for number in range(100):
        known.saw(f"n{number}", at("09:00") + number * SUSPICION)
    assert len(known._last) == 1


def test_a_call_that_cannot_be_slow_stores_nothing_when_it_times_out() -> None:
    stage = Stage("08:59:30")
    stage.save(schedule="* * * * *", timeout=SLOW)
    known = SlowCalls()
    stage.at("09:00").execute(first(stage), takes(stage, SLOW + SECOND), slow_calls=known)
    assert lane(stage) == (False, False)
    assert stage.definitions.calls["set_lane"] == 0
    stage.save(key=NEIGHBOUR, schedule="* * * * *")
    stage.prove(NEIGHBOUR)
    stage.at("09:01")
    [handled] = stage.execute(first(stage, NEIGHBOUR), slow_calls=known)
    assert not handled.moved, "its namespace is not suspected either"
