"""Warnings about steps that are uneven at the end of the field, too large, or different in other schedulers."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from minutehand.schedule.crontab import EVERY_HOUR, EVERY_MINUTE, EVERY_MONTH, EVERY_WEEKDAY, CrontabTiming
from minutehand.schedule.description.days import date_words, day_words, weekday_words
from minutehand.schedule.description.english import MONTHS, WEEKDAYS, counted, listed, ordinal
from minutehand.schedule.dialect import VIXIE
from minutehand.schedule.errors import ScheduleWarning
from minutehand.schedule.fields import DAY, HOUR, MINUTE, MONTH, SECOND, WEEKDAY, FieldKind
from minutehand.schedule.lint.source_text import SourceField, SourceText
from minutehand.schedule.part import Part

_STEP = re.compile(r"(?P<low>\*|[0-9]+|[A-Za-z]{3})(?:-(?P<high>[0-9]+|[A-Za-z]{3}))?/(?P<step>[0-9]+)")
_HASH = re.compile(r"H(?:\((?P<low>[0-9]+)-(?P<high>[0-9]+)\))?/(?P<step>[0-9]+)")
_OPEN = re.compile(r"(?!H/)[0-9A-Za-z]+/")
# For each field, the cycle in which its values come round again, and their unit.
_CYCLES = {
    SECOND.name: ("minute", "second"),
    MINUTE.name: ("hour", "minute"),
    HOUR.name: ("day", "hour"),
    DAY.name: ("month", "day"),
    MONTH.name: ("year", "month"),
    "day-of-week": ("week", "day"),
}
_EVERY_UNITS = {SECOND.name: (1, "s"), MINUTE.name: (1, "m"), HOUR.name: (1, "h"), DAY.name: (24, "h")}


class _Step(NamedTuple):
    """An item of a field with a step, such as `*/5`.

    to_end: whether it goes from `low` to the end of the field. hashed: whether `H` chooses its start.
    """

    low: int
    high: int
    step: int
    to_end: bool
    hashed: bool

    @property
    def values(self) -> range:
        """Values of the item; for `H`, its values if it chose its lowest start."""
        return range(self.low, self.high + 1, self.step)


def step_warnings(part: Part, source: SourceText) -> Iterator[ScheduleWarning]:
    """Warnings about steps of one part: for each field at most one about an uneven step and one about the form `a/n`."""
    if not isinstance(part.timing, CrontabTiming):
        return
    for field in source.fields.values():
        if field.kind.name not in _CYCLES:
            continue
        warned = False
        for item, start in field.items():
            step = _step(field.kind, item)
            if step is None or step.step == 1:
                continue
            column = start + item.index("/") + 1
            warning = None if warned else _uneven_step(step, field, item, column, part.timing)
            if warning is not None:
                warned = True
                yield warning
            if part.dialect == VIXIE.name and not source.call and _OPEN.match(item) and len(step.values) > 1:
                yield _open_step(step, field, item, column)
                break


def _step(kind: FieldKind, item: str) -> _Step | None:
    match = _HASH.fullmatch(item) or _STEP.fullmatch(item)
    if match is None:
        return None
    step, hashed = int(match["step"]), item.startswith("H")
    if match["low"] in (None, "*"):
        return _Step(kind.low, kind.high, step, to_end=True, hashed=hashed)
    low = _value(kind, match["low"])
    if match["high"] is None:
        return _Step(low, kind.high, step, to_end=True, hashed=hashed)
    high = _value(kind, match["high"])
    if high < low:
        return None
    return _Step(low, high, step, to_end=high - low >= kind.high - kind.low, hashed=hashed)


def _value(kind: FieldKind, text: str) -> int:
    return int(text) if text.isdigit() else kind.names.index(text.upper()) + kind.first_name


def _uneven_step(
    step: _Step, field: SourceField, item: str, column: int, timing: CrontabTiming
) -> ScheduleWarning | None:
    kind = field.kind
    size = kind.high - kind.low + 1
    cycle, unit = _CYCLES[kind.name]
    even = step.step <= size and size % step.step == 0
    if len(step.values) == 1:
        if step.to_end and even and kind.name != DAY.name:
            return None
        if step.hashed:
            message = f"a step of {step.step} is larger than the field, so {item:.40} is a single {unit}"
            return ScheduleWarning(message, kind.name, column, f"write {item.partition('/')[0]} for one {unit}")
        if item.startswith("*") and _star_joins_days(kind, timing):
            return None
        message = f"a step of {step.step} exceeds the field, so {item:.40} names only {step.low}"
        return ScheduleWarning(message, kind.name, column, f"write {step.low}{_or_every(step, field, timing, ', or ')}")
    if not step.to_end or _never_wraps(kind, timing):
        return None
    first, last = _hash_ends(step, kind, timing) if step.hashed else (step.low, step.values[-1])
    gap = first + size - last
    if kind.name == DAY.name:
        message = f"{item:.40} begins again each month: the {ordinal(last)} is followed by the {ordinal(first)}"
        hint = f"name the days{_or_every(step, field, timing, ', or write ')}"
        return ScheduleWarning(message, kind.name, column, hint)
    if gap == step.step or (step.hashed and even):
        return None
    message = f"{item:.40} begins again each {cycle}: {_label(kind, last)} is followed by {_label(kind, first)}, {counted(gap, unit)} later"
    if even:
        hint = f"write */{step.step} for the whole field, or list {','.join(map(str, step.values)):.40} if you mean only these"
        return ScheduleWarning(message, kind.name, column, hint)
    divisors = sorted((n for n in range(2, size) if size % n == 0), key=lambda n: (abs(n - step.step), n))[:2]
    such_as = " or ".join(map(str, sorted(divisors)))
    hint = f"write a step that divides {size}, such as {such_as}" if divisors else "name the days, such as MON,WED,FRI"
    return ScheduleWarning(message, kind.name, column, hint + _or_every(step, field, timing, ", or "))


def _star_joins_days(kind: FieldKind, timing: CrontabTiming) -> bool:
    """Whether both day fields must match because one begins with `*`: its only value alone would make either field enough."""
    restricted = date_words(timing) and weekday_words(timing)
    return kind.name in {DAY.name, WEEKDAY.name} and bool(restricted) and not timing.either_day


def _hash_ends(step: _Step, kind: FieldKind, timing: CrontabTiming) -> tuple[int, int]:
    """First and last value of an item with `H`, found in the compiled masks."""
    masks = (timing.seconds, timing.minutes, timing.hours, timing.days, timing.months, timing.weekdays)
    mask = masks[list(_CYCLES).index(kind.name)]
    if kind.name == "day-of-week":
        mask |= (mask & 1) << 7
    candidates = (range(low, step.high + 1, step.step) for low in range(step.low, step.low + step.step))
    found = (values for values in candidates if values and all(mask >> value & 1 for value in values))
    values = next(found, step.values)
    return values[0], values[-1]


def _never_wraps(kind: FieldKind, timing: CrontabTiming) -> bool:
    """Whether the next larger field never has two consecutive values, so that the last value is not followed by the first."""
    if kind.name == SECOND.name:
        return _no_neighbours(timing.minutes, 60)
    if kind.name == MINUTE.name:
        return _no_neighbours(timing.hours, 24)
    if kind.name != HOUR.name or timing.either_day or timing.month_days is not None:
        return False
    return _no_neighbours(timing.weekdays, 7) or _no_neighbours(timing.days >> 1, 31)


def _no_neighbours(mask: int, size: int) -> bool:
    """Whether a mask has no two neighbouring values; the first value also counts as next to the last."""
    return not mask & (mask >> 1 | (mask & 1) << size - 1)


def _label(kind: FieldKind, value: int) -> str:
    if kind.name == MONTH.name:
        return MONTHS[value - 1]
    return WEEKDAYS[value % 7] if kind.name == "day-of-week" else str(value)


def _or_every(step: _Step, field: SourceField, timing: CrontabTiming, joint: str) -> str:
    """The end of a hint, which offers `@every` for the same interval; empty if the other fields restrict the times."""
    number, unit = _EVERY_UNITS.get(field.kind.name, (0, ""))
    once = [timing.seconds.bit_count() == 1, timing.minutes.bit_count() == 1, timing.hours.bit_count() == 1]
    unrestricted = [timing.minutes == EVERY_MINUTE, timing.hours == EVERY_HOUR]
    equivalent = {
        SECOND.name: all(unrestricted) and not day_words(timing),
        MINUTE.name: once[0] and unrestricted[1] and not day_words(timing),
        HOUR.name: all(once[:2]) and not day_words(timing),
        DAY.name: all(once) and timing.months == EVERY_MONTH and timing.weekdays == EVERY_WEEKDAY,
    }
    if not number or not equivalent[field.kind.name] or "," in field.text or step.low > field.kind.low:
        return ""
    return f"{joint}@every {number * step.step}{unit} for a constant interval"


def _open_step(step: _Step, field: SourceField, item: str, column: int) -> ScheduleWarning:
    """Warning about `a/n`. cron 3.0pl1's get_range reads a step only after `*` and a-b: the original stops at `a`, Debian's
    refuses the line."""
    values = [str(value) for value in step.values]
    shown = listed(values) if len(values) <= 4 else f"{values[0]}, {values[1]} and so on to {values[-1]}"
    message = f"{item:.40} is {shown} here; Debian's cron refuses it, and others read only {step.low}"
    return ScheduleWarning(message, field.kind.name, column, f"write {step.low}-{field.kind.high}/{step.step}")
