"""A compiled crontab: bit masks on local time, mapped to UTC with integer arithmetic only.

Wall seconds count from 1970-01-01 00:00 local time; instants are epoch seconds, UTC.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

from minutehand.schedule.clocktime import ClockTimes, clock_steps, clock_times
from minutehand.schedule.days import (
    EPOCH_ORDINAL,
    MonthDays,
    dates_in,
    day_number,
    month_length,
    weekday_of,
    weekdays_in,
)
from minutehand.schedule.zones import HORIZON, Segments

EVERY_SECOND = EVERY_MINUTE = (1 << 60) - 1
EVERY_HOUR = (1 << 24) - 1
EVERY_DAY = (1 << 32) - 2
EVERY_MONTH = (1 << 13) - 2
EVERY_WEEKDAY = (1 << 7) - 1
FIRST_YEAR, LAST_YEAR = 1970, 2199
EVERY_YEAR = (1 << LAST_YEAR - FIRST_YEAR + 1) - 1

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Repeats a weekday mask for six weeks: enough for a month of 31 days that starts on any weekday.
_SIX_WEEKS = sum(1 << 7 * week for week in range(6))
_LAST_DAY = date(9999, 12, 30).toordinal() - EPOCH_ORDINAL


@dataclass(frozen=True, slots=True, kw_only=True)
class CrontabTiming:
    """Values of a crontab's fields as masks: bit n is value n; weekday 0 is Sunday.

    either_day: a day matches if its day of the month *or* its weekday is named; otherwise both must be.
    repeats: the second, minute or hour field starts with `*`, which selects the dialect's clock rule.
    month_days: special days besides the two day masks, which may then be 0. years: bit n is 1970 + n; None for every year.
    """

    seconds: int
    minutes: int
    hours: int
    days: int
    months: int
    weekdays: int
    either_day: bool
    repeats: bool
    month_days: MonthDays | None = None
    years: int | None = None
    _clock: ClockTimes = field(init=False, repr=False, compare=False)
    _weeks: int = field(init=False, repr=False, compare=False)
    _weekly: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        open_days = self.days == EVERY_DAY and (not self.either_day or self.weekdays == EVERY_WEEKDAY)
        weekly = self.months == EVERY_MONTH and open_days and self.month_days is None and self.years is None
        object.__setattr__(self, "_clock", clock_times(self.seconds, self.minutes, self.hours))
        object.__setattr__(self, "_weeks", self.weekdays * _SIX_WEEKS)
        object.__setattr__(self, "_weekly", weekly)

    def next_after(self, after: int, zone: Segments) -> int | None:
        """First instant later than `after`, or None if there is none within the horizon of 40 years."""
        n = bisect_right(zone.starts, after) - 1
        offset = zone.offsets[n]
        first_counted = zone.counted_from[n]
        limit = after + HORIZON
        # In local time: a day for the offset from UTC, and one so that the last day is searched to its end.
        until = limit + 2 * 86400
        wall = self.wall_at_or_after((first_counted if first_counted > after else after + 1) + offset, until)
        while wall is not None:
            if wall - offset < zone.starts[n + 1]:
                return wall - offset if wall - offset <= limit else None
            n += 1
            if wall < zone.catch_up_until[n]:
                return zone.starts[n] if zone.starts[n] <= limit else None
            offset = zone.offsets[n]
            counted_wall = zone.counted_from[n] + offset
            # After a clock change the local time found is still the next one, unless clocks skipped it or show earlier times again.
            if wall < counted_wall or zone.repeats_times[n]:
                wall = self.wall_at_or_after(counted_wall, until)
        return None

    def wall_at_or_after(self, wall: int, until: int) -> int | None:
        """First local time at or after `wall` that the crontab names, both in seconds since 1970-01-01 00:00 local time.

        None if there is none by the day of `until` or by the year 9999.
        """
        day, second = divmod(wall, 86400)
        if day > _LAST_DAY:
            return None
        days = self._weeks >> (day + 4) % 7 if self._weekly else self._days_left_in_month(day)
        if days & 1:
            time = self._clock.at_or_after(second)
            if time < 86400:
                return wall - second + time
        days &= -2
        if days:
            return (day + (days & -days).bit_length() - 1) * 86400 + self._clock.first
        return self._in_later_months(day, until // 86400)

    def names_wall(self, wall: int) -> bool:
        """Whether the crontab names this local time."""
        return self.wall_at_or_after(wall, wall) == wall

    def collect(self, after: int, offset: int, stop: int, limit: int, found: list[datetime]) -> None:
        """Append the instants in (after, stop) until `found` holds `limit`. offset: the span's only one, in seconds east of UTC."""
        first_day, second = divmod(after + offset + 1, 86400)
        last_day, end_second = divmod(stop + offset, 86400)
        steps, seconds = clock_steps(self.seconds, self.minutes, self.hours)
        times = self._clock.times
        for day in self._days_between(first_day, last_day):
            low = second if day == first_day else 0
            high = end_second if day == last_day else 86400
            midnight = _EPOCH + timedelta(day, -offset)
            if not seconds:
                begin = bisect_left(times, low)
                end = min(bisect_left(times, high), begin + limit - len(found))
                found.extend(map(midnight.__add__, steps[begin:end]))
            else:
                self._collect_seconds(midnight, low, high, limit, found)
            if len(found) >= limit:
                return

    def _collect_seconds(self, midnight: datetime, low: int, high: int, limit: int, found: list[datetime]) -> None:
        steps, second_steps = clock_steps(self.seconds, self.minutes, self.hours)
        times = self._clock.times
        seconds = self._clock.seconds or ()
        for position in range(bisect_left(times, low - low % 60), bisect_left(times, high)):
            minute = midnight + steps[position]
            begin = bisect_left(seconds, low - times[position])
            end = min(bisect_left(seconds, high - times[position]), begin + limit - len(found))
            found.extend(map(minute.__add__, second_steps[begin:end]))
            if len(found) >= limit:
                return

    def _days_between(self, first: int, last: int) -> Iterator[int]:
        """Matching day numbers from first to last, inclusive."""
        if self._weekly:
            week = self._weeks
            yield from (day for day in range(first, last + 1) if week >> (day + 4) % 7 & 1)
            return
        day = first
        while day <= last:
            start = date.fromordinal(day + EPOCH_ORDINAL)
            length = month_length(start.year, start.month) - start.day + 1
            days = self._days_left_in_month(day)
            while days:
                low = days & -days
                found = day + low.bit_length() - 1
                if found > last:
                    return
                yield found
                days ^= low
            day += length

    def _days_left_in_month(self, day: int) -> int:
        """Mask of the matching days from `day` to the end of its month; bit 0 is `day`."""
        start = date.fromordinal(day + EPOCH_ORDINAL)
        if not self.months >> start.month & 1 or not self.in_year(start.year):
            return 0
        return self._days_of_month(start.year, start.month, day - start.day + 1) >> (start.day - 1)

    def _days_of_month(self, year: int, month: int, first: int) -> int:
        """Mask of the matching days of the month that starts at day number `first`; bit 0 is the 1st."""
        weekday, length = weekday_of(first), month_length(year, month)
        by_date = self.days >> 1
        by_weekday = self._weeks >> weekday
        if self.month_days is not None:
            by_date |= dates_in(self.month_days, weekday, length)
            by_weekday |= weekdays_in(self.month_days, weekday, length)
        both = by_date | by_weekday if self.either_day else by_date & by_weekday
        return both & ((1 << length) - 1)

    def in_year(self, year: int) -> bool:
        """Whether the crontab names this year."""
        return self.years is None or (year >= FIRST_YEAR and bool(self.years >> (year - FIRST_YEAR) & 1))

    def _in_later_months(self, day: int, last_day: int) -> int | None:
        start = date.fromordinal(day + EPOCH_ORDINAL)
        year, month = start.year, start.month
        last_year = min(year + (last_day - day) // 365 + 1, 9999)
        while True:
            year, month = (year, month + 1) if month < 12 else (year + 1, 1)
            if year > last_year:
                return None
            if not self.months >> month & 1:
                continue
            if not self.in_year(year):
                month = 12
                continue
            first = day_number(year, month, 1)
            if first > last_day:
                return None
            days = self._days_of_month(year, month, first)
            if days:
                return (first + (days & -days).bit_length() - 1) * 86400 + self._clock.first


@lru_cache(maxsize=4096)
def crontab_timing(
    masks: tuple[int, ...],
    *,
    either_day: bool,
    repeats: bool,
    month_days: MonthDays | None = None,
    years: int | None = None,
) -> CrontabTiming:
    """Timing for the masks of second, minute, hour, day, month and weekday.

    Equal timings are one object, so that 100,000 schedules in memory stay small.
    """
    seconds, minutes, hours, days, months, weekdays = masks
    return CrontabTiming(
        seconds=seconds,
        minutes=minutes,
        hours=hours,
        days=days,
        months=months,
        weekdays=weekdays,
        either_day=either_day,
        repeats=repeats,
        month_days=month_days,
        years=years,
    )
