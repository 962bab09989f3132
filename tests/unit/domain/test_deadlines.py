"""Deadlines of a call, of an attempt and of a whole run."""

from __future__ import annotations

from datetime import timedelta

import pytest

from minutehand.domain.deadlines import LONGEST_CALL, SHORT_CALL, answer_due, call_limit, ended_as, ends_by
from minutehand.domain.run import RunError, RunState
from tests.unit.domain.examples import MINUTE, SECOND, at, job, run

HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("timeout", "limit", "why"),
    [
        (SECOND, SECOND, "a short limit is the call's"),
        (LONGEST_CALL, LONGEST_CALL, "the longest that a call may take"),
        (LONGEST_CALL + SECOND, SHORT_CALL, "the answer comes later, so the call need only hand the work on"),
        (48 * HOUR, SHORT_CALL, "so does this"),
    ],
)
def test_a_call_takes_no_longer_than_a_worker_lives(timeout: timedelta, limit: timedelta, why: str) -> None:
    assert call_limit(job(timeout=timeout)) == limit, why


def test_a_run_without_run_timeout_has_no_limit() -> None:
    assert ends_by(run(lateness=SECOND), job()) is None


def test_the_limit_of_a_run_that_has_not_begun_does_not_count_yet() -> None:
    assert ends_by(run(), job(run_timeout=HOUR)) is None


@pytest.mark.parametrize("attempt", [1, 4])
def test_the_limit_of_a_run_counts_from_the_start_of_its_first_attempt(attempt: int) -> None:
    one = run(attempt=attempt, start_delay=MINUTE, lateness=5 * SECOND, started_at=at("09:30"))
    assert ends_by(one, job(run_timeout=HOUR)) == at("10:01:05")


@pytest.mark.parametrize(
    ("run_timeout", "due", "why"),
    [
        (None, "09:40", "ten minutes from the start of the newest attempt"),
        (2 * HOUR, "09:40", "the run has longer than the attempt"),
        (35 * MINUTE, "09:35", "the run's own limit comes first"),
    ],
)
def test_an_answer_is_due_at_the_limit_of_the_attempt_or_the_run_whichever_is_first(
    run_timeout: timedelta | None, due: str, why: str
) -> None:
    one = run(attempt=2, lateness=timedelta(0), started_at=at("09:30"))
    assert answer_due(one, job(timeout=10 * MINUTE, run_timeout=run_timeout)) == at(due), why


@pytest.mark.parametrize(
    ("error", "state"),
    [
        ("TimedOut", RunState.TIMED_OUT),
        ("HeartbeatMissed", RunState.TIMED_OUT),
        ("AnswerMissed", RunState.TIMED_OUT),
        ("HttpStatus", RunState.FAILED),
        (None, RunState.FAILED),
    ],
)
def test_the_state_of_a_retried_attempt_follows_from_its_error(error: str | None, state: RunState) -> None:
    assert ended_as(run(error=RunError(error, "why") if error else None)) is state
