"""Runs that a worker does not start itself: another queue gets their messages, or they wait until somebody takes them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from minutehand.domain.concurrency import Full, NobodyLive
from minutehand.domain.definition import Definition
from minutehand.domain.errors import Unavailable
from minutehand.domain.run import Run, RunState, SkipReason
from minutehand.domain.taken_limit import LimitKind
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.running.worker import Forwarded
from tests.unit.domain.examples import MINUTE, SECOND, at, job
from tests.unit.usecases.stage import Stage

NOBODY = Full(NobodyLive("web"))


class Elsewhere:
    """A `Forward` that answers what it is told, and notes what it was asked."""

    def __init__(self, answer: Forwarded | Full | Exception | None) -> None:
        self.answer = answer
        self.asked: list[tuple[str, int]] = []

    def __call__(self, run: Run, _definition: Definition, /) -> Forwarded | Full | None:
        self.asked.append((run.key.run_id, run.attempt))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def due(**fields: object) -> tuple[Stage, list[Received]]:
    stage = Stage("08:59:30")
    stage.save(job("0 9 * * *", **fields))
    stage.tick()
    return stage.at("09:00"), stage.receive()


def test_a_run_whose_message_another_queue_has_taken_is_not_started_here() -> None:
    stage, messages = due()
    forward = Elsewhere(Forwarded())
    [handled] = stage.execute(messages, forward=forward)
    assert (handled.deletable, handled.moved, handled.started, handled.ended) == (True, True, False, False)
    assert forward.asked == [("20261120T090000Z", 0)]
    assert stage.called == []
    assert stage.run("09:00").state is RunState.QUEUED


def test_a_message_stays_if_the_other_queue_does_not_take_it() -> None:
    stage, messages = due()
    [handled] = stage.execute(messages, forward=Elsewhere(Unavailable("SendMessage failed")))
    assert (handled.deletable, handled.moved, handled.started) == (False, False, False)
    assert "SendMessage failed" in handled.problem
    assert handled.achieved_nothing
    assert stage.state.hidden[-1] == (messages[0], 10 * SECOND)
    assert stage.called == []


def test_a_run_that_is_not_forwarded_starts_here() -> None:
    stage, messages = due()
    [handled] = stage.execute(messages, forward=Elsewhere(None))
    assert handled.started
    assert stage.run("09:00").state is RunState.SUCCEEDED


def test_a_run_that_nobody_can_take_looks_again_and_says_whom_it_waits_for() -> None:
    stage, messages = due()
    [handled] = stage.execute(messages, forward=Elsewhere(NOBODY))
    assert (handled.deletable, handled.started) == (True, False)
    run = stage.run("09:00")
    assert (run.state, run.waits_for.kind, run.waits_for.name) == (RunState.QUEUED, LimitKind.POOL, "web")
    [message] = stage.state.messages
    assert message.not_before == run.retry_at
    assert 5 * SECOND <= run.retry_at - stage.now <= 15 * SECOND


def test_a_run_that_waited_and_is_forwarded_no_longer_says_that_it_waits() -> None:
    stage, messages = due()
    stage.execute(messages, forward=Elsewhere(NOBODY))
    stage.wait(15)
    [handled] = stage.execute(stage.receive(), forward=Elsewhere(Forwarded()))
    assert handled.moved
    run = stage.run("09:00")
    assert (run.state, run.waits_for, run.retry_at) == (RunState.QUEUED, None, None)


def test_that_a_run_waited_is_only_shown_so_it_is_forwarded_also_if_that_cannot_be_written() -> None:
    stage, messages = due()
    stage.execute(messages, forward=Elsewhere(NOBODY))
    stage.wait(15)
    stage.runs.fails("move", times=9)
    [handled] = stage.execute(stage.receive(), forward=Elsewhere(Forwarded()))
    assert (handled.deletable, handled.moved) == (True, True)


def test_a_run_that_nobody_takes_within_start_within_is_skipped() -> None:
    stage, messages = due(start_within=MINUTE)
    stage.execute(messages, forward=Elsewhere(NOBODY))
    for _ in range(10):
        stage.wait(15)
        stage.execute(stage.receive(), forward=Elsewhere(NOBODY))
    run = stage.run("09:00")
    assert (run.state, run.skip_reason) == (RunState.SKIPPED, SkipReason.START_WITHIN)
    assert run.waits_for.kind is LimitKind.POOL


def test_a_shadow_is_not_forwarded_since_it_calls_nothing() -> None:
    stage, messages = due(shadow=True)
    forward = Elsewhere(Forwarded())
    [handled] = stage.execute(messages, forward=forward)
    assert handled.started
    assert forward.asked == []
    assert stage.run("09:00").skip_reason is SkipReason.SHADOW


@pytest.mark.parametrize("fields", [{"paused": True}, {"schedule": "0 8 * * *"}])
def test_only_a_run_that_may_start_is_forwarded(fields: dict[str, object]) -> None:
    stage, messages = due()
    stage.at("08:59:50").save(job(**{"schedule": "0 9 * * *"} | fields))
    forward = Elsewhere(Forwarded())
    [handled] = stage.at("09:00").execute(messages, forward=forward)
    assert handled.ended
    assert forward.asked == []
    assert stage.run("09:00").state is RunState.SKIPPED


def test_a_take_over_is_forwarded_too() -> None:
    stage, messages = due(takeovers=1)
    stage.time_left = timedelta(days=1)
    died = Elsewhere(None)
    stage.runs.fails("move", times=20, after_effect=True)
    stage.execute(messages, forward=died)
    run = stage.run("09:00")
    assert run.state is RunState.RUNNING
    stage.now = run.lease_until
    forward = Elsewhere(Forwarded())
    [handled] = stage.execute(messages, forward=forward)
    assert forward.asked == [("20261120T090000Z", 1)]
    assert handled.moved
    assert stage.run("09:00").state is RunState.RUNNING


def test_the_record_of_a_run_that_waits_long_is_kept_longer() -> None:
    stage, messages = due()
    stage.execute(messages, forward=Elsewhere(NOBODY))
    early = stage.run("09:00").expires_at
    stage.now = at("09:00") + timedelta(days=20)
    stage.execute(stage.receive(), forward=Elsewhere(Forwarded()))
    assert stage.run("09:00").expires_at > early
