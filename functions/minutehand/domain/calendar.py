"""A calendar: a named set of times at which the jobs that name it do not run."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from typing import Annotated, NamedTuple

from minutehand.domain import checks
from minutehand.domain.declaration import Field

DAY = 86_400
"""Seconds of a day on a clock that is not put forward or back."""

MOST_SPANS = 5_000
"""Of one calendar, how many date ranges and periods together, once merged: as stored, 100 KB at the very most."""

MOST_WEEKLY = 100
"""Of one calendar, how many weekly rules, once merged: each instant is tried against each of them."""

# No clock is put forward or back by more, the date line apart, where a day is skipped whole.
_CLOCK_CHANGE = 3 * 3600
_LAST_INSTANT = datetime.max.replace(tzinfo=UTC)


class CalendarKey(NamedTuple):
    """The full name of a calendar, written `namespace/name`; both are formed as those of jobs."""

    namespace: Annotated[
        str,
        Field(
            "The namespace it is in; the same as in the path, or left out.",
            check=checks.name,
            pattern=f"^{checks.NAME.pattern}$",
            in_path=True,
        ),
    ]
    name: Annotated[
        str,
        Field(
            "Its name; the same as in the path, or left out.",
            check=checks.name,
            pattern=f"^{checks.NAME.pattern}$",
            in_path=True,
        ),
    ]

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


class DateRange(NamedTuple):
    """Whole days of the job's own clock, from `first` to `last`, both included."""

    first: date
    last: date


class Weekly(NamedTuple):
    """A stretch of the day, on some days of every week, on the job's own clock.

    Attributes:
        weekdays: a bit for each day; bit 0 is Sunday.
        start: second of the day.
        end: second of the day, not included; `DAY` is midnight.
    """

    weekdays: int
    start: int = 0
    end: int = DAY


class Period(NamedTuple):
    """A stretch of time, the same in every zone: instants from `start` on and before `end`, in UTC and whole seconds."""

    start: datetime
    end: datetime


class Calendar(NamedTuple):
    """A calendar as stored.

    Attributes:
        dates: as `merged_dates` gives them.
        weekly: as `merged_weekly` gives them.
        periods: as `merged_periods` gives them.
        revision: grows by one with each change.
        users: how many jobs name it; kept by the transaction that saves a job, and never by one that saves a calendar.
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

    def blocks(self, instant: datetime, local: datetime) -> bool:
        """Whether nothing is to run at an instant, which the clock of the job's zone shows as `local` (naive)."""
        day = local.date()
        place = bisect_right(self.dates, DateRange(day, date.max))
        if place and day <= self.dates[place - 1].last:
            return True
        place = bisect_right(self.periods, Period(instant, _LAST_INSTANT))
        if place and instant < self.periods[place - 1].end:
            return True
        weekday = 1 << local.isoweekday() % 7
        second = local.hour * 3600 + local.minute * 60 + local.second
        return any(rule.weekdays & weekday and rule.start <= second < rule.end for rule in self.weekly)

    def blocks_until(self, instant: datetime, local: datetime) -> datetime:
        """Until when a block lasts at least that holds this instant: a naive time of the job's clock, or of a period an instant.

        The instant itself when nothing holds it.
        """
        day = local.date()
        place = bisect_right(self.dates, DateRange(day, date.max))
        if place and day <= self.dates[place - 1].last:
            return _after_midnight(self.dates[place - 1].last, DAY)
        place = bisect_right(self.periods, Period(instant, _LAST_INSTANT))
        if place and instant < self.periods[place - 1].end:
            return self.periods[place - 1].end
        weekday = 1 << local.isoweekday() % 7
        second = local.hour * 3600 + local.minute * 60 + local.second
        ends = [rule.end for rule in self.weekly if rule.weekdays & weekday and rule.start <= second < rule.end]
        return _after_midnight(day, max(ends)) if ends else instant

    def spans(self, day: date, start: datetime, end: datetime) -> list[tuple[int, int]]:
        """Seconds of a day of the job's clock outside of which it blocks nothing; the day lasts from `start` and before `end`.

        Periods may be taken for longer than they are, since the clocks may change on the day.
        """
        place = bisect_right(self.dates, DateRange(day, date.max))
        if place and day <= self.dates[place - 1].last:
            return [(0, DAY)]
        weekday = 1 << day.isoweekday() % 7
        found = [(rule.start, rule.end) for rule in self.weekly if rule.weekdays & weekday]
        place = max(bisect_right(self.periods, Period(start, _LAST_INSTANT)) - 1, 0)
        for period in self.periods[place:]:
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
        return datetime.max  # noqa: DTZ901 - as above


def merged_dates(ranges: Iterable[DateRange]) -> tuple[DateRange, ...]:
    """The same days in the fewest ranges, in order."""
    merged: list[DateRange] = []
    for first, last in sorted(ranges):
        # By ordinals, since the day after 31 December 9999 is none.
        if merged and first.toordinal() <= merged[-1].last.toordinal() + 1:
            merged[-1] = DateRange(merged[-1].first, max(last, merged[-1].last))
        else:
            merged.append(DateRange(first, last))
    return tuple(merged)


def merged_periods(periods: Iterable[Period]) -> tuple[Period, ...]:
    """The same instants in the fewest periods, in order."""
    merged: list[Period] = []
    for start, end in sorted(periods):
        if merged and start <= merged[-1].end:
            merged[-1] = Period(merged[-1].start, max(end, merged[-1].end))
        else:
            merged.append(Period(start, end))
    return tuple(merged)


def merged_weekly(rules: Iterable[Weekly]) -> tuple[Weekly, ...]:
    """The same moments of the week as each day's fewest stretches, with days that share one in one rule; whole days first.

    However they are written, rules that block the same come out the same.
    """
    given = sorted(rules, key=lambda rule: (rule.start, rule.end))
    found: list[Weekly] = []
    for day in range(7):
        blocked_ranges: list[Weekly] = []
        for rule in given:
            if not rule.weekdays >> day & 1:
                continue
            if blocked_ranges and rule.start <= blocked_ranges[-1].end:
                blocked_ranges[-1] = blocked_ranges[-1]._replace(end=max(rule.end, blocked_ranges[-1].end))
            else:
                blocked_ranges.append(rule._replace(weekdays=1 << day))
        found += blocked_ranges
    found.sort(key=lambda rule: (rule.start, -rule.end))
    return tuple(
        Weekly(sum(rule.weekdays for rule in same), *blocked_range)
        for blocked_range, same in groupby(found, key=lambda rule: (rule.start, rule.end))
    )


def never_ends(weekly: Iterable[Weekly]) -> bool:
    """Whether weekly rules block every moment of the week."""
    return merged_weekly(weekly) == (Weekly(weekdays=0b1111111),)
