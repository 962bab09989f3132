"""The wait between two attempts always ends: a message or a deadline leads back to the run."""

from __future__ import annotations

from datetime import timedelta

import pytest

from minutehand.domain.run import RunState
from minutehand.domain.timer import Deadline
from tests.unit.domain.examples import MINUTE, SECOND, at
from tests.unit.usecases.crashes import attempts_never_repeat, live, rests, whatever_fails
from tests.unit.usecases.running.retries.failing import FAILED, HOUR, due, fails, on_their_way, stored, three
from tests.unit.usecases.stage import SUCCESS, Stage


def test_an_early_message_starts_nothing_and_is_replaced(stage: Stage) -> None:
    stage.work(fails)
    [handled] = stage.at("09:00:04").execute(stage.receive())
    assert handled.deletable
    assert [message.not_before for message in stage.state.messages] == [at("09:00:10")]
    assert (stored(stage).attempt, stage.called) == (1, [(stored(stage).key, 1)])


@pytest.mark.parametrize("seconds", [1, 2, 6, 10])
def test_the_next_attempt_starts_exactly_after_its_wait(seconds: int) -> None:
    stage = due(three(initial=seconds * SECOND))
    stage.now += timedelta(milliseconds=400)
    stage.work(fails)
    ended = stage.now
    [message] = stage.state.messages
    stage.now += timedelta(milliseconds=300)  # until the message is sent
    stage.now += message.whole_seconds(stage.now) * SECOND  # as SQS delays it
    stage.execute(stage.receive())
    assert stored(stage).attempt == 2
    assert stored(stage).started_at == ended + seconds * SECOND


def test_two_messages_of_one_retry_are_one_attempt(stage: Stage) -> None:
    stage.work(fails)
    stage.state.messages *= 2
    stage.at("09:00:10").work()
    assert [number for _, number in stage.called] == [1, 2]


@pytest.mark.parametrize("initial", [13 * MINUTE + SECOND, HOUR, 12 * HOUR])
def test_a_wait_longer_than_a_message_can_be_delayed_leaves_a_deadline(initial: timedelta) -> None:
    stage = due(three(initial=initial, max=12 * HOUR))
    [handled] = stage.work(fails)
    then = at("09:00") + initial
    assert handled.deletable
    assert on_their_way(stage) == []
    assert list(stage.state.deadlines.values()) == [Deadline(stored(stage).key, then - 2 * MINUTE)]
    stage.now = then - 2 * MINUTE - SECOND
    stage.tick()
    assert on_their_way(stage) == []
    stage.now += SECOND
    stage.tick()
    assert on_their_way(stage) == [(2, f"{then:%H:%M:%S}")]
    assert stage.state.deadlines == {}
    stage.now = then
    stage.work()
    assert (stored(stage).state, stored(stage).attempt) == (RunState.SUCCEEDED, 2)


def test_a_wait_within_the_delay_of_a_message_leaves_no_deadline() -> None:
    stage = due(three(initial=13 * MINUTE))
    stage.work(fails)
    assert (on_their_way(stage), stage.state.deadlines) == ([(2, "09:13:00")], {})


@pytest.mark.parametrize("refused", [True, False])
def test_a_message_is_deleted_only_once_the_next_one_is_sent(stage: Stage, refused: bool) -> None:
    messages = stage.receive()
    if refused:
        stage.picky.refuses = lambda _message: True
    else:
        stage.outbox.fails("send", times=4)
    [handled] = stage.execute(messages, fails)
    assert (handled.deletable, bool(handled.problem), stored(stage).state) == (False, True, RunState.RETRYING)
    assert on_their_way(stage) == []
    stage.picky.refuses = lambda _message: False
    stage.at("09:00:10").execute(messages)
    assert (stored(stage).state, stored(stage).attempt) == (RunState.SUCCEEDED, 2)


def test_a_message_is_deleted_only_once_the_deadline_is_stored() -> None:
    stage = due(three(initial=HOUR))
    stage.timers.fails("remind", times=4)
    [handled] = stage.work(fails)
    assert (handled.deletable, stage.state.deadlines) == (False, {})


@pytest.mark.thorough
def test_whatever_call_fails_a_run_is_retried_to_its_end() -> None:
    def scene(stage: Stage) -> None:
        live(stage, "09:12", lambda made: FAILED if made.attempts_left else SUCCESS)

    for trouble, stage in whatever_fails(due, scene):
        assert stored(stage).state is RunState.SUCCEEDED, trouble
        assert stored(stage).attempt - stored(stage).takeovers == 3, trouble
        assert stored(stage).takeovers <= 1, trouble
        attempts_never_repeat(stage)
        rests(stage)


@pytest.mark.thorough
def test_whatever_call_fails_a_long_wait_ends() -> None:
    def scene(stage: Stage) -> None:
        live(stage, "09:01", fails)
        live(stage.at("09:12"), "09:21")

    for trouble, stage in whatever_fails(lambda: due(three(initial=15 * MINUTE)), scene):
        assert stored(stage).state is RunState.SUCCEEDED, trouble
        assert stage.called[-1] == (stored(stage).key, stored(stage).attempt), trouble
        attempts_never_repeat(stage)
        rests(stage)
