"""Limits of time: of a call, of an attempt, of a whole run. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from minutehand.domain.job import Job
from minutehand.domain.run import Attempt, Run, RunState

LONGEST_CALL = timedelta(minutes=14)
"""A worker is ended after 15 minutes, and needs time to report."""
SHORT_CALL = timedelta(seconds=60)
"""The limit of the call where the answer may take longer than any call."""
TIMED_OUT = "TimedOut"
CANCELLED = "Cancelled"
HEARTBEAT_MISSED = "HeartbeatMissed"
ANSWER_MISSED = "AnswerMissed"
_OUT_OF_TIME = frozenset((TIMED_OUT, HEARTBEAT_MISSED, ANSWER_MISSED))


def call_limit(job: Job) -> timedelta:
    """How long a call of the job's target may take."""
    return job.timeout if job.timeout <= LONGEST_CALL else SHORT_CALL


def ends_by(run: Run, job: Job) -> datetime | None:
    """When the limit of the whole run is reached; None before its first attempt, and for no limit."""
    begun_at = run.begun_at
    return None if begun_at is None or job.run_timeout is None else begun_at + job.run_timeout


def answer_due(run: Run, job: Job) -> datetime:
    """By when the newest attempt must have been answered, also where the target answers later."""
    due = (run.started_at or run.starts_at) + job.timeout
    last = ends_by(run, job)
    return due if last is None else min(due, last)


def ended_as(run: Run) -> RunState:
    """As what the newest attempt of a run ended that was to be retried."""
    return RunState.TIMED_OUT if run.error is not None and run.error.type in _OUT_OF_TIME else RunState.FAILED


def attempts_over(run: Run) -> tuple[Attempt, ...]:
    """The attempts that are over, of a run that is about to end: of one that waits for its retry, the newest is among them. It ended
    before the run did."""
    if run.state is not RunState.RETRYING or run.started_at is None:
        return run.attempts
    newest = Attempt(run.attempt, run.worker, run.nonce, run.started_at, run.finished_at, ended_as(run), run.error)
    return (*run.attempts, newest)
