"""Go's duration grammar, as robfig/cron's @every reads it: `1h30m10s`, `.5h`, `5m5m`, `1500ms`."""

import re
from fractions import Fraction

from minutehand.schedule.errors import ScheduleError
from minutehand.schedule.zones import HORIZON

_SECOND = 10**9
# In nanoseconds, so that whole numbers need no fractions, which are slow.
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
_USUAL = "write a duration such as 90s, 5m or 1h30m"
_LONGER = {"d": "24h is a day", "day": "24h is a day", "days": "24h is a day", "w": "168h is a week"}


def duration_seconds(text: str, column: int) -> int:
    """Whole seconds, 1 or more. `column` is where the duration starts in the schedule.

    Raises ScheduleError for anything Go's time.ParseDuration refuses, and for less than a second, fractions of one, and
    periods beyond the horizon, which a schedule cannot keep.
    """
    digits = text[1:] if text[:1] == "+" else text
    if digits.startswith("-"):
        raise _error("a period cannot be negative", column, f"write {digits[1:]}")
    if digits == "0":
        raise _error("a period of zero would never end", column, _USUAL)
    total = _total(digits, column + len(text) - len(digits))
    seconds = int(total // _SECOND)
    if total < _SECOND:
        raise _error("a period shorter than a second is not possible", column, "the shortest period is 1s")
    if total > HORIZON * _SECOND:
        raise _error("a period this long would not come round within 40 years", column, "the longest is 350640h")
    if total != seconds * _SECOND:
        raise _error("a period has whole seconds", column, f"write {seconds}s or {seconds + 1}s")
    return seconds


def _total(text: str, column: int) -> Fraction | int:
    """Nanoseconds."""
    if not text:
        raise _error("a duration is missing", column, _USUAL)
    total: Fraction | int = 0
    position = 0
    while position < len(text):
        part = _PART.match(text, position)
        if part is None:
            raise _error(f"{text[position]!r} is not part of a duration", column + position, _USUAL)
        unit = part["unit"]
        if unit not in _UNITS:
            what = f"{unit!r:.20} is not a unit of time" if unit else f"{part['number']:.20} has no unit"
            hint = (
                _LONGER.get(unit.lower(), "units are h, m, s, ms, us and ns")
                if unit
                else f"write {part['number']:.20}s"
            )
            raise _error(what, column + part.start("unit"), hint)
        number = part["number"].rstrip(".")
        total += (int(number) if number.isdigit() else Fraction(number)) * _UNITS[unit]
        position = part.end()
    return total


def _error(message: str, column: int, hint: str) -> ScheduleError:
    return ScheduleError(message, field="schedule", column=column, hint=hint)
