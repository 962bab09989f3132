"""All warnings of a schedule. Only `Schedule.warnings` imports this module."""

from collections.abc import Iterator, Sequence
from itertools import islice

from minutehand.schedule.lint.fields import field_warnings
from minutehand.schedule.lint.source_text import SourceText, source_text
from minutehand.schedule.lint.steps import step_warnings
from minutehand.schedule.lint.times import time_warnings
from minutehand.schedule.part import Part
from minutehand.schedule.timing import DelayTiming, IntervalTiming
from minutehand.schedule.warning import ScheduleWarning

MOST = 10
"""Maximum warnings for one schedule."""


def lint(parts: Sequence[Part], now: int, timezone: str | None) -> tuple[ScheduleWarning, ...]:
    """At most MOST warnings, in the order of the parts. now: epoch seconds. timezone: the one given separately from the text, if any."""
    return tuple(islice(_all_warnings(parts, now, timezone), MOST))


def _all_warnings(parts: Sequence[Part], now: int, timezone: str | None) -> Iterator[ScheduleWarning]:
    for n, part in enumerate(parts):
        source = source_text(part.text)
        number = n if len(parts) > 1 else None
        for one in _part_warnings(part, source, now, timezone):
            yield one._replace(part=number)
        duplicate = next((m for m, other in enumerate(parts[:n]) if _is_same(part, other)), None)
        if duplicate is not None:
            message = f"this is the same as schedule {duplicate + 1}; an instant that both name runs once"
            yield ScheduleWarning(message, "schedule", source.start, "leave one of them out", n)


def _part_warnings(part: Part, source: SourceText, now: int, timezone: str | None) -> Iterator[ScheduleWarning]:
    if source.zone is not None and timezone is not None and part.timezone != timezone:
        message = f"this time zone overrides {timezone}, which is given separately"
        yield ScheduleWarning(message, "timezone", source.zone, "give only one of them")
    yield from field_warnings(part, source)
    yield from step_warnings(part, source)
    if isinstance(part.timing, IntervalTiming | DelayTiming) and part.timing.period < 60:
        yield _frequency_warning(part.timing, source)
    yield from time_warnings(part, source, now)


def _frequency_warning(timing: IntervalTiming | DelayTiming, source: SourceText) -> ScheduleWarning:
    times = f"{60 // timing.period} times" if 60 % timing.period == 0 else "more than once"
    up_to = "up to " if isinstance(timing, DelayTiming) else ""
    hint = f"write {'@after' if up_to else '@every'} 1m, unless you mean so many runs"
    return ScheduleWarning(f"this runs {up_to}{times} a minute", "schedule", source.start, hint)


def _is_same(one: Part, other: Part) -> bool:
    return (one.timing, one.timezone, one.dialect) == (other.timing, other.timezone, other.dialect)
