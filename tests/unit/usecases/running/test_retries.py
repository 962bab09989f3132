"""Retries: what becomes of a run whose attempt did not succeed."""

from __future__ import annotations

from datetime import timedelta

import pytest

from minutehand.domain.job import Backoff, Retry
from minutehand.domain.run import Attempt, Result, Run, RunError, RunState, SkipReason
from minutehand.domain.timer import Deadline
from minutehand.domain.token import attempt_nonce
from minutehand.usecases.definitions import manage
from minutehand.usecases.ending import cancel
from minutehand.usecases.ports.calling import Call, Outcome
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at, job
from tests.unit.usecases.crashes import attempts_never_repeat, live, rests, whatever_fails
from tests.unit.usecases.stage import SUCCESS, Stage

HOUR = timedelta(hours=1)
EVEN = Backoff(initial=10 * SECOND, factor=2, max=HOUR, jitter=0)
BUSY = RunError("HttpStatus", "HTTP 503")
FAILED = Outcome(RunState.FAILED, Result("http", 503, "busy"), BUSY)
LATE = Outcome(RunState.TIMED_OUT, None, RunError("TimedOut", "no answer within 60 s"))


def fails(_call: Call) -> Outcome:
    return FAILED


def three(**backoff: object) -> Retry:
    return Retry(3, EVEN._replace(**backoff))


def due(retry: Retry | None = None, **fields: object) -> Stage:
    """A stage at nine, where the one run of the day is to begin."""
    stage = Stage("08:59")
    stage.save(job("0 9 * * *", retry=retry or three(), **fields))
    stage.tick()
    return stage.at("09:00")


@pytest.fixture
def stage() -> Stage:
    return due()


def stands(stage: Stage) -> Run:
    run = stage.run("09:00")
    assert run is not None
    return run


def on_their_way(stage: Stage) -> list[tuple[int, str]]:
    return [(message.attempt, f"{message.not_before:%H:%M:%S}") for message in stage.state.messages]


def test_a_failed_attempt_is_tried_again_after_its_wait(stage: Stage) -> None:
    [handled] = stage.work(fails)
    assert handled.deletable
    assert (stands(stage).state, stands(stage).retry_at) == (RunState.RETRYING, at("09:00:10"))
    assert (stands(stage).finished_at, stands(stage).error) == (at("09:00"), BUSY)
    assert on_their_way(stage) == [(2, "09:00:10")]
    assert stage.at("09:00:09").work() == []
    stage.at("09:00:10").work()
    assert (stands(stage).state, stands(stage).attempt, stands(stage).retry_at) == (RunState.SUCCEEDED, 2, None)
    assert stands(stage).error is None
    assert (stands(stage).lateness, stands(stage).begun_at) == (timedelta(0), at("09:00"))


def test_the_last_attempt_s_end_is_the_run_s(stage: Stage) -> None:
    for clock in ("09:00", "09:00:10", "09:00:30", "09:10"):
        stage.at(clock).work(fails)
    assert [number for _, number in stage.called] == [1, 2, 3]
    assert (stands(stage).state, stands(stage).error) == (RunState.FAILED, BUSY)
    assert on_their_way(stage) == []


def test_a_run_that_may_be_tried_once_ends_with_its_first_failure() -> None:
    stage = due(Retry())
    stage.work(fails)
    assert (stands(stage).state, on_their_way(stage)) == (RunState.FAILED, [])


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
def test_what_is_retried_is_for_the_job_to_say(retry: Retry, outcome: Outcome, state: RunState) -> None:
    stage = due(retry)
    stage.work(lambda _: outcome)
    assert stands(stage).state is state


