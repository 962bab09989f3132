"""Lanes: which jobs' runs go through the slow lane, a queue and workers of their own, so that slow calls delay no quick ones. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from minutehand.domain.deadlines import call_limit
from minutehand.domain.definition import Definition
from minutehand.domain.job import Job

SLOW = timedelta(seconds=3)
"""A call that takes longer is slow."""
PROBATION = timedelta(minutes=10)
"""How long after a slow call a job stays in the slow lane at least, so that one whose calls vary does not change lanes often."""
SUSPICION = timedelta(minutes=10)
"""How long a worker process moves all runs of a namespace to the slow lane, after it saw a slow call of that namespace in the quick
lane: other jobs of the namespace may call the same service, and some wait minutes in the slow lane for a slow call of their own."""


def may_be_slow(job: Job) -> bool:
    """Whether a call of the job's target can be slow. If not, the job never leaves the quick lane."""
    return call_limit(job) > SLOW


def is_slow(definition: Definition) -> bool:
    """Whether the job's runs belong in the slow lane."""
    return definition.slow_until is not None and may_be_slow(definition.job)


def slow_until_of(job: Job, before: Definition | None, now: datetime) -> datetime | None:
    """`Definition.slow_until` of a job that is saved.

    A new job, or one with another target or time limit, may call a service that hangs: it starts in the slow lane, which it leaves
    with its first quick call.
    """
    if not may_be_slow(job):
        return None
    if before is None or before.deleted or (before.job.target, before.job.timeout) != (job.target, job.timeout):
        return now
    return before.slow_until


def slow_until_after(slow_until: datetime | None, took: timedelta, now: datetime) -> datetime | None:
    """`Definition.slow_until` after a call that took this long, or has taken this long already.

    It changes seldom, since each change is a write: a slow call renews it only when half of `PROBATION` is over, and a quick call
    ends it only once all of it is.
    """
    if took > SLOW:
        return now + PROBATION if slow_until is None or slow_until < now + PROBATION / 2 else slow_until
    return None if slow_until is None or slow_until <= now else slow_until
