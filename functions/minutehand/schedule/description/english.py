"""Numbers, times and lists in English, for descriptions and warnings."""

from collections.abc import Sequence
from itertools import pairwise

_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))
# Up to these numbers one unit is used: 90 seconds, 90 minutes, 36 hours.
_ONE_UNIT_UP_TO = {"second": 120, "minute": 120, "hour": 48}
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
WEEKDAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")


def listed(items: Sequence[str]) -> str:
    """Join items to a list in words: `a`, `a and b`, `a, b and c`."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def ordinal(number: int) -> str:
    """A number as an ordinal: `1st`, `2nd`, `3rd`, `4th`, `11th`, `21st`."""
    ending = "th" if number // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def counted(number: int, noun: str) -> str:
    """A number with its noun: `1 minute`, `2 minutes`."""
    return f"{number} {noun}{'s' * (number != 1)}"


def every(number: int, noun: str) -> str:
    """A constant interval in words: `every minute`, `every 2 minutes`."""
    return f"every {noun}" if number == 1 else f"every {number} {noun}s"


def duration(seconds: int) -> str:
    """A length of time in words: `10 minutes`, `90 seconds`, `2 hours and 30 minutes`."""
    for size, unit in _UNITS:
        if seconds % size == 0 and seconds // size <= _ONE_UNIT_UP_TO.get(unit, seconds):
            return counted(seconds // size, unit)
    parts = []
    for size, unit in _UNITS:
        number, seconds = divmod(seconds, size)
        if number:
            parts.append(counted(number, unit))
    return listed(parts)


def clock(second_of_day: int) -> str:
    """A time of day: `09:00`, or `09:00:15` if it has seconds."""
    minutes, second = divmod(second_of_day, 60)
    text = f"{minutes // 60:02}:{minutes % 60:02}"
    return f"{text}:{second:02}" if second else text


def day(year: int, month: int, number: int) -> str:
    """A date in words: `1 December 2026`."""
    return f"{number} {MONTHS[month - 1]} {year}"


def progression(values: Sequence[int], least: int) -> int | None:
    """Step of ascending, evenly spaced values; None for other values and for fewer than `least`."""
    if len(values) < least:
        return None
    step = values[1] - values[0]
    return step if all(later - value == step for value, later in pairwise(values)) else None


def ranges(values: Sequence[int]) -> list[tuple[int, int]]:
    """Ranges of consecutive numbers in ascending values, each as its first and last."""
    found: list[tuple[int, int]] = []
    for value in values:
        if found and value == found[-1][1] + 1:
            found[-1] = (found[-1][0], value)
        else:
            found.append((value, value))
    return found
