"""Go's duration grammar, as robfig/cron's @every reads it: `1h30m10s`, `.5h`, `5m5m`, `1500ms`."""

import re
from fractions import Fraction

from minutehand.schedule.errors import ScheduleError
from minutehand.schedule.zones import HORIZON

_UNITS = {
    "ns": Fraction(1, 10**9),
    "us": Fraction(1, 10**6),
    "µs": Fraction(1, 10**6),  # U+00B5, the micro sign
    "μs": Fraction(1, 10**6),
    "ms": Fraction(1, 1000),
    "s": Fraction(1),
    "m": Fraction(60),
    "h": Fraction(3600),
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
    if total < 1:
        raise _error("a period shorter than a second is not possible", column, "the shortest period is 1s")
    if total > HORIZON:
        raise _error("a period this long would not come round within 40 years", column, "the longest is 350640h")
    if total.denominator != 1:
        raise _error("a period has whole seconds", column, f"write {int(total)}s or {int(total) + 1}s")
    return int(total)


def _total(text: str, column: int) -> Fraction:
    if not text:
        raise _error("a duration is missing", column, _USUAL)
    total, position = Fraction(0), 0
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
        total += Fraction(part["number"].rstrip(".")) * _UNITS[unit]
        position = part.end()
    return total


def _error(message: str, column: int, hint: str) -> ScheduleError:
    return ScheduleError(message, field="schedule", column=column, hint=hint)
