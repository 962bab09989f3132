"""Warnings about clock changes within a year, and about times that are past or far away."""

from bisect import bisect_right
from collections.abc import Iterator
from datetime import date, timedelta
from typing import NamedTuple

from minutehand.schedule.crontab import EVERY_HOUR, CrontabTiming
from minutehand.schedule.days import EPOCH_ORDINAL
from minutehand.schedule.description.days import weekday_words
from minutehand.schedule.description.english import clock, day, duration
from minutehand.schedule.dialect import dialect_named
from minutehand.schedule.errors import ScheduleWarning
from minutehand.schedule.fields import DAY, HOUR
from minutehand.schedule.lint.source_text import SourceText
from minutehand.schedule.part import EPOCH, IntervalTiming, OnceTiming, Part
from minutehand.schedule.wall import wall_clock
from minutehand.schedule.zones import Segments, segments_reaching

_YEAR = 366 * 86400


class _Change(NamedTuple):
    """Clock change: the local times from `low` to `high` (wall seconds) are skipped (gap) or repeated.

    caught_up: whether the dialect runs skipped times at the end of the gap. both: whether both passes count.
    """

    low: int
    high: int
    gap: bool
    caught_up: bool
    both: bool


def time_warnings(part: Part, source: SourceText, now: int) -> Iterator[ScheduleWarning]:
    """Warnings about clock changes and far or past times of one part. now: epoch seconds."""
    timing = part.timing
    if not isinstance(timing, CrontabTiming | IntervalTiming | OnceTiming):
        return
    found = part.next_after(now)
    if found is None or (found > now + _YEAR and not _distance_is_obvious(timing, source)):
        yield _far_warning(part, source, now, found)
    if isinstance(timing, IntervalTiming) or found is None or _hashed_hour(source):
        return
    gap = fold = False
    for change in _changes(part, now):
        named = _named(timing, change)
        if named is None or (gap if change.gap else fold):
            continue
        message = _gap(part, timing, change, named) if change.gap else _fold(part, timing, change, named)
        if message is None:
            continue
        gap, fold = gap or change.gap, fold or not change.gap
        field = HOUR.name if source.fields else "schedule"
        yield ScheduleWarning(message, field, source.column(field), _hint(timing, change))


def _hashed_hour(source: SourceText) -> bool:
    """Whether H chooses the hour: then there is no time of day that its author could change."""
    return bool(source.fields) and all(item.startswith(("H", "h")) for item, _ in source.fields[HOUR.name].items())


def _far_warning(part: Part, source: SourceText, now: int, found: int | None) -> ScheduleWarning:
    if found is None:
        past = (EPOCH + timedelta(seconds=now)).strftime("%Y-%m-%d %H:%M UTC")
        hint = "choose a time in the future"
        return ScheduleWarning(f"this has no runs after {past}", "schedule", source.start, hint)
    first = wall_clock(part.timezone).local(EPOCH + timedelta(seconds=found))
    message = f"this does not run before {day(first.year, first.month, first.day)}"
    if not source.fields:
        hint = "choose an earlier time, unless it is meant to run this rarely"
        return ScheduleWarning(message, "schedule", source.start, hint)
    hint = "check the day and the month: the day comes first, and L is the last day of a month"
    return ScheduleWarning(message, DAY.name, source.column(DAY.name), hint)


def _distance_is_obvious(timing: CrontabTiming | IntervalTiming | OnceTiming, source: SourceText) -> bool:
    """Whether the text itself shows that its next run is far away: by years, a date, or 29 February, which has its own warning."""
    if isinstance(timing, CrontabTiming):
        leap_day = source.fields and source.fields[DAY.name].text == "29" and timing.months == 1 << 2
        return timing.years is not None or bool(leap_day and not weekday_words(timing))
    return isinstance(timing, OnceTiming)


