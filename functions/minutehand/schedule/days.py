"""Days as integers: day number 0 is 1970-01-01; weekday 0 is Sunday, as in crontab(5). Also the special days of crontabs, such as
the last of a month."""

from calendar import isleap
from datetime import date
from functools import lru_cache
from typing import NamedTuple

EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
MONDAY_TO_FRIDAY = 0b0111110
"""Bit mask of the days from Monday to Friday; bit 0 is Sunday."""
_LENGTHS = (0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def day_number(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 to this date; negative before it."""
    return date(year, month, day).toordinal() - EPOCH_ORDINAL


def weekday_of(day: int) -> int:
    """Weekday of a day number, 0 for Sunday to 6 for Saturday."""
    return (day + 4) % 7


def month_length(year: int, month: int) -> int:
    """Number of days in a month."""
    return 29 if month == 2 and isleap(year) else _LENGTHS[month]


class MonthDays(NamedTuple):
    """Special days that a crontab names.

    last: `L`, the last day. last_weekday: `LW`, the last day from Monday to Friday. nearest: mask of the days n of `nW` (bit n);
    each is the day from Monday to Friday nearest to the nth, within the month, and none in a month without an nth. last_of: mask
    of the weekdays d of `dL` (bit 0 is Sunday), the last such day. nth: mask of `d#n`, the nth such day: bit (n - 1) * 7 + d.
    """

    last: bool = False
    last_weekday: bool = False
    nearest: int = 0
    last_of: int = 0
    nth: int = 0

    @property
    def dates(self) -> bool:
        """Whether the day-of-month field names any special days."""
        return bool(self.last or self.last_weekday or self.nearest)

    @property
    def weekdays(self) -> bool:
        """Whether the day-of-week field names any special days."""
        return bool(self.last_of or self.nth)


@lru_cache(maxsize=4096)
def dates_in(days: MonthDays, first: int, length: int) -> int:
    """Mask of the day-of-month field's special days; bit 0 is the 1st. first: weekday of the 1st. length: days in the month."""
    found = 1 << (length - 1) if days.last else 0
    if days.last_weekday:
        found |= 1 << (_nearest_weekday(length, first, length) - 1)
    for day in range(1, length + 1):
        if days.nearest >> day & 1:
            found |= 1 << (_nearest_weekday(day, first, length) - 1)
    return found


@lru_cache(maxsize=4096)
def weekdays_in(days: MonthDays, first: int, length: int) -> int:
    """Mask of the day-of-week field's special days; arguments as in `dates_in`."""
    found = 0
    for day in range(1, length + 1):
        weekday = (first + day - 1) % 7
        nth = days.nth >> ((day - 1) // 7 * 7 + weekday) & 1
        last = day + 7 > length and days.last_of >> weekday & 1
        found |= (nth | last) << (day - 1)
    return found


def _nearest_weekday(day: int, first: int, length: int) -> int:
    weekday = (first + day - 1) % 7
    if weekday == 6:
        return day - 1 if day > 1 else day + 2
    if weekday == 0:
        return day + 1 if day < length else day - 2
    return day
