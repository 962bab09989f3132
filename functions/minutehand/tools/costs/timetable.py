"""The timetable of a job in the estimated month: its schedule from the job's start to its end, without the times that calendars
block. Also how often the job is due, and how many of its occurrences one tick claims."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from functools import lru_cache
from itertools import pairwise

from minutehand.domain.calendar import DAY, Calendar
from minutehand.domain.calendar_filter import MOST_DAYS_MOVED, MOST_MOVED_A_DAY, Unblocked, too_many_to_move
from minutehand.domain.instants import SECOND
from minutehand.domain.occurrence_rule import OccurrenceRule
from minutehand.domain.packing import OFTEN, WEEK
from minutehand.domain.policies import OnBlocked
from minutehand.schedule import Schedule, wall_clock
from minutehand.tools.costs.definition import Calendars, Definition
from minutehand.tools.costs.units import MONTH, YEAR, later

SPARSE = 2_000
"""Maximum occurrences a year for which a whole year is counted; denser schedules are counted over a month."""
_MINUTE, _DAY = timedelta(minutes=1), timedelta(days=1)
_MOST_A_DAY = 86_400
_DENSE = 50
"""From this many instants a day on, calendars are compared with a whole day at once rather than with each instant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timetable:
    """When a job is due; jobs with equal timetables are due together.

    Attributes:
        first, last: limits within the month (aware); None where the month's own limits apply.
        closed: full names of its known calendars.
        moved: whether blocked occurrences run on the next open day instead of being skipped.
        calendars: the calendars that `closed` names; not compared by `==`.
    """

    schedule: Schedule
    first: datetime | None = None
    last: datetime | None = None
    closed: tuple[str, ...] = ()
    moved: bool = False
    calendars: tuple[Calendar, ...] = field(default=(), compare=False, repr=False)

    def between(self, start: datetime, end: datetime, limit: int) -> list[datetime]:
        """The instants t with start < t <= end at which it runs, ascending, at most `limit` of them."""
        on_blocked = OnBlocked.NEXT_DAY if self.moved else OnBlocked.SKIP
        rule = OccurrenceRule(schedule=self.schedule, start_at=self.first, end_at=self.last, on_blocked=on_blocked)
        if not self.calendars:
            return rule.between(start, end, limit)
        blocked = Unblocked(rule, self.calendars, wall_clock(self.schedule.timezone))
        if self.moved:
            return _moved(rule, blocked, start, end, limit)
        found: list[datetime] = []
        while len(found) < limit:
            named = rule.between(start, end, limit)
            found += _open(named, blocked)
            if len(named) < limit:
                break
            start = max(named[-1], blocked.open_from(named[-1]) - SECOND)  # skip a long block at once
        return found[:limit]


@dataclass(frozen=True, kw_only=True)
class Rate:
    """`runs` a month. On average, `together` of them are due in the same minute, so that one advance of the timer serves them."""

    runs: float
    together: float = 1.0


def timetable_of(job: Definition, now: datetime, calendars: Calendars) -> Timetable:
    """The timetable of a job in the month after `now` (aware)."""
    closed = () if job.schedule.delay is not None else tuple(name for name in job.calendars if name in calendars)
    return Timetable(
        schedule=job.schedule,
        first=job.first if job.first is not None and job.first > now else None,
        last=job.last if job.last is not None and job.last < later(now, MONTH) else None,
        closed=closed,
        moved=bool(closed) and job.moved and _may_move(job.schedule, now),
        calendars=tuple(calendars[name] for name in closed),
    )


def is_packed(job: Definition, now: datetime) -> bool:
    """Whether the job's timer is packed (domain/packing.py), which neither calendars nor `max_runs` decide."""
    schedule = job.schedule
    if schedule.manual or schedule.delay is not None:
        return schedule.delay is not None and schedule.delay <= WEEK / OFTEN
    rule = OccurrenceRule(schedule=schedule, start_at=job.first, end_at=job.last)
    first = rule.between(now, later(now, MONTH), 1)
    return bool(first) and len(rule.between(first[0] - SECOND, first[0] + WEEK - SECOND, OFTEN)) == OFTEN


