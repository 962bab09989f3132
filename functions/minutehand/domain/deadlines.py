"""Deadlines of a call, of an attempt and of a whole run. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from minutehand.domain.job import Job
from minutehand.domain.outcome import OUT_OF_TIME
from minutehand.domain.run import Run, RunState

LONGEST_CALL = timedelta(minutes=14)
"""Longest call: Lambda ends a worker after 15 minutes, and the worker needs time to report."""
SHORT_CALL = timedelta(seconds=60)
"""Limit of the call where the job's timeout is longer than any call: its target answers later."""
LEASE_MARGIN = timedelta(seconds=15)
"""How long a lease outlasts the attempt's limit: time to end the call, to report, and for clocks to differ."""


def call_limit(job: Job) -> timedelta:
    """Time limit of one call of the job's target."""
    return job.timeout if job.timeout <= LONGEST_CALL else SHORT_CALL


def ends_by(run: Run, job: Job) -> datetime | None:
    """When the limit of the whole run is reached; None before its first attempt, and without a limit."""
    begun_at = run.begun_at
    return None if begun_at is None or job.run_timeout is None else begun_at + job.run_timeout


def answer_due(run: Run, job: Job) -> datetime:
    """When the newest attempt must be answered at the latest, now or by a later report."""
    due = (run.started_at or run.starts_at) + job.timeout
    last = ends_by(run, job)
    return due if last is None else min(due, last)


def ended_as(run: Run) -> RunState:
    """The state in which the newest attempt of a retried run ended."""
    return RunState.TIMED_OUT if run.error is not None and run.error.type in OUT_OF_TIME else RunState.FAILED
