from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.errors import KeyReused, NotFound, Unavailable
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Overlap, Retry
from minutehand.domain.run import Run, RunError, RunState
from minutehand.usecases.definitions import manage
from minutehand.usecases.operations.trigger import SEND_WITHIN, Triggered, trigger
from minutehand.usecases.ports.messages import Message
from minutehand.usecases.ports.stores import Payload
from minutehand.usecases.ports.target import Call, Outcome
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at, definition, job
from tests.unit.usecases.stage import SUCCESS, Stage


@pytest.fixture
def stage() -> Stage:
    stage = Stage("09:00:03.400")
    stage.state.definitions[KEY] = definition()
    return stage


def asked(stage: Stage, key: str = "once", of: JobKey = KEY, **options: Any) -> Triggered:
    return trigger(stage.ports, of, idempotency_key=key, who=Actor("ada"), **options)


def test_a_trigger_makes_a_run_now_and_sends_it(stage: Stage) -> None:
    triggered = asked(stage)
    made: Run = triggered.run
    assert triggered.created
    assert (made.state, made.attempt, made.revision, made.target) == (RunState.QUEUED, 0, 1, "http")
    assert made.key.run_id.startswith("20261120T090003Z~trigger-")
    assert (made.claimed_at, made.expires_at) == (stage.now, at("09:00:03") + definition().job.retention)
    assert stage.state.messages == [Message(run=made.key, attempt=1, target="http", not_before=at("09:00:03"))]
    assert stage.state.deadlines == {}, "it is sent, so nothing need remind of it"


def test_a_repeated_call_changes_nothing(stage: Stage) -> None:
    first = asked(stage)
    stage.now += 5 * MINUTE
    again = asked(stage)
    assert (again.run, again.created) == (first.run, False)
    assert (len(stage.state.runs), len(stage.state.messages)) == (1, 1)


def test_a_repeated_trigger_answers_the_stored_run(stage: Stage) -> None:
    made = asked(stage).run
    stage.state.runs[made.key] = done = replace(made, state=RunState.SUCCEEDED, attempt=1)
    assert asked(stage) == Triggered(run=done, created=False)


def test_another_key_is_another_run_even_in_the_same_second(stage: Stage) -> None:
    assert asked(stage, "one").run.key != asked(stage, "two").run.key
    assert len(stage.state.messages) == 2


def test_a_key_counts_for_one_job_alone(stage: Stage) -> None:
    other = JobKey(namespace="shop", name="stock")
    stage.state.definitions[other] = replace(definition(), job=replace(definition().job, key=other))
    assert asked(stage).created
    assert asked(stage, of=other).created


def test_a_key_does_not_outlive_its_job(stage: Stage) -> None:
    first = asked(stage, payload=Payload(1)).run
    manage.delete(stage.ports, KEY, who=Actor("ada"))
    stage.save(schedule="@manual")
    again = asked(stage)
    assert (again.created, again.run.own_payload) == (True, False)
    assert again.run.key != first.key, "though it is the same second"
    stage.now += MINUTE
    assert asked(stage) == Triggered(run=again.run, created=False), "once for the job as it is now"


def test_an_edit_or_a_pause_leaves_a_key_used(stage: Stage) -> None:
    first = asked(stage).run
    manage.pause(stage.ports, KEY, who=Actor("ada"))
    stage.save(schedule="@manual")
    assert asked(stage) == Triggered(run=first, created=False)


def test_a_run_that_could_not_be_sent_is_still_created(stage: Stage) -> None:
    stage.outbox.fails("send")
    made = asked(stage)
    assert made.created, "to the caller it is done"
    assert stage.state.messages == []
    [kept] = stage.state.deadlines.values()
    assert (kept.run, kept.next_at) == (made.run.key, at("09:00:03") + SEND_WITHIN)


def test_a_run_that_the_queue_refused_is_left_to_its_deadline(stage: Stage) -> None:
    stage.picky.refuses = lambda message: True
    assert asked(stage).created
    assert len(stage.state.deadlines) == 1


def test_the_deadline_has_the_next_tick_send_it(stage: Stage) -> None:
    stage.outbox.fails("send")
    made = asked(stage).run
    stage.now = at("09:00:03") + SEND_WITHIN - SECOND
    stage.tick()
    assert stage.state.messages == []
    stage.now += SECOND
    stage.tick()
    assert [message.run for message in stage.state.messages] == [made.key]
    assert stage.state.deadlines == {}


def test_a_deadline_that_could_not_be_removed_does_no_harm(stage: Stage) -> None:
    stage.timers.fails("settle")
    assert asked(stage).created
    assert len(stage.state.deadlines) == 1


def test_a_transaction_that_does_not_answer_is_the_callers_to_repeat(stage: Stage) -> None:
    stage.runs.fails("trigger", after_effect=True)
    with pytest.raises(Unavailable):
        asked(stage)
    stage.now += SECOND
    again = asked(stage)
    assert not again.created
    assert len(stage.state.runs) == len(stage.state.deadlines) == 1, "the deadline will have it sent"


