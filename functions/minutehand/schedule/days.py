"""Days as integers: day number 0 is 1970-01-01; weekday 0 is Sunday, as in crontab(5)."""

from calendar import isleap
from datetime import date

EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
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
