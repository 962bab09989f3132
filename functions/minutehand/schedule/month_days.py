"""Special days that depend on the month: the last day, the nearest weekday, the nth or last Monday."""

from functools import lru_cache
from typing import NamedTuple

MONDAY_TO_FRIDAY = 0b0111110
"""Mask of weekdays; bit 0 is Sunday."""


class MonthDays(NamedTuple):
    """Special days that a crontab names.

    last: `L`, the last day. last_weekday: `LW`, the last day from Monday to Friday. nearest: mask of the days n of `nW` (bit n); each is
    the day from Monday to Friday nearest to the nth, within the month, and none in a month without an nth. last_of: mask of the weekdays
    d of `dL` (bit 0 is Sunday), the last such day. nth: mask of `d#n`, the nth such day: bit (n - 1) * 7 + d.
    """

    last: bool = False
    last_weekday: bool = False
    nearest: int = 0
    last_of: int = 0
    nth: int = 0

    @property
    def dates(self) -> bool:
        """Whether the day-of-month field names any."""
        return bool(self.last or self.last_weekday or self.nearest)

    @property
    def weekdays(self) -> bool:
        """Whether the day-of-week field names any."""
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
