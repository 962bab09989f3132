"""The strict check of one crontab field, before anything expands it.

What passes is a list of plain ranges; everything else is refused with its place and a hint, and nothing is reinterpreted.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from minutehand.schedule.errors import ScheduleError

MONTH_NAMES = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
WEEKDAY_NAMES = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldKind:
    """What a field of a crontab may hold: values low to high, and names for those from `first_name` on."""

    name: str
    low: int
    high: int
    names: tuple[str, ...] = ()
    first_name: int = 0
    # A weekday may be written 7, which is Sunday again; steps without an end still stop at Saturday.
    highest_written: int = 0

    @property
    def most(self) -> int:
        """The highest number that may be written."""
        return max(self.high, self.highest_written)


SECOND = FieldKind(name="second", low=0, high=59)
MINUTE = FieldKind(name="minute", low=0, high=59)
HOUR = FieldKind(name="hour", low=0, high=23)
DAY = FieldKind(name="day-of-month", low=1, high=31)
MONTH = FieldKind(name="month", low=1, high=12, names=MONTH_NAMES, first_name=1)
WEEKDAY = FieldKind(name="day-of-week", low=0, high=6, names=WEEKDAY_NAMES, highest_written=7)


@dataclass(frozen=True, slots=True)
class Range:
    """Values low, low + step, … up to high. Weekdays run to 7."""

    low: int
    high: int
    step: int


_ITEM = re.compile(r"(?P<low>\*|[0-9]+|[A-Za-z]+)(?:-(?P<high>[0-9]+|[A-Za-z]+))?(?P<slash>/(?P<step>[0-9]+))?")
_LATER = (
    # What other schedulers write, recognised so that the answer can say what it would have meant.
    (re.compile(r"[?]"), "'?' (no specific value) is not supported", "write * instead"),
    (
        re.compile(r"#"),
        "'#' (the nth weekday of a month) is not supported",
        "name the weekday alone, or days of the month",
    ),
    (re.compile(r"(?<![A-Za-z])[Hh](?![A-Za-z])"), "'H' (a value chosen by hash) is not supported", "choose a number"),
    (re.compile(r"(?<![A-Za-z])[Rr](?![A-Za-z])"), "'R' (a random value) is not supported", "choose a number"),
    (
        re.compile(r"(?<![A-Za-z])[Ll]?[Ww](?![A-Za-z])"),
        "'W' (the nearest weekday) is not supported",
        "name days 1 to 31",
    ),
    (
        re.compile(r"(?<![A-Za-z])[Ll](?![A-Za-z])"),
        "'L' (the last day) is not supported",
        "name days of the month or week",
    ),
    (re.compile(r"~"), "'~' (a random value in a range) is not supported", "choose a number"),
)


def check_field(kind: FieldKind, text: str, column: int) -> list[Range]:
    """The ranges of a field's text, which starts at `column` of the schedule. Raises ScheduleError."""
    return [_check_item(kind, item, column + offset) for offset, item in _items(text)]


def _items(text: str) -> Iterator[tuple[int, str]]:
    offset = 0
    for item in text.split(","):
        yield offset, item
        offset += len(item) + 1


def _check_item(kind: FieldKind, item: str, column: int) -> Range:
    match = _ITEM.fullmatch(item)
    if match is None:
        raise _unreadable(kind, item, column)
    step = _step(kind, match, column)
    if match["low"] == "*":
        if match["high"] is not None:
            raise _error(kind, "'*' cannot start a range", column, f"write * alone, or {kind.low}-{match['high']:.20}")
        return Range(kind.low, kind.high, step)
    low = _value(kind, match["low"], column)
    if match["high"] is None:
        return Range(low, kind.high if match["slash"] and low <= kind.high else low, step)
    high = _value(kind, match["high"], column + match.start("high"))
    if low > high:
        raise _error(kind, f"{item:.40} runs backwards", column, _forwards(kind, low, high))
    return Range(low, high, step)


def _step(kind: FieldKind, match: re.Match[str], column: int) -> int:
    if match["step"] is None:
        return 1
    step = int(match["step"])
    if step == 0:
        raise _error(kind, "a step of 0 goes nowhere", column + match.start("step"), "the smallest step is 1")
    return step


def _value(kind: FieldKind, text: str, column: int) -> int:
    if text.isdigit():
        value = int(text)
        if not kind.low <= value <= kind.most:
            hint = f"it goes from {kind.low} to {kind.most}"
            if kind is HOUR and value == 24:
                hint += "; midnight is 0"
            raise _error(kind, f"{text:.20} is out of range", column, hint)
        return value
    name = text.upper()
    if name in kind.names:
        return kind.names.index(name) + kind.first_name
    if not any(pattern.search(text) for pattern, _, _ in _LATER):
        hint = f"it takes numbers from {kind.low} to {kind.most}"
        if kind.names:
            hint = f"write {name[:3]}" if name[:3] in kind.names else f"names are {', '.join(kind.names)}"
        raise _error(kind, f"{text!r:.40} is not a value of this field", column, hint)
    raise _unreadable(kind, text, column)


def _forwards(kind: FieldKind, low: int, high: int) -> str:
    if kind is WEEKDAY and high == 0:
        return f"Sunday ends a week as 7: write {low}-7"
    return f"write both parts: {_span(low, kind.high)},{_span(kind.low, high)}"


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"


def _unreadable(kind: FieldKind, item: str, column: int) -> ScheduleError:
    """Say what is wrong with an item that is no range: the least usual character decides."""
    if not item:
        return _error(kind, "an item of the list is empty", column, "remove the comma, or write a value")
    for pattern, message, hint in _LATER:
        found = pattern.search(item)
        if found is not None:
            return _error(kind, message, column + found.start(), hint)
    read = _ITEM.match(item)
    if read is not None and read.end() < len(item):
        # The part that can be read may itself be wrong, and is what comes first.
        if read["low"] != "*":
            _value(kind, read["low"], column)
        at = read.end()
        hint = "values are numbers, ranges a-b, steps */n or a-b/n, and lists of those with commas"
        rest = item[at:]
        if rest in ("-", "/"):
            hint = "write the end of the range" if rest == "-" else "write the step, such as */5"
        return _error(kind, f"{rest!r:.20} does not belong here", column + at, hint)
    hint = f"it takes * or values from {kind.low} to {kind.most}"
    return _error(kind, f"{item!r:.40} cannot be read", column, hint)


def _error(kind: FieldKind, message: str, column: int, hint: str) -> ScheduleError:
    return ScheduleError(message, field=kind.name, column=column, hint=hint)
