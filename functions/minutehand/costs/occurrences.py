"""How often a schedule comes round in a month, and how many of its occurrences a tick claims at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from minutehand.costs.units import MONTH
from minutehand.schedule import Schedule

YEAR = 12 * MONTH
SPARSE = 2_000
"""Occurrences a year up to which a year is asked for whole; what is denser is counted over the month to come."""
_LAST = datetime.max.replace(tzinfo=UTC, microsecond=0)
_DAY = timedelta(days=1)
_MOST_A_DAY = 86_400


@dataclass(frozen=True, kw_only=True)
class Rate:
    """`runs` a month, of which `together` share an advance: those of one minute, since a tick comes once a minute."""

    runs: float
    together: float = 1.0


def rate(schedule: Schedule, start: datetime, *, end: datetime | None = None, seconds: float = 0.0) -> Rate:
    """How often it is due after `start` (aware): on average over a year, or, where it is dense or has an `end`, in the month that
    follows. `seconds`: how long a run takes, from whose end a fixed delay counts."""
    if schedule.manual:
        return Rate(runs=0)
    month = _later(start, MONTH)
    until = month if end is None else max(start, min(end, month))
    if schedule.delay is not None:
        return Rate(runs=(until - start) / (schedule.delay + timedelta(seconds=seconds)))
    first = schedule.between(start, _later(start, YEAR), SPARSE + 1)
    together = _together(first, whole=len(first) <= SPARSE)
    if end is None and len(first) <= SPARSE:
        return Rate(runs=len(first) / 12, together=together)
    return Rate(runs=_count(schedule, start, until), together=together)


def _later(start: datetime, span: timedelta) -> datetime:
    return start + span if start < _LAST - span else _LAST


def _together(found: Sequence[datetime], *, whole: bool) -> float:
    """How many fall into one minute, on average; of a part of them without the minutes at its ends, which are cut."""
    minutes = Counter(at.replace(second=0) for at in found)
    counts = list(minutes.values())
    if not whole and len(counts) > 2:
        counts = counts[1:-1]
    return sum(counts) / len(counts) if counts else 1.0


def _count(schedule: Schedule, start: datetime, until: datetime) -> int:
    """Day by day, so that a month of seconds is never in memory at once."""
    counted = 0
    while start < until:
        stop = min(_later(start, _DAY), until)
        counted += len(schedule.between(start, stop, _MOST_A_DAY))
        start = stop
    return counted
