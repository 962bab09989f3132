"""Strict parser of one crontab field: text to ranges and special days.

It runs before croniter expands the ranges, and refuses every form that it does not know, with a column and a hint.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

from minutehand.schedule.days import MonthDays
from minutehand.schedule.errors import NAME_WANTED, ScheduleError
from minutehand.schedule.fields import HOUR, WEEKDAY, FieldKind, Special


@dataclass(frozen=True, slots=True)
class Range:
    """Values low, low + step, … up to high, inclusive. A weekday range may end with 7, which is Sunday."""

    low: int
    high: int
    step: int


class Field(NamedTuple):
    """A parsed field. open: whether the field is `?`, so that the other day field decides."""

    ranges: tuple[Range, ...]
    month_days: MonthDays = MonthDays()
    open: bool = False


_ITEM = re.compile(r"(?P<low>\*|[0-9]+|[A-Za-z]+)(?:-(?P<high>[0-9]+|[A-Za-z]+))?(?P<slash>/(?P<step>[0-9]+))?")
_HASH = re.compile(r"H(?:\((?P<low>[0-9]+)-(?P<high>[0-9]+)\))?(?:/(?P<step>[0-9]+))?")
_BEFORE_LAST = re.compile(r"[Ll]-[0-9]+")
_NEAREST = re.compile(r"(?P<day>[0-9]+)[Ww]")
_NTH = re.compile(r"(?P<day>[0-9]+|[A-Za-z]{3})#(?P<nth>[0-9]+)")
_LAST_OF = re.compile(r"(?P<day>[0-9]+|[A-Za-z]{3})[Ll]")
_MISPLACED = (
    # Special characters in fields or forms that do not take them; the hint says where they are allowed.
    (re.compile(r"\?"), "'?' is not allowed here", "? is for day-of-month or day-of-week; write *"),
    (re.compile(r"#"), "'#' is not allowed here", "the nth weekday of a month is d#n in day-of-week, such as MON#2"),
    (re.compile(r"(?<![A-Za-z])[Hh](?![A-Za-z])"), "'H' is not allowed here", "write H, H(a-b), H/n or H(a-b)/n"),
    (re.compile(r"(?<![A-Za-z])[Rr](?![A-Za-z])"), "'R' (a random value) is not supported", "write H, a fixed value chosen from the job's name"),
    (re.compile(r"[Ww](?![A-Za-z])"), "'W' is not allowed here", "the nearest weekday is nW or LW in day-of-month, such as 15W"),
    (re.compile(r"(?<![A-Za-z])[Ll](?![A-Za-z])"), "'L' is not allowed here", "the last day is L in day-of-month; the last Friday is 5L in day-of-week"),
    (re.compile(r"~"), "'~' (a random value in a range) is not supported", "write H(a-b), a fixed value chosen from the job's name"),
)  # fmt: skip


def parse_field(kind: FieldKind, text: str, column: int, *, name: str | None) -> Field:
    """Parse a field. column: where it starts in the schedule. name: the job's full name, for `H`. Raises ScheduleError."""
    if text == "?" and Special.OPEN in kind.specials:
        return Field(ranges=(Range(kind.low, kind.high, 1),), open=True)
    ranges: list[Range] = []
    month_days = MonthDays()
    for offset, item in _items(text):
        if item.isdigit():  # a plain number, as most items are; this shortcut refuses a list of hundreds quickly
            value = _value(kind, item, column + offset)
            ranges.append(Range(value, value, 1))
            continue
        special = _special(kind, item, column + offset)
        if special is not None:
            month_days = _union(month_days, special)
        else:
            ranges += _ranges(kind, item, column + offset, name)
    if kind.one_nth and month_days.nth and "," in text:
        raise _error(kind, "d#n must be the only value here", column, "name one weekday, or add a second schedule")
    return Field(ranges=tuple(ranges), month_days=month_days)


def _items(text: str) -> Iterator[tuple[int, str]]:
    offset = 0
    for item in text.split(","):
        yield offset, item
        offset += len(item) + 1


def _special(kind: FieldKind, item: str, column: int) -> MonthDays | None:
    """Special days of an item; None if it is not one of the field's special forms."""
    upper = item.upper()
    if Special.LAST in kind.specials and upper == "L":
        return MonthDays(last=True)
    if Special.NEAREST in kind.specials and upper == "LW":
        return MonthDays(last_weekday=True)
    if Special.NEAREST in kind.specials and (match := _NEAREST.fullmatch(item)):
        return MonthDays(nearest=1 << _value(kind, match["day"], column))
    if Special.LAST_OF in kind.specials and (match := _LAST_OF.fullmatch(item)):
        return MonthDays(last_of=1 << _weekday(kind, match["day"], column))
    if Special.NTH in kind.specials and (match := _NTH.fullmatch(item)):
        nth, at = int(match["nth"]), column + match.start("nth")
        if not 1 <= nth <= 5:
            raise _error(kind, f"{match['nth']:.20} is out of range", at, "in d#n, n goes from 1 to 5")
        return MonthDays(nth=1 << (nth - 1) * 7 + _weekday(kind, match["day"], column))
    return None


def _weekday(kind: FieldKind, text: str, column: int) -> int:
    """Weekday with 0 for Sunday, whichever number the field uses for it."""
    return (_value(kind, text, column) - kind.low) % 7