def _changes(part: Part, now: int) -> Iterator[_Change]:
    """Clock changes of the zone within a year, under the part's clock rule."""
    rule = dialect_named(part.dialect).clock_rule(repeats=part.timing.repeats)
    zone: Segments = segments_reaching(part.timezone, rule, (EPOCH + timedelta(seconds=now)).year)
    for n in range(bisect_right(zone.starts, now), len(zone.offsets)):
        start = zone.starts[n]
        if start > now + _YEAR:
            return
        before, after = start + zone.offsets[n - 1], start + zone.offsets[n]
        gap = after > before
        low, high = min(before, after), max(before, after)
        yield _Change(low, high, gap=gap, caught_up=gap and zone.catch_up_until[n] == high, both=zone.repeats_times[n])


def _named(timing: CrontabTiming | OnceTiming, change: _Change) -> int | None:
    """First local time that a timing names among those that a change skips or repeats; None without one."""
    if isinstance(timing, OnceTiming):
        return timing.wall if change.low <= timing.wall < change.high else None
    wall = timing.wall_at_or_after(change.low, change.high)
    return wall if wall is not None and wall < change.high else None


def _gap(part: Part, timing: CrontabTiming | OnceTiming, change: _Change, named: int) -> str | None:
    if isinstance(timing, CrontabTiming):
        if timing.hours == EVERY_HOUR or (timing.repeats and not _skips_whole_day(timing, change)):
            return None
    what = f"runs it at {clock(change.high % 86400)}" if change.caught_up else "skips it"
    return f"{part.timezone}'s clocks jump {_span(change)}, over {clock(named % 86400)}: {part.dialect} {what}"


def _skips_whole_day(timing: CrontabTiming, change: _Change) -> bool:
    """Whether all times that a crontab names on the day of a change are among those that the change skips."""
    midnight = change.low - change.low % 86400
    first = timing.wall_at_or_after(midnight, midnight)
    after = timing.wall_at_or_after(change.high, midnight)
    return first is not None and first >= change.low and (after is None or after >= midnight + 86400)


def _fold(part: Part, timing: CrontabTiming | OnceTiming, change: _Change, named: int) -> str | None:
    hourly = isinstance(timing, CrontabTiming) and timing.hours == EVERY_HOUR
    if change.both and (hourly or timing.repeats):
        return None
    repeated = f"{part.timezone}'s clocks go {_span(change, ' twice')}"
    if hourly:
        idle = f"nothing runs in the second pass, for {duration(change.high - change.low)}"
        return f"{repeated}: {part.dialect} counts only the first pass, and {idle}"
    # A single time runs in the first pass in every dialect.
    times = "both times" if change.both and isinstance(timing, CrontabTiming) else "only the first time"
    return f"{repeated}: {part.dialect} runs {clock(named % 86400)} {times}"


def _hint(timing: CrontabTiming | OnceTiming, change: _Change) -> str:
    if isinstance(timing, CrontabTiming) and timing.hours == EVERY_HOUR:
        return "write rate(…) or @every, or use the time zone UTC, to run through the change"
    if change.high - change.low >= 86400:  # every time of day is within the change
        return f"choose another day than {_date(change.low)} if that matters, or the time zone UTC"
    span = f"{clock(change.low % 86400)} to {clock(change.high % 86400)}"
    return f"choose a time outside {span} if that matters, or the time zone UTC"


def _span(change: _Change, suffix: str = "") -> str:
    """A change as `from 02:00 to 03:00 on 14 March 2027`, or with two dates if they differ. suffix: text after the times."""
    low, high = clock(change.low % 86400), clock(change.high % 86400)
    if change.low // 86400 == change.high // 86400:
        return f"from {low} to {high}{suffix} on {_date(change.low)}"
    return f"from {low} on {_date(change.low)} to {high} on {_date(change.high)}{suffix}"


def _date(wall: int) -> str:
    named = date.fromordinal(wall // 86400 + EPOCH_ORDINAL)
    return day(named.year, named.month, named.day)
