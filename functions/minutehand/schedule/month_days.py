"""Days that only a calendar page tells: the last one, the nearest weekday, the nth or last Monday of a month."""

from functools import lru_cache
from typing import NamedTuple

WEEKDAYS = 0b0111110
"""Monday to Friday, as a mask with bit 0 for Sunday."""


class MonthDays(NamedTuple):
    """Such days, as a crontab names them.

    last: `L`. last_weekday: `LW`, the last Monday to Friday. nearest: the days n of `nW` as a mask (bit n); the weekday nearest to
    the nth within the month, and none in a month without an nth day. last_of: the weekdays d of `dL` as a mask (bit 0 is Sunday).
    nth: the pairs of `d#n` as a mask, bit (n - 1) * 7 + d.
    """

    last: bool = False
    last_weekday: bool = False
    nearest: int = 0
    last_of: int = 0
    nth: int = 0

    @property
    def dates(self) -> bool:
        """Whether the day-of-month field names any of them."""
        return bool(self.last or self.last_weekday or self.nearest)

    @property
    def weekdays(self) -> bool:
        """Whether the day-of-week field names any of them."""
        return bool(self.last_of or self.nth)


@lru_cache(maxsize=4096)
def dates_in(days: MonthDays, first: int, length: int) -> int:
    """What the day-of-month field's marks name in a month of this length that starts on weekday `first`; bit 0 is the 1st."""
    found = 1 << (length - 1) if days.last else 0
    if days.last_weekday:
        found |= 1 << (_nearest_weekday(length, first, length) - 1)
    for day in range(1, length + 1):
        if days.nearest >> day & 1:
            found |= 1 << (_nearest_weekday(day, first, length) - 1)
    return found


@lru_cache(maxsize=4096)
def weekdays_in(days: MonthDays, first: int, length: int) -> int:
    """The same for the day-of-week field's marks."""
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
