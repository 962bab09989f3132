"""Deadlines of a call, of an attempt and of a whole run. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from minutehand.domain.job import Job
from minutehand.domain.outcome import OUT_OF_TIME, ErrorType
from minutehand.domain.run import Run, RunState

LONGEST_CALL = timedelta(minutes=14)
"""Longest call: Lambda ends a worker after 15 minutes, and the worker needs time to report."""
SHORT_CALL = timedelta(seconds=60)
"""Time limit of the call of a job whose `timeout` is above `LONGEST_CALL`: its target accepts the work and answers later."""
LEASE_MARGIN = timedelta(seconds=15)
"""How long a worker's lease outlasts the time limit of its call: time to end the call, to report, and for clocks to differ."""


def call_limit(job: Job) -> timedelta:
    """Time limit of one call of the job's target."""
    return job.timeout if job.timeout <= LONGEST_CALL else SHORT_CALL


def start_by(run: Run, start_within: timedelta | None) -> datetime | None:
    """By when a run has to begin; None without a limit, after its first attempt, and for a backfill's run, which gives way to others."""
    if start_within is None or run.attempt or run.key.backfill is not None:
        return None
    return run.starts_at + start_within


def misses_its_start(run: Run, start_within: timedelta | None, now: datetime) -> bool:
    """Whether a run that has not begun by `now` may not begin any more, because its job's `start_within` is over."""
    last = start_by(run, start_within)
    return last is not None and last <= now


def ends_by(run: Run, job: Job) -> datetime | None:
    """When the run reaches its job's `run_timeout`; None before its first attempt, and for a job without that limit."""
    return _ends_by(run.begun_at, job)


def _ends_by(begun_at: datetime | None, job: Job) -> datetime | None:
    return None if begun_at is None or job.run_timeout is None else begun_at + job.run_timeout


def answer_due(run: Run, job: Job) -> datetime:
    """When the answer to the newest attempt is due: after its `timeout`, or at the whole run's limit if that comes first. On one of
    several nodes, never later than that of the run on all of them."""
    due = due_of_attempt(run.started_at or run.starts_at, run.begun_at, job)
    return due if run.share is None else min(due, run.share.ends_at)


def due_of_attempt(started_at: datetime, begun_at: datetime | None, job: Job) -> datetime:
    """When the answer to an attempt is due that starts at `started_at`, of a run whose first one started at `begun_at`."""
    due, last = started_at + job.timeout, _ends_by(begun_at, job)
    return due if last is None else min(due, last)


def took_over(run: Run) -> bool:
    """Whether the newest attempt of a run took over from one whose worker, or agent, had fallen silent."""
    before = [one for one in run.attempts[-2:] if one.number < run.attempt]
    return bool(before) and (
        before[-1].died or (before[-1].error is not None and before[-1].error.type == ErrorType.HEARTBEAT_MISSED)
    )


def ended_as(run: Run) -> RunState:
    """The state in which the newest attempt of a run in `RETRYING` ended: `TIMED_OUT` or `FAILED`."""
    return RunState.TIMED_OUT if run.error is not None and run.error.type in OUT_OF_TIME else RunState.FAILED
