"""Monthly rates: how often a job is due, and how many of its occurrences one tick claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from minutehand.tools.costs.timetable import Timetable
from minutehand.tools.costs.units import MONTH, YEAR, later

SPARSE = 2_000
"""Maximum occurrences a year for which a whole year is counted; denser schedules are counted over a month."""
_MINUTE, _DAY = timedelta(minutes=1), timedelta(days=1)
_MOST_A_DAY = 86_400


@dataclass(frozen=True, kw_only=True)
class Rate:
    """`runs` a month, of which `together` share an advance: those of one minute, the interval of the tick."""

    runs: float
    together: float = 1.0


def rate(timetable: Timetable, start: datetime, *, seconds: float = 0.0) -> Rate:
    """The monthly rate from `start` (aware).

    For a sparse timetable without limits it is a twelfth of the following year, so that neither the date nor a short month
    matters; a schedule that ends within that year is counted in the month, as all others.

    seconds: of a fixed delay, from a run's instant to its end, where the delay begins.
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
    """Average occurrences in a minute; of a sample, without its first and last minute, which may be cut."""
    if all(after - at >= _MINUTE for at, after in pairwise(found)):
        return 1.0
    minutes = Counter(at.replace(second=0) for at in found)
    counts = list(minutes.values())
    if not whole and len(counts) > 2:
        counts = counts[1:-1]
    return sum(counts) / len(counts) if counts else 1.0


def _count(timetable: Timetable, start: datetime, until: datetime) -> int:
    """Count day by day, so a month of seconds is never in memory."""
    counted = 0
    while start < until:
        stop = min(later(start, _DAY), until)
        counted += len(timetable.between(start, stop, _MOST_A_DAY))
        start = stop
    return counted
