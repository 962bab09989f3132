"""Which attempts are retried, how many there are, and what is recorded of each."""

from __future__ import annotations

from datetime import timedelta

import pytest

from minutehand.domain.policies import Retry
from minutehand.domain.run import Attempt, Result, RunState
from minutehand.domain.token import attempt_nonce
from minutehand.usecases.ports.target import Call, Outcome
from tests.unit.domain.examples import SECOND, at
from tests.unit.usecases.running.retries.failing import BUSY, EVEN, FAILED, LATE, due, fails, on_their_way, stored
from tests.unit.usecases.stage import SUCCESS, Stage


def test_a_failed_attempt_is_retried_after_its_wait(stage: Stage) -> None:
    [handled] = stage.work(fails)
    assert handled.deletable
    assert (stored(stage).state, stored(stage).retry_at) == (RunState.RETRYING, at("09:00:10"))
    assert (stored(stage).finished_at, stored(stage).error) == (at("09:00"), BUSY)
    assert on_their_way(stage) == [(2, "09:00:10")]
    assert stage.at("09:00:09").work() == []
    stage.at("09:00:10").work()
    assert (stored(stage).state, stored(stage).attempt, stored(stage).retry_at) == (RunState.SUCCEEDED, 2, None)
    assert stored(stage).error is None
    assert (stored(stage).lateness, stored(stage).begun_at) == (timedelta(0), at("09:00"))


def test_the_last_attempt_s_end_is_the_run_s(stage: Stage) -> None:
    for clock in ("09:00", "09:00:10", "09:00:30", "09:10"):
        stage.at(clock).work(fails)
    assert [number for _, number in stage.called] == [1, 2, 3]
    assert (stored(stage).state, stored(stage).error) == (RunState.FAILED, BUSY)
    assert on_their_way(stage) == []


def test_a_run_with_one_attempt_ends_with_its_first_failure() -> None:
    stage = due(Retry())
    stage.work(fails)
    assert (stored(stage).state, on_their_way(stage)) == (RunState.FAILED, [])


@pytest.mark.parametrize(
    ("retry", "outcome", "state"),
    [
        (Retry(2, EVEN, retry_on=("5xx",)), FAILED, RunState.RETRYING),
        (Retry(2, EVEN, retry_on=("timed_out",)), FAILED, RunState.FAILED),
        (Retry(2, EVEN, retry_on=("timed_out",)), LATE, RunState.RETRYING),
        (Retry(2, EVEN, give_up_on=("timed_out",)), LATE, RunState.TIMED_OUT),
        (Retry(2, EVEN, give_up_on=("503",)), FAILED, RunState.FAILED),
        (Retry(2, EVEN, give_up_on=("HttpStatus",)), FAILED, RunState.FAILED),
        (Retry(2, EVEN, give_up_on=("ValueError",)), FAILED, RunState.RETRYING),
    ],
)
def test_the_job_says_which_errors_are_retried(retry: Retry, outcome: Outcome, state: RunState) -> None:
    stage = due(retry)
    stage.work(lambda _: outcome)
    assert stored(stage).state is state


def test_a_target_that_raises_is_retried_by_the_class_of_the_exception() -> None:
    stage = due(Retry(2, EVEN, retry_on=("ZeroDivisionError",)))
    stage.work(lambda _: Outcome(RunState.SUCCEEDED) if 1 // 0 else SUCCESS)
    assert stored(stage).state is RunState.RETRYING


def test_earlier_attempts_keep_worker_times_and_error(stage: Stage) -> None:
    def slow(outcome: Outcome, took: timedelta) -> object:
        def call(_call: Call) -> Outcome:
            stage.now += took
            return outcome

        return call

    for clock, worker, outcome in (
        ("09:00", "log-1", FAILED),
        ("09:00:12", "log-2", LATE),
        ("09:00:40", "log-3", SUCCESS),
    ):
        stage.worker = worker
        stage.at(clock).work(slow(outcome, 2 * SECOND))
    assert stored(stage).attempts == (
        Attempt(1, "log-1", attempt_nonce("token-1"), at("09:00"), at("09:00:02"), RunState.FAILED, BUSY),
        Attempt(2, "log-2", attempt_nonce("token-2"), at("09:00:12"), at("09:00:14"), RunState.TIMED_OUT, LATE.error),
    )
    assert (stored(stage).worker, stored(stage).attempt) == ("log-3", 3)
    assert stored(stage).duration == 2 * SECOND


def test_of_very_many_attempts_the_newest_are_kept() -> None:
    stage = due(Retry(20, EVEN._replace(factor=1)), takeovers=10)
    for _ in range(20):
        stage.work(fails)
        stage.now += 10 * SECOND
    numbers = [attempt.number for attempt in stored(stage).attempts]
    assert (stored(stage).state, stored(stage).attempt, numbers) == (RunState.FAILED, 20, list(range(1, 20)))


def test_each_attempt_s_own_output_is_kept(stage: Stage) -> None:
    answers = iter((FAILED, Outcome(RunState.FAILED, Result("http", 502, "down"), BUSY), SUCCESS))
    for clock in ("09:00", "09:00:10", "09:00:30"):
        stage.at(clock).work(lambda _: next(answers))
    kept = {attempt: output.result for (_, attempt), output in stage.state.outputs.items()}
    assert {attempt: result and result.body for attempt, result in kept.items()} == {1: "busy", 2: "down"}


def test_a_call_has_the_attempts_left(stage: Stage) -> None:
    left = []

    def call(made: Call) -> Outcome:
        left.append(made.attempts_left)
        return FAILED

    for clock in ("09:00", "09:00:10", "09:00:30"):
        stage.at(clock).work(call)
    assert left == [2, 1, 0]


def dies(stage: Stage) -> None:
    """A worker that starts what has arrived, and dies."""

    class Died(BaseException):
        pass

    def call(_call: Call) -> Outcome:
        raise Died

    messages = list(stage.state.messages)
    with pytest.raises(Died):
        stage.work(call)
    stage.state.messages[:] = messages


def test_a_take_over_is_no_retry(stage: Stage) -> None:
    dies(stage)
    stage.at("09:02").work(fails)
    assert (stored(stage).state, stored(stage).attempt, stored(stage).takeovers) == (RunState.RETRYING, 2, 1)
    for clock in ("09:02:10", "09:02:30"):
        stage.at(clock).work(fails)
    assert (stored(stage).state, stored(stage).attempt, stored(stage).takeovers) == (RunState.FAILED, 4, 1)
    assert [(one.number, one.state, one.finished_at) for one in stored(stage).attempts] == [
        (1, RunState.RUNNING, at("09:01:15")),
        (2, RunState.FAILED, at("09:02")),
        (3, RunState.FAILED, at("09:02:10")),
    ]


def test_a_run_without_retries_is_taken_over() -> None:
    stage = due(Retry())
    dies(stage)
    stage.at("09:02").work()
    assert (stored(stage).state, stored(stage).attempt) == (RunState.SUCCEEDED, 2)


def test_a_run_without_take_overs_is_retried() -> None:
    stage = due(takeovers=0)
    stage.work(fails)
    stage.at("09:00:10")
    dies(stage)
    stage.at("09:02").work()
    assert (stored(stage).state, stored(stage).attempt) == (RunState.LOST, 2)
