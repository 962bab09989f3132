"""How often a job is due in a month, and how many of its occurrences a tick claims at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from minutehand.tools.costs.timetable import Timetable
from minutehand.tools.costs.units import MONTH, YEAR, later

SPARSE = 2_000
"""Occurrences a year up to which a year is asked for whole; what is denser is counted over the month to come."""
_MINUTE, _DAY = timedelta(minutes=1), timedelta(days=1)
_MOST_A_DAY = 86_400


@dataclass(frozen=True, kw_only=True)
class Rate:
    """`runs` a month, of which `together` share an advance: those of one minute, since a tick comes once a minute."""

    runs: float
    together: float = 1.0


def rate(timetable: Timetable, start: datetime, *, seconds: float = 0.0) -> Rate:
    """How often it is due in the month after `start` (aware).

    What is due seldom, and all month long, is a twelfth of the year that follows, so that neither the day of asking nor a short month
    decides; so a schedule that names nothing more after that year is counted in the month, as all others are.

    seconds: from when a run of a fixed delay is due to its end, from which the delay counts.
    """
    schedule, end = timetable.schedule, later(start, MONTH)
    if schedule.manual:
        return Rate(runs=0)
    if schedule.delay is not None:
        blocked_range = min(end, timetable.last or end) - max(start, timetable.first or start)
        return Rate(runs=max(blocked_range, timedelta(0)) / (schedule.delay + timedelta(seconds=seconds)))
    year = later(start, YEAR)
    first = timetable.between(start, year, SPARSE + 1)
    whole = len(first) <= SPARSE
    together = _together(first, whole=whole)
    if not whole:
        return Rate(runs=_count(timetable, start, end), together=together)
    if timetable.partial or schedule.next(year) is None:
        return Rate(runs=sum(at <= end for at in first), together=together)
    return Rate(runs=len(first) / 12, together=together)


def _together(found: Sequence[datetime], *, whole: bool) -> float:
    """How many fall into one minute, on average; of a part of them without the minutes at its ends, which are cut."""
    if all(after - at >= _MINUTE for at, after in pairwise(found)):
        return 1.0
    minutes = Counter(at.replace(second=0) for at in found)
    counts = list(minutes.values())
    if not whole and len(counts) > 2:
        counts = counts[1:-1]
    return sum(counts) / len(counts) if counts else 1.0


def _count(timetable: Timetable, start: datetime, until: datetime) -> int:
    """Day by day, so that a month of seconds is never in memory at once."""
    counted = 0
    while start < until:
        stop = min(later(start, _DAY), until)
        counted += len(timetable.between(start, stop, _MOST_A_DAY))
        start = stop
    return counted
