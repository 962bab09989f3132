"""Warnings: what is legal and yet may not be what was meant. Imported by Schedule.warnings alone."""

from collections.abc import Iterator, Sequence
from itertools import islice

from minutehand.schedule.interval import IntervalTiming
from minutehand.schedule.lint.fields import field_warnings
from minutehand.schedule.lint.steps import step_warnings
from minutehand.schedule.lint.times import time_warnings
from minutehand.schedule.lint.written import Written, written
from minutehand.schedule.part import Part
from minutehand.schedule.unscheduled import DelayTiming
from minutehand.schedule.warning import ScheduleWarning

MOST = 10
"""Warnings that one schedule gets; whoever mends these may ask again."""


def warnings_of(parts: Sequence[Part], now: int, timezone: str | None) -> tuple[ScheduleWarning, ...]:
    """At most MOST warnings, by part. now: seconds since the epoch. timezone: the one given beside the text, if any."""
    return tuple(islice(_all_of(parts, now, timezone), MOST))


def _all_of(parts: Sequence[Part], now: int, timezone: str | None) -> Iterator[ScheduleWarning]:
    for n, part in enumerate(parts):
        read = written(part.text)
        number = n if len(parts) > 1 else None
        for one in _of_part(part, read, now, timezone):
            yield one._replace(part=number)
        twin = next((m for m, other in enumerate(parts[:n]) if _same(part, other)), None)
        if twin is not None:
            message = f"this says the same as schedule {twin + 1}, and an instant that several name comes once"
            yield ScheduleWarning(message, "schedule", read.start, "leave one of them out", n)


def _of_part(part: Part, read: Written, now: int, timezone: str | None) -> Iterator[ScheduleWarning]:
    if read.zone is not None and timezone is not None and part.timezone != timezone:
        message = f"this time zone takes the place of {timezone}, which is given beside the text"
        yield ScheduleWarning(message, "timezone", read.zone, "give one of them alone")
    yield from field_warnings(part, read)
    yield from step_warnings(part, read)
    if isinstance(part.timing, IntervalTiming | DelayTiming) and part.timing.period < 60:
        yield _often(part.timing, read)
    yield from time_warnings(part, read, now)


def _often(timing: IntervalTiming | DelayTiming, read: Written) -> ScheduleWarning:
    times = f"{60 // timing.period} times" if 60 % timing.period == 0 else "more than once"
    upmost = "up to " if isinstance(timing, DelayTiming) else ""
    hint = f"write {'@after' if upmost else '@every'} 1m, unless runs are meant to come so fast"
    return ScheduleWarning(f"this runs {upmost}{times} a minute", "schedule", read.start, hint)


def _same(one: Part, other: Part) -> bool:
    return (one.timing, one.timezone, one.dialect) == (other.timing, other.timezone, other.dialect)