def test_a_target_that_raises_is_retried_by_the_class_of_what_it_raised() -> None:
    stage = due(Retry(2, EVEN, retry_on=("ZeroDivisionError",)))
    stage.work(lambda _: Outcome(RunState.SUCCEEDED) if 1 // 0 else SUCCESS)
    assert stands(stage).state is RunState.RETRYING


def test_the_attempts_before_are_told_with_their_worker_their_times_and_their_error(stage: Stage) -> None:
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
    assert stands(stage).attempts == (
        Attempt(1, "log-1", attempt_nonce("token-1"), at("09:00"), at("09:00:02"), RunState.FAILED, BUSY),
        Attempt(2, "log-2", attempt_nonce("token-2"), at("09:00:12"), at("09:00:14"), RunState.TIMED_OUT, LATE.error),
    )
    assert (stands(stage).worker, stands(stage).attempt) == ("log-3", 3)
    assert stands(stage).duration == 2 * SECOND


def test_of_very_many_attempts_the_newest_are_told() -> None:
    stage = due(Retry(20, EVEN._replace(factor=1)), takeovers=10)
    for _ in range(20):
        stage.work(fails)
        stage.now += 10 * SECOND
    told = [attempt.number for attempt in stands(stage).attempts]
    assert (stands(stage).state, stands(stage).attempt, told) == (RunState.FAILED, 20, list(range(1, 20)))


def test_each_attempt_s_own_output_is_kept(stage: Stage) -> None:
    answers = iter((FAILED, Outcome(RunState.FAILED, Result("http", 502, "down"), BUSY), SUCCESS))
    for clock in ("09:00", "09:00:10", "09:00:30"):
        stage.at(clock).work(lambda _: next(answers))
    kept = {attempt: output.result for (_, attempt), output in stage.state.outputs.items()}
    assert {attempt: result and result.body for attempt, result in kept.items()} == {1: "busy", 2: "down"}


def test_a_target_is_told_how_many_attempts_are_left(stage: Stage) -> None:
    left = []

    def call(made: Call) -> Outcome:
        left.append(made.attempts_left)
        return FAILED

    for clock in ("09:00", "09:00:10", "09:00:30"):
        stage.at(clock).work(call)
    assert left == [2, 1, 0]


def test_a_message_that_comes_early_starts_nothing_and_another_takes_its_place(stage: Stage) -> None:
    stage.work(fails)
    [handled] = stage.at("09:00:04").execute(stage.receive())
    assert handled.deletable
    assert [message.not_before for message in stage.state.messages] == [at("09:00:10")]
    assert (stands(stage).attempt, stage.called) == (1, [(stands(stage).key, 1)])


@pytest.mark.parametrize("initial", [13 * MINUTE + SECOND, HOUR, 12 * HOUR])
def test_a_wait_longer_than_a_message_can_be_kept_back_leaves_a_deadline(initial: timedelta) -> None:
    stage = due(three(initial=initial, max=12 * HOUR))
    [handled] = stage.work(fails)
    then = at("09:00") + initial
    assert handled.deletable
    assert on_their_way(stage) == []
    assert list(stage.state.deadlines.values()) == [Deadline(stands(stage).key, then - 2 * MINUTE)]
    stage.now = then - 2 * MINUTE - SECOND
    stage.tick()
    assert on_their_way(stage) == []
    stage.now += SECOND
    stage.tick()
    assert on_their_way(stage) == [(2, f"{then:%H:%M:%S}")]
    assert stage.state.deadlines == {}
    stage.now = then
    stage.work()
    assert (stands(stage).state, stands(stage).attempt) == (RunState.SUCCEEDED, 2)


def test_a_wait_that_a_message_can_be_kept_back_leaves_none() -> None:
    stage = due(three(initial=13 * MINUTE))
    stage.work(fails)
    assert (on_their_way(stage), stage.state.deadlines) == ([(2, "09:13:00")], {})


@pytest.mark.parametrize("refused", [True, False])
def test_the_message_goes_only_once_the_next_one_is_sent(stage: Stage, refused: bool) -> None:
    messages = stage.receive()
    if refused:
        stage.picky.refuses = lambda _message: True
    else:
        stage.outbox.fails("send", times=4)
    [handled] = stage.execute(messages, fails)
    assert (handled.deletable, bool(handled.problem), stands(stage).state) == (False, True, RunState.RETRYING)
    assert on_their_way(stage) == []
    stage.picky.refuses = lambda _message: False
    stage.at("09:00:10").execute(messages)
    assert (stands(stage).state, stands(stage).attempt) == (RunState.SUCCEEDED, 2)


def test_neither_does_it_go_before_the_deadline_is_stored() -> None:
    stage = due(three(initial=HOUR))
    stage.timers.fails("remind", times=4)
    [handled] = stage.work(fails)
    assert (handled.deletable, stage.state.deadlines) == (False, {})


def test_a_run_of_a_deleted_job_is_not_tried_again(stage: Stage) -> None:
    stage.work(fails)
    manage.delete(stage.world, KEY, who="ada")
    [handled] = stage.at("09:00:10").work()
    assert handled.deletable
    assert (stands(stage).state, stands(stage).error, stands(stage).retry_at) == (RunState.FAILED, BUSY, None)
    assert stage.called == [(stands(stage).key, 1)]


def test_a_run_of_a_deleted_job_that_was_late_has_timed_out(stage: Stage) -> None:
    stage.work(lambda _: LATE)
    manage.delete(stage.world, KEY, who="ada")
    stage.at("09:00:10").work()
    assert (stands(stage).state, stands(stage).error) == (RunState.TIMED_OUT, LATE.error)


def test_a_job_that_is_deleted_during_its_last_call_has_its_failure_told(stage: Stage) -> None:
    def call(_call: Call) -> Outcome:
        manage.delete(stage.world, KEY, who="ada")
        return FAILED

    stage.work(call)
    stage.at("09:00:10").work()
    assert (stands(stage).state, stands(stage).attempt) == (RunState.FAILED, 1)


def test_a_pause_keeps_no_run_from_its_next_attempt(stage: Stage) -> None:
    stage.work(fails)
    manage.pause(stage.world, KEY, who="ada")
    stage.at("09:00:10").work()
    assert (stands(stage).state, stands(stage).attempt) == (RunState.SUCCEEDED, 2)


def test_an_edit_counts_from_the_next_attempt_on(stage: Stage) -> None:
    stage.work(fails)
    stage.save(job("0 9 * * *", retry=Retry(2, EVEN), payload="new"))
    seen = []

    def call(made: Call) -> Outcome:
        seen.append(made.payload)
        return FAILED

    stage.at("09:00:10").work(call)
    assert (seen, stands(stage).state, stands(stage).attempt) == (["new"], RunState.FAILED, 2)


@pytest.mark.parametrize(
    ("outcome", "state"),
    [
        (FAILED, RunState.CANCELLED),
        (LATE, RunState.CANCELLED),
        (Outcome(RunState.CANCELLED), RunState.CANCELLED),
        (SUCCESS, RunState.SUCCEEDED),
    ],
)
def test_what_fails_after_its_end_was_asked_for_is_cancelled_and_not_retried(
    stage: Stage, outcome: Outcome, state: RunState
) -> None:
    def call(made: Call) -> Outcome:
        cancel.cancel(stage.world, made.run.key, who="bob")
        return outcome

    stage.work(call)
    assert (stands(stage).state, stands(stage).cancelled_by) == (state, "bob")
    assert (stands(stage).result, stands(stage).error) == (outcome.result, outcome.error)
    assert on_their_way(stage) == []


def test_a_run_that_waits_for_its_retry_is_cancelled_at_once(stage: Stage) -> None:
    stage.work(fails)
    cancel.cancel(stage.world, stands(stage).key, who="bob")
    assert (stands(stage).state, stands(stage).retry_at) == (RunState.CANCELLED, None)
    [handled] = stage.at("09:00:10").work()
    assert (handled.deletable, stands(stage).attempt, stands(stage).error) == (True, 1, BUSY)


def test_the_attempt_before_a_retry_that_is_cancelled_ended_when_it_failed_and_not_with_the_run(stage: Stage) -> None:
    stage.work(fails)
    failed = stands(stage)
    stage.at("09:00:09")
    cancel.cancel(stage.world, failed.key, who="bob")
    cancelled = stands(stage)
    assert cancelled.finished_at == at("09:00:09")
    assert cancelled.duration == failed.duration
    [attempt] = cancelled.attempts
    assert (attempt.number, attempt.finished_at, attempt.state) == (1, failed.finished_at, RunState.FAILED)


def test_the_attempt_before_a_retry_whose_job_is_deleted_ended_when_it_failed(stage: Stage) -> None:
    stage.work(fails)
    failed = stands(stage)
    manage.delete(stage.world, failed.key.job, who="ada")
    stage.at("09:05").work()
    assert stands(stage).state is RunState.FAILED
    assert stands(stage).duration == failed.duration
    assert [one.finished_at for one in stands(stage).attempts] == [failed.finished_at]


def dies(stage: Stage) -> None:
    """A worker that starts what has arrived, and is never heard of again."""

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
    assert (stands(stage).state, stands(stage).attempt, stands(stage).takeovers) == (RunState.RETRYING, 2, 1)
    for clock in ("09:02:10", "09:02:30"):
        stage.at(clock).work(fails)
    assert (stands(stage).state, stands(stage).attempt, stands(stage).takeovers) == (RunState.FAILED, 4, 1)
    assert [(one.number, one.state, one.finished_at) for one in stands(stage).attempts] == [
        (1, RunState.RUNNING, None),
        (2, RunState.FAILED, at("09:02")),
        (3, RunState.FAILED, at("09:02:10")),
    ]


def test_a_job_without_retries_is_taken_over_all_the_same() -> None:
    stage = due(Retry())
    dies(stage)
    stage.at("09:02").work()
    assert (stands(stage).state, stands(stage).attempt) == (RunState.SUCCEEDED, 2)


def test_a_job_that_is_never_taken_over_is_retried_all_the_same() -> None:
    stage = due(takeovers=0)
    stage.work(fails)
    stage.at("09:00:10")
    dies(stage)
    stage.at("09:02").work()
    assert (stands(stage).state, stands(stage).attempt) == (RunState.LOST, 2)


def test_two_messages_of_one_retry_are_one_attempt(stage: Stage) -> None:
    stage.work(fails)
    stage.state.messages *= 2
    stage.at("09:00:10").work()
    assert [number for _, number in stage.called] == [1, 2]


def test_a_queued_run_whose_job_was_paused_is_skipped_and_never_retried(stage: Stage) -> None:
    manage.pause(stage.world, KEY, who="ada")
    stage.work(fails)
    assert (stands(stage).state, stands(stage).skip_reason) == (RunState.SKIPPED, SkipReason.PAUSED)


@pytest.mark.thorough
def test_whatever_call_fails_a_run_is_retried_to_its_end() -> None:
    def scene(stage: Stage) -> None:
        live(stage, "09:12", lambda made: FAILED if made.attempts_left else SUCCESS)

    for trouble, stage in whatever_fails(due, scene):
        assert stands(stage).state is RunState.SUCCEEDED, trouble
        assert stands(stage).attempt - stands(stage).takeovers == 3, trouble
        assert stands(stage).takeovers <= 1, trouble
        attempts_never_repeat(stage)
        rests(stage)


@pytest.mark.thorough
def test_whatever_call_fails_a_long_wait_ends() -> None:
    def scene(stage: Stage) -> None:
        live(stage, "09:01", fails)
        live(stage.at("09:12"), "09:21")

    for trouble, stage in whatever_fails(lambda: due(three(initial=15 * MINUTE)), scene):
        assert stands(stage).state is RunState.SUCCEEDED, trouble
        assert stage.called[-1] == (stands(stage).key, stands(stage).attempt), trouble
        attempts_never_repeat(stage)
        rests(stage)
