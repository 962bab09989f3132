"""A worker's batch: starts, waits and messages handed back."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.domain.deadlines import LEASE_MARGIN
from minutehand.domain.policies import Retry
from minutehand.domain.run import RunError, RunState, SkipReason
from minutehand.domain.token import attempt_nonce
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.target import Call, Outcome
from minutehand.usecases.running.acknowledge import HAND_BACK
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at, definition, job, revision, run
from tests.unit.usecases.running.messages import OTHER, hidden, queued
from tests.unit.usecases.stage import CALLBACKS, SUCCESS, Stage


@pytest.fixture
def stage() -> Stage:
    return Stage("09:00")


def test_a_run_is_started_called_and_reported(stage: Stage) -> None:
    message = queued(stage)
    stage.at("09:00:00.400")

    def call(made: Call) -> Outcome:
        running = stage.run("09:00")
        assert made.run == running
        assert running.state is RunState.RUNNING
        assert (running.attempt, running.started_at) == (1, at("09:00:00.400"))
        assert running.lease_until == at("09:00:00.400") + MINUTE + LEASE_MARGIN
        assert made.timeout == MINUTE
        stage.at("09:00:02.400")
        return SUCCESS

    [handled] = stage.execute([message], call)
    ended = stage.run("09:00")
    assert (handled.deletable, handled.started, handled.run, handled.problem) == (True, True, ended, "")
    assert (ended.state, ended.attempt, ended.result) == (RunState.SUCCEEDED, 1, SUCCESS.result)
    assert (ended.finished_at, ended.duration) == (at("09:00:02.400"), 2 * SECOND)
    assert ended.lateness == timedelta(milliseconds=400)


@pytest.mark.parametrize("state", [RunState.FAILED, RunState.TIMED_OUT])
def test_a_failure_is_reported_as_an_outcome(stage: Stage, state: RunState) -> None:
    outcome = Outcome(state=state, error=RunError(type="HttpStatus", message="the answer was 503"))
    [handled] = stage.execute([queued(stage)], lambda _: outcome)
    assert (handled.deletable, handled.run.state, handled.run.error) == (True, state, outcome.error)


def test_the_newest_definition_runs(stage: Stage) -> None:
    message = queued(stage)
    stage.state.definitions[KEY] = definition(
        revision(1, "08:00"), revision(2, "08:30"), payload={"new": True}, timeout=5 * SECOND
    )
    seen: list[Call] = []
    stage.execute([message], lambda made: seen.append(made) or SUCCESS)
    assert [(made.payload, made.timeout) for made in seen] == [({"new": True}, 5 * SECOND)]


def test_a_call_has_callback_deadline_and_attempts_left(stage: Stage) -> None:
    message = queued(stage, attempt=2, takeovers=1)
    stage.state.definitions[KEY] = definition(revision(1, "08:00"), retry=Retry(max_attempts=5))
    seen: list[Call] = []
    stage.at("09:00:01").execute([message], lambda made: seen.append(made) or SUCCESS)
    [made] = seen
    assert made.callback_url == f"{CALLBACKS}/v1/callbacks/{KEY}/20261120T090000Z/3"
    assert (made.deadline, made.attempts_left) == (at("09:01:01"), 3)
    assert (made.run.nonce, len(made.run.nonce)) == (attempt_nonce(made.token), 32)
    assert made.token not in str(stage.run("09:00"))


def test_a_batch_is_hidden_past_its_longest_limit_before_anything_starts(stage: Stage) -> None:
    messages = [queued(stage), queued(stage, key=OTHER)]
    stage.state.definitions[OTHER] = replace(definition(), job=job(key=OTHER, timeout=10 * MINUTE))
    before_the_call = []
    stage.execute(messages, lambda _: before_the_call.append(list(stage.state.hidden)) or SUCCESS)
    both = [(message, 10 * MINUTE + 2 * LEASE_MARGIN) for message in messages]
    assert before_the_call == [both, both]


def test_a_batch_is_read_in_one_call_each(stage: Stage) -> None:
    messages = [queued(stage), queued(stage, "08:59"), queued(stage, key=OTHER)]
    stage.execute(messages)
    assert (stage.runs.calls["get"], stage.definitions.calls["governing"], stage.inbox.calls["hide"]) == (1, 1, 1)
    assert len(stage.called) == 3


def test_a_run_whose_instant_has_not_come_is_handed_back_until_then(stage: Stage) -> None:
    message = queued(stage, "09:01:30")
    [handled] = stage.execute([message])
    assert (handled.deletable, handled.started, handled.problem) == (False, False, "")
    assert at("09:01:30") <= stage.now + hidden(stage, message)[-1] <= at("09:01:31")
    assert stage.run("09:01:30").state is RunState.QUEUED


def test_a_run_with_a_live_lease_is_handed_back_until_its_end(stage: Stage) -> None:
    message = queued(stage, state=RunState.RUNNING, attempt=1, nonce="w", lease_until=at("09:00:40"))
    [handled] = stage.execute([message])
    assert not handled.deletable, "it may be the only copy"
    assert at("09:00:40") <= stage.now + hidden(stage, message)[-1] <= at("09:00:41")


@pytest.mark.parametrize("state", [state for state in RunState if state.finished])
def test_the_message_of_a_finished_run_is_deleted(stage: Stage, state: RunState) -> None:
    [handled] = stage.execute([queued(stage, state=state)])
    assert (handled.deletable, handled.started, stage.called) == (True, False, [])


def test_the_message_of_a_missing_run_is_deleted(stage: Stage) -> None:
    [handled] = stage.execute([Received(run=run().key, attempt=1, receipt="r")])
    assert (handled.deletable, handled.run) == (True, None)


@pytest.mark.parametrize(
    ("known", "reason"),
    [
        (definition(revision(1, "08:00"), revision(2, "08:30", None), paused=True), SkipReason.PAUSED),
        (definition(revision(1, "08:00"), revision(2, "08:30", None), deleted=True), SkipReason.DELETED),
        (definition(revision(1, "08:00"), revision(2, "08:30", "7 * * * *")), SkipReason.SUPERSEDED),
    ],
    ids=str,
)
def test_a_run_that_a_policy_stops_is_recorded_as_skipped(stage: Stage, known: object, reason: SkipReason) -> None:
    message = queued(stage)
    stage.state.definitions[KEY] = known
    [handled] = stage.execute([message])
    skipped = stage.run("09:00")
    assert (skipped.state, skipped.skip_reason, skipped.revision) == (RunState.SKIPPED, reason, 2)
    assert (skipped.finished_at, skipped.attempt) == (stage.now, 0)
    assert (handled.deletable, handled.run, stage.called) == (True, skipped, [])


def dead(stage: Stage, *, takeovers: int, allowed: int = 1) -> Received:
    """A run whose worker died: its lease has expired."""
    message = queued(
        stage, state=RunState.RUNNING, attempt=1 + takeovers, takeovers=takeovers, nonce="dead",
        lease_until=at("08:59"), started_at=at("08:58"), lateness=SECOND,
    )  # fmt: skip
    stage.state.definitions[KEY] = definition(takeovers=allowed)
    return message


def test_a_dead_workers_run_is_taken_over_with_the_next_attempt(stage: Stage) -> None:
    [handled] = stage.execute([dead(stage, takeovers=0)])
    assert stage.called == [(run().key, 2)]
    ended = handled.run
    assert (ended.state, ended.attempt, ended.takeovers) == (RunState.SUCCEEDED, 2, 1)
    assert (ended.started_at, ended.lateness) == (stage.now, SECOND), "lateness is the first attempt's"


def test_when_take_overs_are_used_up_the_run_is_lost(stage: Stage) -> None:
    [handled] = stage.execute([dead(stage, takeovers=1)])
    assert (handled.deletable, handled.run.state, stage.called) == (True, RunState.LOST, [])
    assert handled.run.error.type == "WorkerLost"
    assert "attempt 2 ended without a report, after 1 take-overs" in handled.run.error.message
    assert handled.run.finished_at == stage.now


@pytest.mark.parametrize(
    ("left", "starts"),
    [(MINUTE + LEASE_MARGIN, True), (MINUTE + LEASE_MARGIN - timedelta(milliseconds=1), False)],
)
def test_a_worker_with_too_little_time_left_hands_the_message_back_at_once(
    stage: Stage, left: timedelta, starts: bool
) -> None:
    message = queued(stage)
    stage.time_left = left
    [handled] = stage.execute([message])
    assert bool(stage.called) is handled.deletable is starts
    if not starts:
        assert hidden(stage, message)[-1] == timedelta(0)
        assert stage.run("09:00").state is RunState.QUEUED


def test_two_messages_of_one_run_in_a_batch_are_one_call(stage: Stage) -> None:
    message = queued(stage)
    twin = message._replace(receipt="twin")

    def while_it_runs(_: Call) -> Outcome:
        [handled] = stage.execute([twin])
        assert (handled.deletable, handled.run.state) == (False, RunState.RUNNING)
        return SUCCESS

    [handled] = stage.execute([message], while_it_runs)
    assert (handled.deletable, stage.called) == (True, [(run().key, 1)])


def test_a_worker_that_loses_the_start_waits_for_the_winner(stage: Stage) -> None:
    message = queued(stage)
    winner = run(state=RunState.RUNNING, attempt=1, nonce="winner", lease_until=at("09:01"))
    stage.runs.before("move", lambda: stage.state.runs.update({winner.key: winner}))
    [handled] = stage.execute([message])
    assert (handled.deletable, handled.run, stage.called) == (False, winner, [])
    assert hidden(stage, message)[-1] >= MINUTE


def test_a_worker_that_loses_a_skip_accepts_the_stored_run(stage: Stage) -> None:
    message = queued(stage)
    stage.state.definitions[KEY] = definition(revision(2, "08:30", None), paused=True)
    started = run(state=RunState.RUNNING, attempt=1, nonce="w", lease_until=at("09:01"))
    stage.runs.before("move", lambda: stage.state.runs.update({started.key: started}))
    [handled] = stage.execute([message])
    assert (handled.deletable, handled.run) == (False, started)


def test_a_run_under_too_many_concurrent_updates_is_handed_back(stage: Stage) -> None:
    message = queued(stage)

    def reopened_by(revision: int) -> None:
        stage.state.runs[run().key] = run(revision=revision, state=RunState.QUEUED, nonce=f"n{revision}")

    stage.runs.before("move", *(lambda n=n: reopened_by(n) for n in range(2, 9)))
    [handled] = stage.execute([message])
    assert (handled.deletable, handled.problem, stage.called) == (False, "too many concurrent updates of the run", [])
    assert hidden(stage, message)[-1] == HAND_BACK