def test_a_paused_job_may_be_triggered_and_runs(stage: Stage) -> None:
    manage.pause(stage.ports, KEY, who=Actor("ada"))
    assert asked(stage).created
    [handled] = stage.execute(stage.receive())
    assert handled.run.state is RunState.SUCCEEDED


def test_an_unknown_job_cannot_be_triggered(stage: Stage) -> None:
    with pytest.raises(NotFound, match="there is no job shop/ghost"):
        asked(stage, of=JobKey(namespace="shop", name="ghost"))


def test_a_deleted_job_cannot_be_triggered(stage: Stage) -> None:
    manage.delete(stage.ports, KEY, who=Actor("ada"))
    with pytest.raises(NotFound, match="there is no job shop/report"):
        asked(stage)
    assert stage.state.runs == {}


def test_a_run_hands_on_its_own_payload_or_else_its_job_s(stage: Stage) -> None:
    stage.state.definitions[KEY] = definition(payload="the job's")
    for key, options in (("a", {}), ("b", {"payload": Payload({"day": 1})}), ("c", {"payload": Payload(None)})):
        asked(stage, key, **options)
    handed: list[Any] = []

    def call(made: Call) -> Outcome:
        handed.append(made.payload)
        return SUCCESS

    assert all(handled.deletable for handled in stage.execute(stage.receive(), call))
    assert handed == ["the job's", {"day": 1}, None]
    assert stage.runs.calls["payload"] == 2, "a plain run costs no call"


def test_a_payload_that_cannot_be_read_costs_no_attempt(stage: Stage) -> None:
    made = asked(stage, payload=Payload(1)).run
    stage.runs.fails("payload")
    [handled] = stage.execute(stage.receive())
    assert (handled.deletable, handled.problem) == (False, "payload did not answer")
    assert stage.state.runs[made.key].state is RunState.QUEUED


@pytest.mark.parametrize("overlap", [Overlap.ALLOW, Overlap.QUEUE_ALL])
def test_a_run_whose_payload_is_gone_fails_without_a_call_and_without_a_retry(stage: Stage, overlap: Overlap) -> None:
    stage.state.definitions[KEY] = replace(definition(), job=job(retry=Retry(max_attempts=3), overlap=overlap))
    made = asked(stage, payload=Payload(1)).run
    stage.state.payloads.clear()
    [handled] = stage.execute(stage.receive())
    ended = stage.state.runs[made.key]
    assert (handled.deletable, stage.called) == (True, [])
    assert (ended.state, ended.attempt, ended.retry_at) == (RunState.FAILED, 1, None)
    assert ended.error is not None
    assert ended.error.type == "PayloadGone"
    assert ended.error.message.startswith(f"the payload of run {made.key.run_id} is gone")


def test_a_run_whose_payload_goes_between_two_attempts_fails_at_the_second(stage: Stage) -> None:
    stage.state.definitions[KEY] = replace(definition(), job=job(retry=Retry(max_attempts=3)))
    made = asked(stage, payload=Payload(1)).run
    stage.execute(stage.receive(), lambda _: Outcome(RunState.FAILED, error=RunError("Oops", "try again")))
    retried = stage.state.runs[made.key]
    assert (retried.state, retried.retry_at is not None) == (RunState.RETRYING, True)
    stage.state.payloads.clear()
    stage.now += timedelta(minutes=15)
    stage.execute(stage.receive())
    ended = stage.state.runs[made.key]
    assert (ended.state, ended.attempt, [one.number for one in ended.attempts]) == (RunState.FAILED, 2, [1])
    assert ended.error is not None
    assert ended.error.type == "PayloadGone"


def test_a_trigger_may_ignore_other_active_runs(stage: Stage) -> None:
    assert asked(stage, "a", ignore_overlap=True).run.overlap is Overlap.ALLOW
    assert asked(stage, "b").run.overlap is None


@pytest.mark.parametrize(
    ("first", "again", "what"),
    [
        ({}, {"payload": Payload(None)}, "with another payload"),
        ({"payload": Payload(1)}, {}, "with another payload"),
        ({"payload": Payload(1)}, {"payload": Payload(True)}, "with another payload"),
        ({"ignore_overlap": True}, {}, "with another ignore_overlap"),
        ({}, {"ignore_overlap": True, "payload": Payload(1)}, "with another ignore_overlap and another payload"),
    ],
)
def test_a_key_that_was_used_for_something_else_is_refused(
    stage: Stage, first: dict[str, Any], again: dict[str, Any], what: str
) -> None:
    made = asked(stage, **first).run
    stage.now += SECOND
    with pytest.raises(KeyReused, match=f"made run {made.key.run_id} of shop/report, {what}; repeat the same request"):
        asked(stage, **again)
    assert asked(stage, **first) == Triggered(run=made, created=False)
    assert len(stage.state.runs) == 1


def test_a_repeated_trigger_whose_payload_is_written_in_another_order_is_the_same(stage: Stage) -> None:
    made = asked(stage, payload=Payload({"a": 1, "b": 2})).run
    stage.now += SECOND
    assert asked(stage, payload=Payload({"b": 2, "a": 1})) == Triggered(run=made, created=False)
