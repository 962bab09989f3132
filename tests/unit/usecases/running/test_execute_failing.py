"""A batch while stores, the queue, definitions or targets fail."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.domain.deadlines import LEASE_MARGIN
from minutehand.domain.run import RunState
from minutehand.usecases.ports.target import Call, Outcome
from minutehand.usecases.running.acknowledge import HAND_BACK
from minutehand.usecases.running.drain import drain
from tests.unit.domain.examples import MINUTE, SECOND, definition, revision
from tests.unit.usecases.running.messages import OTHER, hidden, queued
from tests.unit.usecases.stage import SUCCESS, Stage


@pytest.fixture
def stage() -> Stage:
    return Stage("09:00")


@pytest.mark.parametrize("port_and_method", [("runs", "get"), ("definitions", "governing"), ("inbox", "hide")])
def test_when_the_stores_do_not_answer_the_batch_is_handed_back(stage: Stage, port_and_method: tuple[str, str]) -> None:
    messages = [queued(stage), queued(stage, key=OTHER)]
    port, method = port_and_method
    getattr(stage, port).refuses(method, lambda *given: given[-1] != HAND_BACK)
    handled = stage.execute(messages)
    assert [one.deletable for one in handled] == [False, False]
    assert {one.problem for one in handled} == {f"{method} did not answer"}
    assert stage.state.hidden == [(message, HAND_BACK) for message in messages]
    assert stage.called == []


@pytest.mark.parametrize(
    ("receives", "seconds"), [(1, 10), (2, 20), (3, 40), (7, 640), (8, 900), (20, 900), (100_000, 900)]
)
@pytest.mark.parametrize(("port", "method"), [("runs", "get"), ("runs", "move")])
def test_each_time_that_the_stores_do_not_answer_a_message_is_hidden_for_longer(
    stage: Stage, port: str, method: str, receives: int, seconds: int
) -> None:
    message = queued(stage)._replace(receives=receives)
    getattr(stage, port).refuses(method, lambda *_: True)
    [handled] = stage.execute([message])
    assert (handled.deletable, handled.problem) == (False, f"{method} did not answer")
    assert hidden(stage, message)[-1] == seconds * SECOND
    assert stage.run("09:00").state is RunState.QUEUED


def test_workers_that_cannot_read_the_tables_for_days_lose_no_run(stage: Stage) -> None:
    """Each message comes back twenty times, is a dead letter then, and the drain sends it again."""
    message, ends = queued(stage), stage.now + timedelta(days=13)
    stage.runs.refuses("get", lambda *_: True)
    while stage.now < ends:
        for receives in range(1, 21):
            message = message._replace(receives=receives)
            stage.execute([message])
            stage.now += hidden(stage, message)[-1]
        stage.runs.refuses("get", lambda *_: False)
        assert drain(message, ports=stage.ports).deletable
        [sent] = stage.state.messages
        stage.now = max(stage.now, sent.not_before)
        stage.state.messages.clear()
        stage.runs.refuses("get", lambda *_: True)
    stage.runs.refuses("get", lambda *_: False)
    assert stage.run("09:00").state is RunState.QUEUED
    assert stage.run("09:00").resends < 100, "few turns: it waits for hours in each"
    stage.execute([message])
    assert stage.run("09:00").state is RunState.SUCCEEDED


@pytest.mark.parametrize(("port", "method"), [("runs", "get"), ("definitions", "governing")])
def test_an_unreadable_run_is_handed_back_alone(stage: Stage, port: str, method: str) -> None:
    bad, good = queued(stage, key=OTHER), queued(stage)
    getattr(stage, port).refuses(method, lambda keys: OTHER in keys or bad.run in keys)
    first, second = stage.execute([bad, good])
    assert (first.deletable, first.problem, hidden(stage, bad)) == (False, f"{method} did not answer", [HAND_BACK])
    assert (second.deletable, second.run.state) == (True, RunState.SUCCEEDED)


def test_after_a_failed_batch_read_each_message_is_read_alone(stage: Stage) -> None:
    messages = [queued(stage), queued(stage, key=OTHER)]
    stage.runs.fails("get")
    assert [one.deletable for one in stage.execute(messages)] == [True, True]
    assert [(message, MINUTE + 2 * LEASE_MARGIN) for message in messages] == stage.state.hidden


def test_a_message_that_cannot_be_hidden_keeps_its_old_visibility(stage: Stage) -> None:
    message = queued(stage)
    stage.inbox.fails("hide", times=2)  # past the limit, and then back
    [handled] = stage.execute([message])
    assert (handled.deletable, handled.problem, stage.state.hidden) == (False, "hide did not answer", [])


def test_a_poisonous_definition_fails_alone(stage: Stage) -> None:
    damaged = revision(2, "08:00")._replace(rule="damaged")
    bad, good = queued(stage, key=OTHER), queued(stage)
    stage.state.definitions[OTHER] = replace(definition(), revisions=(damaged,))
    first, second = stage.execute([bad, good])
    assert not first.deletable
    assert first.problem.startswith("ScheduleError: schedule: the stored schedule cannot be used")
    assert (second.deletable, second.run.state) == (True, RunState.SUCCEEDED)


def test_a_target_that_raises_fails_alone(stage: Stage) -> None:
    bad, good = queued(stage, key=OTHER), queued(stage)

    def call(made: Call) -> Outcome:
        if made.run.key.job == OTHER:
            raise RuntimeError("a bug")
        return SUCCESS

    first, second = stage.execute([bad, good], call)
    assert (first.deletable, second.deletable) == (True, True)
    assert first.run is not None
    assert first.run.error is not None
    assert (first.run.state, first.run.error.type, first.run.error.message) == (
        RunState.FAILED,
        "RuntimeError",
        "a bug",
    )
    kept = stage.outputs.get(first.run.key, 1)
    assert "in call" in kept.error.stack


def test_a_start_that_is_not_answered_keeps_its_message(stage: Stage) -> None:
    message = queued(stage)
    stage.runs.fails("move", times=4)
    [handled] = stage.execute([message])
    assert (handled.deletable, handled.problem, stage.called) == (False, "move did not answer", [])


def test_a_start_whose_answer_was_lost_finds_its_own_mark(stage: Stage) -> None:
    message = queued(stage)
    stage.runs.fails("move", after_effect=True)
    [handled] = stage.execute([message])
    assert (handled.deletable, handled.run.attempt, len(stage.called)) == (True, 1, 1)