def rate(timetable: Timetable, start: datetime, *, seconds: float = 0.0) -> Rate:
    """The monthly rate from `start` (aware).

    For a sparse timetable without limits, it is a twelfth of the occurrences in the following year, so that neither the date nor a
    short month matters. For all others, and for a schedule that ends within that year, it is the occurrences in the month.

    seconds: for a fixed delay, the seconds from a run's instant to its end, when the delay begins.
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
    if timetable.first is not None or timetable.last is not None or schedule.next(year) is None:
        return Rate(runs=sum(at <= end for at in first), together=together)
    return Rate(runs=len(first) / 12, together=together)


def _together(found: Sequence[datetime], *, whole: bool) -> float:
    """Average occurrences in a minute that has any. If `found` is a sample (not `whole`), its first and last minute, which may be
    cut, are left out."""
    if all(after - at >= _MINUTE for at, after in pairwise(found)):
        return 1.0
    minutes = Counter(at.replace(second=0) for at in found)
    counts = list(minutes.values())
    if not whole and len(counts) > 2:
        counts = counts[1:-1]
    return sum(counts) / len(counts) if counts else 1.0


def _count(timetable: Timetable, start: datetime, until: datetime) -> int:
    """Number of occurrences in a span. They are counted day by day, so that those of a schedule each second fit in memory."""
    counted = 0
    while start < until:
        stop = min(later(start, _DAY), until)
        counted += len(timetable.between(start, stop, _MOST_A_DAY))
        start = stop
    return counted


@lru_cache(maxsize=1024)
def _may_move(schedule: Schedule, now: datetime) -> bool:
    """Whether `on_blocked: next_day` applies; the API refuses it for frequent schedules."""
    return too_many_to_move(OccurrenceRule(schedule=schedule), now) is None


def _moved(rule: OccurrenceRule, blocked: Unblocked, start: datetime, end: datetime, limit: int) -> list[datetime]:
    """As `blocked.between`, but faster for many instants: open instants, and the instants to which blocked ones are moved."""
    most = limit + MOST_DAYS_MOVED * MOST_MOVED_A_DAY
    named = rule.between(start - MOST_DAYS_MOVED * _DAY, end, most)
    if len(named) == most:
        end = named[-1]
    still = set(_open(named, blocked))
    moved = {to for to in (blocked.moved_to(at) for at in named if at not in still) if to is not None}
    return sorted(at for at in still | moved if start < at <= end)[:limit]


def _open(named: Sequence[datetime], blocked: Unblocked) -> list[datetime]:
    """Those of the ascending instants `named` that no calendar blocks."""
    found: list[datetime] = []
    at = 0
    while at < len(named):
        dense = at + _DENSE < len(named) and named[at + _DENSE] - named[at] < _DAY
        at = (_day if dense else _one)(named, at, blocked, found)
    return found


def _one(named: Sequence[datetime], at: int, blocked: Unblocked, found: list[datetime]) -> int:
    """Append `named[at]` to `found` unless it is blocked. Returns the next index or, after a blocked instant, that of the first
    that may be open."""
    open_from = blocked.open_from(named[at])
    if open_from != named[at]:
        return bisect_left(named, open_from, at + 1)
    found.append(named[at])
    return at + 1


def _day(named: Sequence[datetime], at: int, blocked: Unblocked, found: list[datetime]) -> int:
    """Append the open instants from index `at` to the end of its local day to `found`, unblocked hours at once. Returns the next
    index."""
    midnight = datetime.combine(blocked.clock.local(named[at]).date(), time.min)
    start, end = blocked.clock.instant(midnight), blocked.clock.instant(midnight + _DAY)
    stop = max(bisect_left(named, end, at), at + 1)
    spans = [(0, DAY)]
    if end - start == _DAY:  # on other days the clocks change, and a second of the day is not that since midnight
        spans = sorted(span for each in blocked.calendars for span in each.spans(midnight.date(), start, end))
    for first, last in spans:
        begin = bisect_left(named, start + first * SECOND, at, stop) if at < stop else stop
        found += named[at:begin]
        at = max(at, begin)
        while at < stop and named[at] < start + last * SECOND:
            at = _one(named, at, blocked, found)
    found += named[at:stop]
    return max(at, stop)
