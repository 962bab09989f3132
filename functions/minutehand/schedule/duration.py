"""Durations of @every and @after, in the grammar of Go's time.ParseDuration: `1h30m10s`, `.5h`, `5m5m`, `1500ms`."""

import re
from collections.abc import Sequence
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
_SPELLED = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), _SECOND),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60 * _SECOND),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), 3600 * _SECOND),
    **dict.fromkeys(("d", "day", "days"), 86_400 * _SECOND),
    **dict.fromkeys(("w", "week", "weeks"), 604_800 * _SECOND),
}
"""Units in words, in capitals or above the hour, which ParseDuration refuses; hints write them in hours, minutes and seconds."""
_PART = re.compile(r"(?P<number>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?P<unit>[^0-9.\s]*)")
_HINT = "write a duration such as 90s, 5m or 1h30m"


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


def one_word(words: Sequence[str]) -> str | None:
    """The duration that several words mean together, as `duration_seconds` reads it: `5m` for `5 minutes`. None if they mean none."""
    return _rewritten("".join(words))


def _rewritten(text: str) -> str | None:
    """A duration with spelled or longer units in hours, minutes and seconds: `36h` for `1d12h`. None for any other text.

    A capital M is not read as a minute, since it could be a month.
    """
    parts = [(part["number"], part["unit"]) for part in _PART.finditer(text)]
    if "".join(number + unit for number, unit in parts) != text or any(unit == "M" for _, unit in parts):
        return None
    units = [_UNITS.get(unit) or _SPELLED.get(unit.lower()) for _, unit in parts]
    total = sum((Fraction(number) * unit for (number, _), unit in zip(parts, units, strict=True) if unit), Fraction())
    if not all(units) or total % _SECOND or not 0 < total <= HORIZON * _SECOND:
        return None
    minutes, seconds = divmod(int(total // _SECOND), 60)
    counts = ((minutes // 60, "h"), (minutes % 60, "m"), (seconds, "s"))
    return "".join(f"{count}{unit}" for count, unit in counts if count)


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
            meant = _rewritten(text) if unit else f"{part['number']:.20}s"
            raise schedule_error(
                what, column + part.start("unit"), f"write {meant}" if meant else "units are h, m and s"
            )
        number = part["number"].rstrip(".")
        total += (int(number) if number.isdigit() else Fraction(number)) * _UNITS[unit]
        position = part.end()
    return total
