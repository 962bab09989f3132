"""The limit of a whole run, over all its attempts and the waits between them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.policies import Backoff, Retry
from minutehand.domain.run import Result, Run, RunError, RunState
from minutehand.targets.http.fields import HttpTarget
from minutehand.usecases.completion.answers import Speaker, heartbeat
from minutehand.usecases.definitions import manage
from minutehand.usecases.ports.target import Call, Outcome
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at, job
from tests.unit.usecases.crashes import Died, live, rests, whatever_fails
from tests.unit.usecases.stage import SUCCESS, Stage

HOUR = timedelta(hours=1)
RETRY = Retry(20, Backoff(initial=30 * SECOND, factor=1, max=HOUR, jitter=0))
LIMIT = 2 * MINUTE
FAILED = Outcome(RunState.FAILED, None, RunError("HttpStatus", "HTTP 503"))
WAITS = Outcome(RunState.WAITING, Result("http", 202, ""))
REACHED = RunError("TimedOut", "the run's limit of 2m was reached at 2026-11-20T09:02:00Z")


def due(**fields: object) -> Stage:
    """A stage at 09:00, when the one run of the day starts, with a limit of two minutes."""
    stage = Stage("08:59")
    stage.save(job("0 9 * * *", **{"retry": RETRY, "run_timeout": LIMIT} | fields))
    stage.tick()
    return stage.at("09:00")


@pytest.fixture
def stage() -> Stage:
    return due()


def stored(stage: Stage) -> Run:
    run = stage.run("09:00")
    assert run is not None
    return run


def dies(stage: Stage) -> None:
    """A worker that starts what has arrived, and dies; the message is received again."""

    def call(_call: Call) -> Outcome:
        raise Died

    messages = list(stage.state.messages)
    with pytest.raises(Died):
        stage.work(call)
    stage.state.messages[:] = messages


def test_no_attempt_begins_at_the_limit_or_later(stage: Stage) -> None:
    for clock in ("09:00", "09:00:30", "09:01", "09:01:30", "09:02", "09:02:30"):
        stage.at(clock).work(lambda _: FAILED)
    assert [number for _, number in stage.called] == [1, 2, 3, 4]
    assert (stored(stage).state, stored(stage).error, stored(stage).finished_at) == (
        RunState.FAILED,
        FAILED.error,
        at("09:01:30"),
    )


def test_a_retry_that_comes_too_late_is_not_made(stage: Stage) -> None:
    stage.work(lambda _: FAILED)
    [handled] = stage.at("09:02").work()
    assert handled.deletable
    assert (stored(stage).state, stored(stage).error) == (RunState.TIMED_OUT, REACHED)
    assert (stored(stage).attempt, stored(stage).retry_at, stored(stage).finished_at) == (1, None, at("09:02"))


def test_a_call_cut_by_the_run_limit_says_so(stage: Stage) -> None:
    ended = Outcome(RunState.TIMED_OUT, None, RunError("TimedOut", "the limit of 20 s was reached"))
    stage.work(lambda _: ended)
    assert stored(stage).error == ended.error, "the job's own limit says all there is to say"
    stage.at("09:01:40").work(lambda _: ended)
    assert stored(stage).error == RunError(
        "TimedOut", "the limit of 20 s was reached; no more was left of the run's 2m"
    )


def test_a_retry_just_before_the_limit_is_made(stage: Stage) -> None:
    stage.work(lambda _: FAILED)
    stage.at("09:01:59").work()
    assert (stored(stage).state, stored(stage).attempt) == (RunState.SUCCEEDED, 2)


def test_a_run_past_its_limit_times_out_though_its_worker_died() -> None:
    stage = due(timeout=LIMIT)
    dies(stage)
    [handled] = stage.at("09:02:14").work()
    assert (handled.deletable, stored(stage).state) == (False, RunState.RUNNING), "its lease has not run out"
    stage.at("09:02:15").execute([handled.received])
    assert (stored(stage).state, stored(stage).error, stored(stage).attempt) == (RunState.TIMED_OUT, REACHED, 1)


def test_before_its_limit_a_dead_worker_s_run_is_taken_over() -> None:
    stage = due(timeout=30 * SECOND)
    dies(stage)
    stage.at("09:01").work()
    assert (stored(stage).state, stored(stage).attempt, stored(stage).takeovers) == (RunState.SUCCEEDED, 2, 1)


def test_the_limit_counts_from_the_start_of_the_first_attempt_however_late_that_was() -> None:
    stage = due()
    stage.at("11:00").work(lambda _: FAILED)
    stage.at("11:01:59").work(lambda _: FAILED)
    assert (stored(stage).state, stored(stage).attempt) == (RunState.FAILED, 2)


@pytest.mark.parametrize(
    ("timeout", "run_timeout", "given"),
    [
        (MINUTE, None, MINUTE),
        (MINUTE, HOUR, MINUTE),
        (MINUTE, 30 * SECOND, 30 * SECOND),
        (5 * MINUTE, SECOND, SECOND),
        (HOUR, 2 * HOUR, MINUTE),
    ],
)
def test_a_call_ends_at_the_limit_of_its_run(
    timeout: timedelta, run_timeout: timedelta | None, given: timedelta
) -> None:
    stage = due(timeout=timeout, run_timeout=run_timeout)
    limits = []

    def call(made: Call) -> Outcome:
        limits.append((made.timeout, made.deadline))
        return SUCCESS

    stage.work(call)
    last = min(timeout, run_timeout or timeout)
    assert limits == [(given, at("09:00") + last)]


def test_a_later_attempt_has_the_rest_of_the_run_limit(stage: Stage) -> None:
    stage.work(lambda _: FAILED)
    limits = []

    def call(made: Call) -> Outcome:
        limits.append((made.timeout, made.deadline))
        return SUCCESS

    stage.at("09:01:20").work(call)
    assert limits == [(40 * SECOND, at("09:02"))]


def test_an_answer_is_waited_for_up_to_the_limit_of_the_run() -> None:
    stage = due(timeout=HOUR)
    stage.work(lambda _: WAITS)
    assert (stored(stage).deadline_at, stored(stage).lease_until) == (at("09:02"), at("09:02"))
    stage.at("09:01:59").work()
    assert stored(stage).state is RunState.WAITING
    stage.at("09:02").work()
    assert (stored(stage).state, stored(stage).attempt) == (RunState.TIMED_OUT, 1)
    assert stored(stage).error == RunError("AnswerMissed", "no answer by 2026-11-20T09:02:00Z")


def test_heartbeats_do_not_postpone_the_run_limit() -> None:
    beating = HttpTarget(method="GET", url="https://shop.test/", heartbeat=45 * SECOND)
    stage = due(timeout=HOUR, target=beating)
    stage.work(lambda _: WAITS)
    for clock, until in (("09:00:40", "09:01:25"), ("09:01:20", "09:02"), ("09:01:59", "09:02")):
        stage.at(clock)
        assert heartbeat(stage.ports, Speaker(stored(stage).key, 1, "token-1")).lease_until == at(until)
    stage.at("09:02").work()
    assert stored(stage).state is RunState.TIMED_OUT


def test_a_run_that_has_not_begun_has_no_limit_yet(stage: Stage) -> None:
    stage.at("20:00").work()
    assert stored(stage).state is RunState.SUCCEEDED


def test_a_raised_limit_counts_for_runs_that_have_begun(stage: Stage) -> None:
    stage.work(lambda _: FAILED)
    stage.save(job("0 9 * * *", retry=RETRY, run_timeout=HOUR))
    stage.at("09:30").work()
    assert (stored(stage).state, stored(stage).attempt) == (RunState.SUCCEEDED, 2)


def test_the_limit_of_a_deleted_job_does_not_count(stage: Stage) -> None:
    stage.work(lambda _: FAILED)
    manage.delete(stage.ports, KEY, who=Actor("ada"))
    stage.at("09:02").work()
    assert (stored(stage).state, stored(stage).error) == (RunState.FAILED, FAILED.error)


@pytest.mark.thorough
def test_whatever_call_fails_a_run_ends_soon_after_its_limit() -> None:
    def scene(stage: Stage) -> None:
        live(stage, "09:06", lambda _: FAILED)

    for trouble, stage in whatever_fails(due, scene):
        assert stored(stage).state in (RunState.FAILED, RunState.TIMED_OUT), trouble
        assert stored(stage).finished_at < at("09:03"), trouble
        rests(stage)
