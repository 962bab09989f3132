"""Durations of @every and @after, in the grammar of Go's time.ParseDuration: `1h30m10s`, `.5h`, `5m5m`, `1500ms`."""

import re
from fractions import Fraction

from minutehand.schedule.words import schedule_error
from minutehand.schedule.zones import HORIZON

_SECOND = 10**9
# In nanoseconds, so that whole numbers need no Fraction, which is slow.
_UNITS = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,  # U+00B5, the micro sign
    "μs": 10**3,
    "ms": 10**6,
    "s": _SECOND,
    "m": 60 * _SECOND,
    "h": 3600 * _SECOND,
}
_PART = re.compile(r"(?P<number>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?P<unit>[^0-9.\s]*)")
_HINT = "write a duration such as 90s, 5m or 1h30m"
_LONGER_UNITS = {"d": "24h is a day", "day": "24h is a day", "days": "24h is a day", "w": "168h is a week"}


def duration_seconds(text: str, column: int) -> int:
    """Parse a duration to whole seconds, from 1 to HORIZON. column: where it starts in the schedule.

    Raises ScheduleError (field "schedule") for what time.ParseDuration refuses, for fractions of a second, and out of these bounds.
    """
    digits = text[1:] if text[:1] == "+" else text
    if digits.startswith("-"):
        raise schedule_error("a period cannot be negative", column, f"write {digits[1:]}")
    if digits == "0":
        raise schedule_error("a period of zero is not possible", column, _HINT)
    total = _total(digits, column + len(text) - len(digits))
    seconds = int(total // _SECOND)
    if total < _SECOND:
        raise schedule_error("a period shorter than a second is not possible", column, "the shortest period is 1s")
    if total > HORIZON * _SECOND:
        raise schedule_error("a period cannot be longer than 40 years", column, "the longest is 350640h")
    if total != seconds * _SECOND:
        raise schedule_error(
            "a period must be a whole number of seconds", column, f"write {seconds}s or {seconds + 1}s"
        )
    return seconds


def _total(text: str, column: int) -> Fraction | int:
    """Sum of the parts of a duration, such as 1h and 30m, in nanoseconds."""
    if not text:
        raise schedule_error("a duration is missing", column, _HINT)
    total: Fraction | int = 0
    position = 0
    while position < len(text):
        part = _PART.match(text, position)
        if part is None:
            raise schedule_error(f"{text[position]!r} is not part of a duration", column + position, _HINT)
        unit = part["unit"]
        if unit not in _UNITS:
            what = f"{unit!r:.20} is not a unit of time" if unit else f"{part['number']:.20} has no unit"
            hint = (
                _LONGER_UNITS.get(unit.lower(), "units are h, m, s, ms, us and ns")
                if unit
                else f"write {part['number']:.20}s"
            )
            raise schedule_error(what, column + part.start("unit"), hint)
        number = part["number"].rstrip(".")
        total += (int(number) if number.isdigit() else Fraction(number)) * _UNITS[unit]
        position = part.end()
    return total
