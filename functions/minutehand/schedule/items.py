"""The strict check of one crontab field, before anything expands it.

What passes is a list of plain ranges and of marks; everything else is refused with its place and a hint, and nothing is
reinterpreted.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from minutehand.schedule.errors import NAME_WANTED, ScheduleError
from minutehand.schedule.fields import HOUR, FieldKind, Mark
from minutehand.schedule.month_days import MonthDays
from minutehand.schedule.spread import spread


@dataclass(frozen=True, slots=True)
class Range:
    """Values low, low + step, … up to high. Weekdays run to 7."""

    low: int
    high: int
    step: int


class Field(NamedTuple):
    """A field, read: its ranges, and its marks where it has any. `open`: it is `?`."""

    ranges: tuple[Range, ...]
    marks: MonthDays = MonthDays()
    open: bool = False


_ITEM = re.compile(r"(?P<low>\*|[0-9]+|[A-Za-z]+)(?:-(?P<high>[0-9]+|[A-Za-z]+))?(?P<slash>/(?P<step>[0-9]+))?")
_HASH = re.compile(r"H(?:\((?P<low>[0-9]+)-(?P<high>[0-9]+)\))?(?:/(?P<step>[0-9]+))?")
_BEFORE_LAST = re.compile(r"[Ll]-[0-9]+")
_NEAREST = re.compile(r"(?P<day>[0-9]+)[Ww]")
_NTH = re.compile(r"(?P<day>[0-9]+|[A-Za-z]{3})#(?P<nth>[0-9]+)")
_LAST_OF = re.compile(r"(?P<day>[0-9]+|[A-Za-z]{3})[Ll]")
_ELSEWHERE = (
    # Marks in fields or forms that do not take them, so that the answer can say where they belong.
    (re.compile(r"\?"), "'?' does not belong here", "only the day-of-month or the day-of-week may be left open; write *"),
    (re.compile(r"#"), "'#' does not belong here", "the nth weekday of a month is day-of-week d#n, such as MON#2"),
    (re.compile(r"(?<![A-Za-z])[Hh](?![A-Za-z])"), "'H' does not belong here", "write H, H(a-b), H/n or H(a-b)/n"),
    (re.compile(r"(?<![A-Za-z])[Rr](?![A-Za-z])"), "'R' (a random value) is not read", "write H: chosen by the job's name, and kept"),
    (re.compile(r"[Ww](?![A-Za-z])"), "'W' does not belong here", "the nearest weekday is day-of-month nW or LW, such as 15W"),
    (re.compile(r"(?<![A-Za-z])[Ll](?![A-Za-z])"), "'L' does not belong here", "the last day is day-of-month L; the last Friday is day-of-week 5L"),
    (re.compile(r"~"), "'~' (a random value in a range) is not read", "write H(a-b): chosen by the job's name, and kept"),
)  # fmt: skip


def read_field(kind: FieldKind, text: str, column: int, *, name: str | None) -> Field:
    """What a field's text says, which starts at `column` of the schedule; `name` is what `H` goes by. Raises ScheduleError."""
    if text == "?" and Mark.OPEN in kind.marks:
        return Field(ranges=(Range(kind.low, kind.high, 1),), open=True)
    ranges: list[Range] = []
    marks = MonthDays()
    for offset, item in _items(text):
        if item.isdigit():  # most items; and what is refused in a list of hundreds is refused quickly
            value = _value(kind, item, column + offset)
            ranges.append(Range(value, value, 1))
            continue
        mark = _mark(kind, item, column + offset)
        if mark is not None:
            marks = _joined(marks, mark)
        else:
            ranges += _ranges(kind, item, column + offset, name)
    if kind.one_nth and marks.nth and "," in text:
        raise _error(kind, "'#' must stand alone here", column, "name one weekday, or save a second schedule beside it")
    return Field(ranges=tuple(ranges), marks=marks)


def _items(text: str) -> Iterator[tuple[int, str]]:
    offset = 0
    for item in text.split(","):
        yield offset, item
        offset += len(item) + 1


def _mark(kind: FieldKind, item: str, column: int) -> MonthDays | None:
    """The days that an item marks; None when it is no mark of this field's."""
    upper = item.upper()
    if Mark.LAST in kind.marks and upper == "L":
        return MonthDays(last=True)
    if Mark.NEAREST in kind.marks and upper == "LW":
        return MonthDays(last_weekday=True)
    if Mark.NEAREST in kind.marks and (match := _NEAREST.fullmatch(item)):
        return MonthDays(nearest=1 << _value(kind, match["day"], column))
    if Mark.LAST_OF in kind.marks and (match := _LAST_OF.fullmatch(item)):
        return MonthDays(last_of=1 << _weekday(kind, match["day"], column))
    if Mark.NTH in kind.marks and (match := _NTH.fullmatch(item)):
        nth, at = int(match["nth"]), column + match.start("nth")
        if not 1 <= nth <= 5:
            raise _error(kind, f"{match['nth']:.20} is out of range", at, "a month has a weekday 1 to 5 times")
        return MonthDays(nth=1 << (nth - 1) * 7 + _weekday(kind, match["day"], column))
    return None


def _weekday(kind: FieldKind, text: str, column: int) -> int:
    """0 for Sunday, whichever number the field has for it."""
    return (_value(kind, text, column) - kind.low) % 7


