"""Warnings about steps: uneven where the field begins again, too large, or read otherwise elsewhere."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from minutehand.schedule.crontab import EVERY_HOUR, EVERY_MINUTE, EVERY_MONTH, EVERY_WEEKDAY, CrontabTiming
from minutehand.schedule.dialect import VIXIE
from minutehand.schedule.fields import DAY, HOUR, MINUTE, MONTH, SECOND, FieldKind
from minutehand.schedule.lint.written import Written, WrittenField
from minutehand.schedule.part import Part
from minutehand.schedule.plain.days import day_words
from minutehand.schedule.plain.english import MONTHS, WEEKDAYS, counted, listed, ordinal
from minutehand.schedule.warning import ScheduleWarning

_STEP = re.compile(r"(?P<low>\*|[0-9]+|[A-Za-z]{3})(?:-(?P<high>[0-9]+|[A-Za-z]{3}))?/(?P<step>[0-9]+)")
_HASH = re.compile(r"H(?:\((?P<low>[0-9]+)-(?P<high>[0-9]+)\))?/(?P<step>[0-9]+)")
_OPEN = re.compile(r"(?!H/)[0-9A-Za-z]+/")
# What begins again after the field's last value, and the unit of its values.
_AGAIN = {
    SECOND.name: ("minute", "second"),
    MINUTE.name: ("hour", "minute"),
    HOUR.name: ("day", "hour"),
    DAY.name: ("month", "day"),
    MONTH.name: ("year", "month"),
    "day-of-week": ("week", "day"),
}
_GO_UNITS = {SECOND.name: (1, "s"), MINUTE.name: (1, "m"), HOUR.name: (1, "h"), DAY.name: (24, "h")}


class _Step(NamedTuple):
    """An item with a step. whole: it goes round the field, from `low` to its end. shift: `H` chooses where it starts."""

    low: int
    high: int
    step: int
    whole: bool
    shift: bool

    @property
    def values(self) -> range:
        """What it names; of `H`, what it would name if it began at its lowest."""
        return range(self.low, self.high + 1, self.step)


def step_warnings(part: Part, read: Written) -> Iterator[ScheduleWarning]:
    """Those of one part, at most one about unevenness and one about `a/n` for each field."""
    if not isinstance(part.timing, CrontabTiming):
        return
    for field in read.fields.values():
        if field.kind.name not in _AGAIN:
            continue
        told = False
        for item, start in field.items():
            step = _step(field.kind, item)
            if step is None or step.step == 1:
                continue
            column = start + item.index("/") + 1
            warning = None if told else _surprise(step, field, item, column, part.timing)
            if warning is not None:
                told = True
                yield warning
            if part.dialect == VIXIE.name and not read.call and _OPEN.match(item) and len(step.values) > 1:
                yield _open_step(step, field, item, column)
                break


def _step(kind: FieldKind, item: str) -> _Step | None:
    match = _HASH.fullmatch(item) or _STEP.fullmatch(item)
    if match is None:
        return None
    step, shift = int(match["step"]), item.startswith("H")
    if match["low"] in (None, "*"):
        return _Step(kind.low, kind.high, step, whole=True, shift=shift)
    low = _value(kind, match["low"])
    if match["high"] is None:
        return _Step(low, kind.high, step, whole=True, shift=shift)
    high = _value(kind, match["high"])
    if high < low:
        return None
    return _Step(low, high, step, whole=high - low >= kind.high - kind.low, shift=shift)


def _value(kind: FieldKind, text: str) -> int:
    return int(text) if text.isdigit() else kind.names.index(text.upper()) + kind.first_name


def _surprise(
    step: _Step, field: WrittenField, item: str, column: int, timing: CrontabTiming
) -> ScheduleWarning | None:
    kind = field.kind
    size = kind.high - kind.low + 1
    again, unit = _AGAIN[kind.name]
    even = step.step <= size and size % step.step == 0
    if len(step.values) == 1:
        if step.whole and even and kind.name != DAY.name:
            return None
        if step.shift:
            message = f"a step of {step.step} is larger than the field, so {item:.40} is one {unit} in all"
            return ScheduleWarning(message, kind.name, column, f"write {item.partition('/')[0]} for one {unit}")
        message = f"a step of {step.step} leaves the field, so {item:.40} names {step.low} alone"
        return ScheduleWarning(message, kind.name, column, f"write {step.low}{_pace(step, field, timing, ', or ')}")
    if not step.whole or _never_again(kind, timing):
        return None
    if step.shift:
        first, last = _chosen(step, kind, timing)
    else:
        first, last = step.low, step.values[-1]
    gap = first + size - last
    if kind.name == DAY.name:
        message = f"{item:.40} begins again each month: the {ordinal(last)} is followed by the {ordinal(first)}"
        return ScheduleWarning(message, kind.name, column, f"name the days{_pace(step, field, timing, ', or write ')}")
    if gap == step.step or (step.shift and even):
        return None
    message = f"{item:.40} begins again each {again}: {_label(kind, last)} is followed by {_label(kind, first)}, {counted(gap, unit)} later"
    if even:
        hint = f"write */{step.step} to go round the field, or name {','.join(map(str, step.values)):.40} if these alone are meant"
        return ScheduleWarning(message, kind.name, column, hint)
    divisors = sorted((n for n in range(2, size) if size % n == 0), key=lambda n: (abs(n - step.step), n))[:2]
    such_as = " or ".join(map(str, sorted(divisors)))
    hint = f"write a step that divides {size}, such as {such_as}" if divisors else "name the days, such as MON,WED,FRI"
    return ScheduleWarning(message, kind.name, column, hint + _pace(step, field, timing, ", or "))


def _chosen(step: _Step, kind: FieldKind, timing: CrontabTiming) -> tuple[int, int]:
    """The first and the last value of an item of `H`, found in what it compiled to."""
    masks = (timing.seconds, timing.minutes, timing.hours, timing.days, timing.months, timing.weekdays)
    mask = masks[list(_AGAIN).index(kind.name)]
    if kind.name == "day-of-week":
        mask |= (mask & 1) << 7
    walks = (range(low, step.high + 1, step.step) for low in range(step.low, step.low + step.step))
    walk = next((walk for walk in walks if walk and all(mask >> value & 1 for value in walk)), step.values)
    return walk[0], walk[-1]


def _never_again(kind: FieldKind, timing: CrontabTiming) -> bool:
    """Whether what is above the field is never named twice running, so that its last value is not followed by its first."""
    if kind.name == SECOND.name:
        return _apart(timing.minutes, 60)
    if kind.name == MINUTE.name:
        return _apart(timing.hours, 24)
    one_day = not timing.either_day and timing.marks is None
    return kind.name == HOUR.name and one_day and (_apart(timing.weekdays, 7) or _apart(timing.days >> 1, 31))


def _apart(mask: int, size: int) -> bool:
    """Whether no value of a field is named beside its neighbour, where the first follows the last."""
    return not mask & (mask >> 1 | (mask & 1) << size - 1)


def _label(kind: FieldKind, value: int) -> str:
    if kind.name == MONTH.name:
        return MONTHS[value - 1]
    return WEEKDAYS[value % 7] if kind.name == "day-of-week" else str(value)


def _pace(step: _Step, field: WrittenField, timing: CrontabTiming, joint: str) -> str:
    """The `@every` that keeps the pace, where the other fields would not be lost by it."""
    number, unit = _GO_UNITS.get(field.kind.name, (0, ""))
    once = [timing.seconds.bit_count() == 1, timing.minutes.bit_count() == 1, timing.hours.bit_count() == 1]
    open_above = [timing.minutes == EVERY_MINUTE, timing.hours == EVERY_HOUR]
    alone = {
        SECOND.name: all(open_above) and not day_words(timing),
        MINUTE.name: once[0] and open_above[1] and not day_words(timing),
        HOUR.name: all(once[:2]) and not day_words(timing),
        DAY.name: all(once) and timing.months == EVERY_MONTH and timing.weekdays == EVERY_WEEKDAY,
    }
    if not number or not alone[field.kind.name] or "," in field.text or step.low > field.kind.low:
        return ""
    return f"{joint}@every {number * step.step}{unit}, which keeps its pace"


def _open_step(step: _Step, field: WrittenField, item: str, column: int) -> ScheduleWarning:
    """cron 3.0pl1's get_range reads a step after `*` and a-b alone: the original stops at `a`, Debian's refuses the line."""
    values = [str(value) for value in step.values]
    shown = listed(values) if len(values) <= 4 else f"{values[0]}, {values[1]} and so on to {values[-1]}"
    message = f"{item:.40} is {shown} here; Debian's cron refuses it, and others read {step.low} alone"
    return ScheduleWarning(message, field.kind.name, column, f"write {step.low}-{field.kind.high}/{step.step}")
