"""A calendar: a named set of times at which the jobs that name it do not run."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from minutehand.domain.job_key import NamespaceName, OwnName

T = TypeVar("T", int, datetime)

DAY = 86_400
"""Seconds of a day without a clock change."""

MOST_SPANS = 5_000
"""Most date ranges and periods of one calendar, counted together after merging: at most 100 KB as stored."""

MOST_WEEKLY = 100
"""Most weekly rules of one calendar, counted after merging. Limited since each instant is checked against every rule."""

# Largest clock change of a time zone, in seconds. A zone that crosses the date line skips a whole day; that is left out.
_CLOCK_CHANGE = 3 * 3600
_LAST_INSTANT = datetime.max.replace(tzinfo=UTC)


class CalendarKey(NamedTuple):
    """The full name of a calendar, written `namespace/name`; both parts follow the rules for the names of jobs."""

    namespace: NamespaceName
    name: OwnName

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


class DateRange(NamedTuple):
    """Whole days on the clock of the job's time zone, from `first` to `last`, both included."""

    first: date
    last: date


class Weekly(NamedTuple):
    """A span of the day, on some days of every week, on the clock of the job's time zone.

    Attributes:
        weekdays: a bit for each day; bit 0 is Sunday.
        start: second of the day at which the span begins.
        end: second of the day before which it ends; `DAY` for the midnight at its end.
    """

    weekdays: int
    start: int = 0
    end: int = DAY


class Period(NamedTuple):
    """A span of instants from `start` on and before `end`, in UTC and whole seconds: the same for jobs of every time zone."""

    start: datetime
    end: datetime


class Calendar(NamedTuple):
    """A calendar as stored.

    Attributes:
        dates: whole days that it blocks, merged by `merged_dates`.
        weekly: weekly spans that it blocks, merged by `merged_weekly`.
        periods: instants that it blocks, merged by `merged_periods`.
        revision: grows by one with each change.
        users: number of jobs that name it; changed when such a job is saved, never when the calendar is.
        unknown: fields that a later version stored, kept unread.
    """

    key: CalendarKey
    description: str
    dates: tuple[DateRange, ...]
    weekly: tuple[Weekly, ...]
    periods: tuple[Period, ...]
    revision: int
    updated_at: datetime
    updated_by: str
    users: int = 0
    unknown: Mapping[str, Any] = MappingProxyType({})

    def blocks(self, instant: datetime, local: datetime) -> bool:
        """Whether the calendar blocks an instant, which the clock of the job's time zone shows as `local` (naive)."""
        return self.blocks_until(instant, local) is not instant

    def blocks_until(self, instant: datetime, local: datetime) -> datetime:
        """The end of the entry that blocks this instant: a naive time of the job's clock, or for a period an instant.

        Another entry may continue the block. The instant itself when nothing blocks it.
        """
        day = local.date()
        index = bisect_right(self.dates, DateRange(day, date.max))
        if index and day <= self.dates[index - 1].last:
            return _after_midnight(self.dates[index - 1].last, DAY)
        index = bisect_right(self.periods, Period(instant, _LAST_INSTANT))
        if index and instant < self.periods[index - 1].end:
            return self.periods[index - 1].end
        weekday = 1 << local.isoweekday() % 7
        second = local.hour * 3600 + local.minute * 60 + local.second
        ends = [rule.end for rule in self.weekly if rule.weekdays & weekday and rule.start <= second < rule.end]
        return _after_midnight(day, max(ends)) if ends else instant

    def spans(self, day: date, start: datetime, end: datetime) -> list[tuple[int, int]]:
        """Spans of a day, in seconds since its start, outside of which the calendar blocks nothing.

        The day lasts from `start` until before `end`. Spans of periods are widened by the largest clock change, since clocks may
        change on the day.
        """
        index = bisect_right(self.dates, DateRange(day, date.max))
        if index and day <= self.dates[index - 1].last:
            return [(0, DAY)]
        weekday = 1 << day.isoweekday() % 7
        found = [(rule.start, rule.end) for rule in self.weekly if rule.weekdays & weekday]
        earliest = max(bisect_right(self.periods, Period(start, _LAST_INSTANT)) - 1, 0)
        for period in self.periods[earliest:]:
            if period.start >= end:
                break
            if start < period.end:
                first, last = (round((t - start).total_seconds()) for t in period)
                found.append((first - _CLOCK_CHANGE, last + _CLOCK_CHANGE))
        return found


def _after_midnight(day: date, seconds: int) -> datetime:
    try:
        return datetime(day.year, day.month, day.day) + timedelta(seconds=seconds)  # noqa: DTZ001 - a wall time has no zone
    except OverflowError:
        return datetime.max  # noqa: DTZ901 - a wall time has no zone


def joined_spans(spans: Iterable[tuple[T, T]]) -> list[tuple[T, T]]:
    """Merge spans: the fewest that cover the same times, in order. A span does not include its end."""
    found: list[tuple[T, T]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def merged_dates(ranges: Iterable[DateRange]) -> tuple[DateRange, ...]:
    """Merge ranges: the fewest that cover the same days, in order."""
    # Ordinals, since a span ends before the following day, and no date follows 31 December 9999.
    joined = joined_spans((first.toordinal(), last.toordinal() + 1) for first, last in ranges)
    return tuple(DateRange(date.fromordinal(first), date.fromordinal(end - 1)) for first, end in joined)


def merged_periods(periods: Iterable[Period]) -> tuple[Period, ...]:
    """Merge periods: the fewest that cover the same instants, in order."""
    return tuple(Period(*span) for span in joined_spans(periods))


def merged_weekly(rules: Iterable[Weekly]) -> tuple[Weekly, ...]:
    """The canonical rules that block the same times: the fewest spans of each day, one rule for days that share a span, whole
    days first.

    Rules that block the same times give equal results, however they are written.
    """
    given, days_of = tuple(rules), dict[tuple[int, int], int]()
    for day in range(7):
        for span in joined_spans((rule.start, rule.end) for rule in given if rule.weekdays >> day & 1):
            days_of[span] = days_of.get(span, 0) | 1 << day
    return tuple(Weekly(days_of[span], *span) for span in sorted(days_of, key=lambda span: (span[0], -span[1])))


def never_ends(weekly: Iterable[Weekly]) -> bool:
    """Whether weekly rules block the whole week."""
    return merged_weekly(weekly) == (Weekly(weekdays=0b1111111),)