def _union(one: MonthDays, other: MonthDays) -> MonthDays:
    return MonthDays(
        last=one.last or other.last,
        last_weekday=one.last_weekday or other.last_weekday,
        nearest=one.nearest | other.nearest,
        last_of=one.last_of | other.last_of,
        nth=one.nth | other.nth,
    )


def _ranges(kind: FieldKind, item: str, column: int, name: str | None) -> list[Range]:
    if Special.END in kind.specials and item.upper() == "L":
        return [Range(kind.high, kind.high, 1)]
    if Special.HASH in kind.specials and (match := _HASH.fullmatch(item)):
        return [_hashed(kind, match, column, name)]
    if Special.LAST in kind.specials and _BEFORE_LAST.fullmatch(item):
        raise _error(
            kind,
            f"{item:.20} (days before the last) is not supported",
            column,
            "write L for the last day, or name days",
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
            # At the end of a range Sunday is 7; the hint swaps any other two ends.
            ends = f"{low}-7" if kind.highest_written == 7 and high == 0 else f"{high}-{low}"
            hint = f"H takes one ascending range: write H({ends}){after}"
            raise _error(kind, f"{low}-{high} runs backwards", column + match.start("low"), hint)
    step = _step(kind, match, column)
    if name is None:
        raise _error(kind, NAME_WANTED, column, "give the name, or choose a value")
    if match["step"] is None:
        chosen = low + hash_value(name, kind.name, high - low + 1)
        return Range(chosen, chosen, 1)
    first = low + hash_value(name, kind.name, min(step, high - low + 1))
    # With a step, H uses the whole field, including the 29th to the 31st.
    return Range(first, high if match["low"] is not None else kind.high, step)


def hash_value(name: str, field: str, size: int) -> int:
    """Number from 0 to size - 1 for `H`, the same for a name and field on every machine and in every version.

    The field is part of the hash, so a job's minute does not depend on its hour.
    """
    digest = blake2b(f"{field}\0{name}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % size


def _step(kind: FieldKind, match: re.Match[str], column: int) -> int:
    if match["step"] is None:
        return 1
    at = column + match.start("step")
    if not kind.steps:
        raise _error(kind, "'/' is not allowed in this field", at - 1, "list the days, such as MON,WED,FRI")
    step = int(match["step"])
    if step == 0:
        raise _error(kind, "a step of 0 is not possible", at, "the smallest step is 1")
    return step


def _value(kind: FieldKind, text: str, column: int) -> int:
    if text.isdigit():
        value = int(text)
        if not kind.low <= value <= kind.most:
            hint = f"it goes from {kind.low} to {kind.most}"
            if kind.name == HOUR.name and value == 24:
                hint += "; midnight is 0"
            if kind.name == WEEKDAY.name and kind.low == 1 and value == 0:
                hint += "; 1 is Sunday here"
            raise _error(kind, f"{text:.20} is out of range", column, hint)
        return value
    name = text.upper()
    if name in kind.names:
        return kind.names.index(name) + kind.first_name
    if not any(pattern.search(text) for pattern, _, _ in _MISPLACED):
        hint = f"use numbers from {kind.low} to {kind.most}"
        if kind.names:
            hint = f"write {name[:3]}" if name[:3] in kind.names else f"names are {', '.join(kind.names)}"
        raise _error(kind, f"{text!r:.40} is not a value of this field", column, hint)
    raise _unreadable(kind, text, column)


def _forwards(kind: FieldKind, low: int, high: int) -> str:
    if kind.highest_written == 7 and high == 0:
        return f"at the end of a range Sunday is 7: write {low}-7"
    return f"write both parts: {_span(low, kind.high)},{_span(kind.low, high)}"


def _listed(kind: FieldKind, low: int, high: int, step: int) -> str:
    """Hint that spells out a backwards range of names."""
    size = kind.high - kind.low + 1
    values = range(low, high + size + 1, step)
    return f"list them: {','.join(kind.names[(value - kind.first_name) % size] for value in values)}"


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"


def _unreadable(kind: FieldKind, item: str, column: int) -> ScheduleError:
    """Error for a list's item of no known form; the item's least usual character decides the message."""
    if not item:
        return _error(kind, "the list has an empty item", column, "remove the comma, or write a value")
    if item == "?" and Special.OPEN in kind.specials:
        return _error(kind, "'?' must be the whole field", column, "write ? alone, or list days")
    for pattern, message, hint in _MISPLACED:
        found = pattern.search(item)
        if found is not None:
            return _error(kind, message, column + found.start(), hint)
    read = _ITEM.match(item)
    if read is not None and read.end() < len(item):
        # The item starts with a valid form, whose number may be out of range.
        if read["low"] != "*":
            _value(kind, read["low"], column)
        at = read.end()
        hint = "values are numbers, ranges a-b, steps */n or a-b/n, and lists of them with commas"
        rest = item[at:]
        if rest in ("-", "/"):
            hint = "write the end of the range" if rest == "-" else "write the step, such as */5"
        return _error(kind, f"unexpected {rest!r:.20}", column + at, hint)
    hint = f"use * or values from {kind.low} to {kind.most}"
    return _error(kind, f"{item!r:.40} is not a value of this field", column, hint)


def _error(kind: FieldKind, message: str, column: int, hint: str) -> ScheduleError:
    return ScheduleError(message, field=kind.name, column=column, hint=hint)
