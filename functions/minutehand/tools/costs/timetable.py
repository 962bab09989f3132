"""The timetable of a job in the estimated month: its schedule within start and end, without what calendars block."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from functools import lru_cache

from minutehand.domain.calendar import DAY, Calendar
from minutehand.domain.calendar_filter import MOST_DAYS_MOVED, MOST_MOVED_A_DAY, Unblocked, too_many_to_move
from minutehand.domain.instants import SECOND
from minutehand.domain.occurrence_rule import OccurrenceRule
from minutehand.domain.policies import OnBlocked
from minutehand.schedule import Schedule, wall_clock
from minutehand.tools.costs.calendars import Calendars
from minutehand.tools.costs.definition import Definition
from minutehand.tools.costs.units import MONTH, later

_DAY = timedelta(days=1)
_DENSE = 50
"""Minimum number of instants a day that are tested in bulk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timetable:
    """When a job is due; jobs with equal timetables are due together.

    Attributes:
        first, last: limits within the month (aware); None where the month's own limits apply.
        closed: full names of its known calendars.
        moved: whether blocked occurrences run on the next open day instead of being skipped.
        calendars: those of `closed`; not compared.
    """

    schedule: Schedule
    first: datetime | None = None
    last: datetime | None = None
    closed: tuple[str, ...] = ()
    moved: bool = False
    calendars: tuple[Calendar, ...] = field(default=(), compare=False, repr=False)

    @property
    def partial(self) -> bool:
        """Whether it is limited to a part of the month."""
        return self.first is not None or self.last is not None

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
            start = max(named[-1], blocked.open_from(named[-1]) - SECOND)  # over a long block at once
        return found[:limit]


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


@lru_cache(maxsize=1024)
def _may_move(schedule: Schedule, now: datetime) -> bool:
    """Whether `on_blocked: next_day` applies; the API refuses it for frequent schedules."""
    return too_many_to_move(OccurrenceRule(schedule=schedule), now) is None


def _moved(rule: OccurrenceRule, blocked: Unblocked, start: datetime, end: datetime, limit: int) -> list[datetime]:
    """Bulk form of `blocked.between`: open instants, and blocked ones where they are moved to."""
    most = limit + MOST_DAYS_MOVED * MOST_MOVED_A_DAY
    named = rule.between(start - MOST_DAYS_MOVED * _DAY, end, most)
    if len(named) == most:
        end = named[-1]
    still = set(_open(named, blocked))
    moved = {to for to in (blocked.moved_to(at) for at in named if at not in still) if to is not None}
    return sorted(at for at in still | moved if start < at <= end)[:limit]


def _open(named: Sequence[datetime], blocked: Unblocked) -> list[datetime]:
    """The instants that no calendar blocks."""
    found: list[datetime] = []
    at = 0
    while at < len(named):
        dense = at + _DENSE < len(named) and named[at + _DENSE] - named[at] < _DAY
        at = (_day if dense else _one)(named, at, blocked, found)
    return found


def _one(named: Sequence[datetime], at: int, blocked: Unblocked, found: list[datetime]) -> int:
    """Append the instant at an index if it is open. Returns the next index; after a blocked one, the first that may be open."""
    open_from = blocked.open_from(named[at])
    if open_from != named[at]:
        return bisect_left(named, open_from, at + 1)
    found.append(named[at])
    return at + 1


def _day(named: Sequence[datetime], at: int, blocked: Unblocked, found: list[datetime]) -> int:
    """Append the open instants from an index to the end of that local day, unblocked hours in bulk. Returns the next index."""
    midnight = datetime.combine(blocked.clock.local(named[at]).date(), time.min)
    start, end = blocked.clock.instant(midnight), blocked.clock.instant(midnight + _DAY)
    stop = max(bisect_left(named, end, at), at + 1)
    spans = [(0, DAY)]
    if end - start == _DAY:  # else the clocks change, and seconds of the day are not those since midnight
        spans = sorted(span for each in blocked.calendars for span in each.spans(midnight.date(), start, end))
    for first, last in spans:
        begin = bisect_left(named, start + first * SECOND, at, stop) if at < stop else stop
        found += named[at:begin]
        at = max(at, begin)
        while at < stop and named[at] < start + last * SECOND:
            at = _one(named, at, blocked, found)
    found += named[at:stop]
    return max(at, stop)