def _joined(one: MonthDays, other: MonthDays) -> MonthDays:
    return MonthDays(
        last=one.last or other.last,
        last_weekday=one.last_weekday or other.last_weekday,
        nearest=one.nearest | other.nearest,
        last_of=one.last_of | other.last_of,
        nth=one.nth | other.nth,
    )


def _ranges(kind: FieldKind, item: str, column: int, name: str | None) -> list[Range]:
    if Mark.END in kind.marks and item.upper() == "L":
        return [Range(kind.high, kind.high, 1)]
    if Mark.HASH in kind.marks and (match := _HASH.fullmatch(item)):
        return [_hashed(kind, match, column, name)]
    if Mark.LAST in kind.marks and _BEFORE_LAST.fullmatch(item):
        raise _error(
            kind, f"{item:.20} (days before the last) is not read", column, "write L for the last day, or name days"
        )
    match = _ITEM.fullmatch(item)
    if match is None:
        raise _unreadable(kind, item, column)
    step = _step(kind, match, column)
    if match["low"] == "*":
        if match["high"] is not None:
            raise _error(kind, "'*' cannot start a range", column, f"write * alone, or {kind.low}-{match['high']:.20}")
        return [Range(kind.low, kind.high, step)]
    low = _value(kind, match["low"], column)
    if match["high"] is None:
        return [Range(low, kind.high if match["slash"] and low <= kind.high else low, step)]
    high = _value(kind, match["high"], column + match.start("high"))
    if low <= high:
        return [Range(low, high, step)]
    if not kind.wraps:
        names = match["low"].isalpha() and match["high"].isalpha()
        hint = _listed(kind, low, high, step) if names else _forwards(kind, low, high)
        raise _error(kind, f"{item:.40} runs backwards", column, hint)
    begins_again = kind.low + (step - (kind.high - low + 1) % step) % step
    return [Range(low, kind.high, step), *([Range(begins_again, high, step)] if begins_again <= high else [])]


def _hashed(kind: FieldKind, match: re.Match[str], column: int, name: str | None) -> Range:
    low, high = kind.low, kind.hash_high or kind.high
    if match["low"] is not None:
        low = _value(kind, match["low"], column + match.start("low"))
        high = _value(kind, match["high"], column + match.start("high"))
        if low > high:
            after = match[0][match[0].index(")") + 1 :][:20]
            # Sunday ends a week as 7; any other two ends are turned round.
            ends = f"{low}-7" if kind.highest_written == 7 and high == 0 else f"{high}-{low}"
            hint = f"H takes one range that goes up: write H({ends}){after}"
            raise _error(kind, f"{low}-{high} runs backwards", column + match.start("low"), hint)
    step = _step(kind, match, column)
    if name is None:
        raise _error(kind, NAME_WANTED, column, "give the name, or choose a value")
    if match["step"] is None:
        chosen = low + spread(name, kind.name, high - low + 1)
        return Range(chosen, chosen, 1)
    first = low + spread(name, kind.name, min(step, high - low + 1))
    # With a step it goes round the whole field, the last days of long months too.
    return Range(first, high if match["low"] is not None else kind.high, step)


def _step(kind: FieldKind, match: re.Match[str], column: int) -> int:
    if match["step"] is None:
        return 1
    at = column + match.start("step")
    if not kind.steps:
        raise _error(kind, "'/' is not read in this field", at - 1, "list the days, such as MON,WED,FRI")
    step = int(match["step"])
    if step == 0:
        raise _error(kind, "a step of 0 goes nowhere", at, "the smallest step is 1")
    return step


def _value(kind: FieldKind, text: str, column: int) -> int:
    if text.isdigit():
        value = int(text)
        if not kind.low <= value <= kind.most:
            hint = f"it goes from {kind.low} to {kind.most}"
            if kind.name == HOUR.name and value == 24:
                hint += "; midnight is 0"
            if kind.name == "day-of-week" and kind.low == 1 and value == 0:
                hint += "; 1 is Sunday here"
            raise _error(kind, f"{text:.20} is out of range", column, hint)
        return value
    name = text.upper()
    if name in kind.names:
        return kind.names.index(name) + kind.first_name
    if not any(pattern.search(text) for pattern, _, _ in _ELSEWHERE):
        hint = f"it takes numbers from {kind.low} to {kind.most}"
        if kind.names:
            hint = f"write {name[:3]}" if name[:3] in kind.names else f"names are {', '.join(kind.names)}"
        raise _error(kind, f"{text!r:.40} is not a value of this field", column, hint)
    raise _unreadable(kind, text, column)


def _forwards(kind: FieldKind, low: int, high: int) -> str:
    if kind.highest_written == 7 and high == 0:
        return f"Sunday ends a week as 7: write {low}-7"
    return f"write both parts: {_span(low, kind.high)},{_span(kind.low, high)}"


def _listed(kind: FieldKind, low: int, high: int, step: int) -> str:
    """A range of names that wraps, as a list of names."""
    size = kind.high - kind.low + 1
    values = range(low, high + size + 1, step)
    return f"list them: {','.join(kind.names[(value - kind.first_name) % size] for value in values)}"


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"


def _unreadable(kind: FieldKind, item: str, column: int) -> ScheduleError:
    """Say what is wrong with an item that is neither range nor mark: the least usual character decides."""
    if not item:
        return _error(kind, "an item of the list is empty", column, "remove the comma, or write a value")
    if item == "?" and Mark.OPEN in kind.marks:
        return _error(kind, "'?' must stand alone", column, "leave the field open with ? alone, or list days")
    for pattern, message, hint in _ELSEWHERE:
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
