"""Packed timers: the timers of jobs that are due often. They are in buckets, which each tick reads whole, instead of in the index `due`."""

from __future__ import annotations

from datetime import datetime, timedelta

from minutehand.domain.instants import SECOND
from minutehand.domain.occurrence_rule import rule_of

OFTEN = 56
"""A job with at least this many occurrences in a week, one every three hours, has a packed timer. A longer interval makes the reads
of all ticks in between dearer than the two write units that a packed timer saves; tests hold the number to the price file."""
WEEK = timedelta(weeks=1)


def is_packed(rule: str, next_at: datetime | None, *, often: int = OFTEN) -> bool:
    """Whether a job's timer is to be packed: it has a `next_at` and an encoded rule, which names at least `often` instants in the week from then
    on, or a fixed delay that is as short. Calendars and `max_runs` are not considered.

    Raises:
        ValueError: when the rule cannot be read.
    """
    if next_at is None or not rule:
        return False
    named = rule_of(rule)
    if named.schedule.delay is not None:
        return named.schedule.delay <= WEEK / often
    return len(named.between(next_at - SECOND, next_at + WEEK - SECOND, often)) == often
