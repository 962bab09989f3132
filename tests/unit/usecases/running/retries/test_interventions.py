"""Retries of runs whose job is deleted, paused or edited meanwhile, or that are cancelled."""

from __future__ import annotations

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.policies import Retry
from minutehand.domain.run import RunState, SkipReason
from minutehand.usecases.completion import cancel
from minutehand.usecases.definitions import manage
from minutehand.usecases.ports.target import Call, Outcome
from tests.unit.domain.examples import KEY, at, job
from tests.unit.usecases.running.retries.failing import BUSY, EVEN, FAILED, LATE, fails, on_their_way, stored
from tests.unit.usecases.stage import SUCCESS, Stage


def test_a_run_of_a_deleted_job_is_not_retried(stage: Stage) -> None:
    stage.work(fails)
    manage.delete(stage.ports, KEY, who=Actor("ada"))
    [handled] = stage.at("09:00:10").work()
    assert handled.deletable
    assert (stored(stage).state, stored(stage).error, stored(stage).retry_at) == (RunState.FAILED, BUSY, None)
    assert stage.called == [(stored(stage).key, 1)]


def test_a_run_of_a_deleted_job_that_was_late_has_timed_out(stage: Stage) -> None:
    stage.work(lambda _: LATE)
    manage.delete(stage.ports, KEY, who=Actor("ada"))
    stage.at("09:00:10").work()
    assert (stored(stage).state, stored(stage).error) == (RunState.TIMED_OUT, LATE.error)


def test_a_job_deleted_during_its_last_call_has_its_failure_recorded(stage: Stage) -> None:
    def call(_call: Call) -> Outcome:
        manage.delete(stage.ports, KEY, who=Actor("ada"))
        return FAILED

    stage.work(call)
    stage.at("09:00:10").work()
    assert (stored(stage).state, stored(stage).attempt) == (RunState.FAILED, 1)


def test_the_attempt_before_a_retry_whose_job_is_deleted_ended_when_it_failed(stage: Stage) -> None:
    stage.work(fails)
    failed = stored(stage)
    manage.delete(stage.ports, failed.key.job, who=Actor("ada"))
    stage.at("09:05").work()
    assert stored(stage).state is RunState.FAILED
    assert stored(stage).duration == failed.duration
    assert [one.finished_at for one in stored(stage).attempts] == [failed.finished_at]


@pytest.mark.parametrize(
    ("outcome", "state"),
    [
        (FAILED, RunState.CANCELLED),
        (LATE, RunState.CANCELLED),
        (Outcome(RunState.CANCELLED), RunState.CANCELLED),
        (SUCCESS, RunState.SUCCEEDED),
    ],
)
def test_a_cancelled_attempt_that_fails_is_not_retried(stage: Stage, outcome: Outcome, state: RunState) -> None:
    def call(made: Call) -> Outcome:
        cancel.cancel(stage.ports, made.run.key, who=Actor("bob"))
        return outcome

    stage.work(call)
    assert (stored(stage).state, stored(stage).cancelled_by) == (state, "bob")
    assert (stored(stage).result, stored(stage).error) == (outcome.result, outcome.error)
    assert on_their_way(stage) == []


def test_a_run_that_waits_for_its_retry_is_cancelled_at_once(stage: Stage) -> None:
    stage.work(fails)
    cancel.cancel(stage.ports, stored(stage).key, who=Actor("bob"))
    assert (stored(stage).state, stored(stage).retry_at) == (RunState.CANCELLED, None)
    [handled] = stage.at("09:00:10").work()
    assert (handled.deletable, stored(stage).attempt, stored(stage).error) == (True, 1, BUSY)


def test_the_attempt_before_a_retry_that_is_cancelled_ended_when_it_failed_and_not_with_the_run(stage: Stage) -> None:
    stage.work(fails)
    failed = stored(stage)
    stage.at("09:00:09")
    cancel.cancel(stage.ports, failed.key, who=Actor("bob"))
    cancelled = stored(stage)
    assert cancelled.finished_at == at("09:00:09")
    assert cancelled.duration == failed.duration
    [attempt] = cancelled.attempts
    assert (attempt.number, attempt.finished_at, attempt.state) == (1, failed.finished_at, RunState.FAILED)


def test_a_pause_keeps_no_run_from_its_next_attempt(stage: Stage) -> None:
    stage.work(fails)
    manage.pause(stage.ports, KEY, who=Actor("ada"))
    stage.at("09:00:10").work()
    assert (stored(stage).state, stored(stage).attempt) == (RunState.SUCCEEDED, 2)


def test_a_queued_run_whose_job_was_paused_is_skipped_and_never_retried(stage: Stage) -> None:
    manage.pause(stage.ports, KEY, who=Actor("ada"))
    stage.work(fails)
    assert (stored(stage).state, stored(stage).skip_reason) == (RunState.SKIPPED, SkipReason.PAUSED)


def test_an_edit_counts_from_the_next_attempt_on(stage: Stage) -> None:
    stage.work(fails)
    stage.save(job("0 9 * * *", retry=Retry(2, EVEN), payload="new"))
    seen = []

    def call(made: Call) -> Outcome:
        seen.append(made.payload)
        return FAILED

    stage.at("09:00:10").work(call)
    assert (seen, stored(stage).state, stored(stage).attempt) == (["new"], RunState.FAILED, 2)
