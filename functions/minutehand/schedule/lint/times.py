"""Warnings about when: clock changes within a year, and times that are over or far away."""

from bisect import bisect_right
from collections.abc import Iterator
from datetime import date, timedelta
from typing import NamedTuple

from minutehand.schedule.crontab import EVERY_HOUR, CrontabTiming
from minutehand.schedule.days import EPOCH_ORDINAL
from minutehand.schedule.dialect import dialect_named
from minutehand.schedule.fields import DAY, HOUR
from minutehand.schedule.interval import IntervalTiming
from minutehand.schedule.lint.written import Written
from minutehand.schedule.once import OnceTiming
from minutehand.schedule.part import EPOCH, Part
from minutehand.schedule.plain.days import weekday_words
from minutehand.schedule.plain.english import clock, day, duration
from minutehand.schedule.wall import wall_clock
from minutehand.schedule.warning import ScheduleWarning
from minutehand.schedule.zones import Segments, segments_reaching

YEAR = 366 * 86400


class _Change(NamedTuple):
    """A change of a zone's clocks by wall seconds: from `low` to `high` they are jumped over or shown twice."""

    low: int
    high: int
    gap: bool
    caught_up: bool
    both: bool


def time_warnings(part: Part, read: Written, now: int) -> Iterator[ScheduleWarning]:
    """Those of one part. now: seconds since the epoch."""
    timing = part.timing
    if not isinstance(timing, CrontabTiming | IntervalTiming | OnceTiming):
        return
    found = part.next_after(now)
    if found is None or (found > now + YEAR and not _far_is_plain(timing, read)):
        yield _far(part, read, now, found)
    if isinstance(timing, IntervalTiming) or found is None:
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
        yield ScheduleWarning(message, *_place(read), _hint(timing, change))


def _far(part: Part, read: Written, now: int, found: int | None) -> ScheduleWarning:
    if found is None:
        past = (EPOCH + timedelta(seconds=now)).strftime("%Y-%m-%d %H:%M UTC")
        hint = "choose a time that is still to come"
        return ScheduleWarning(f"this names no instant after {past}", "schedule", read.start, hint)
    first = wall_clock(part.timezone).local(EPOCH + timedelta(seconds=found))
    message = f"this does not run before {day(first.year, first.month, first.day)}"
    if not read.fields:
        return ScheduleWarning(message, "schedule", read.start, "choose a nearer time, unless so rare a run is meant")
    hint = "check the day and the month, in this order; L is the last day of a month"
    return ScheduleWarning(message, DAY.name, read.column(DAY.name), hint)


def _far_is_plain(timing: CrontabTiming | IntervalTiming | OnceTiming, read: Written) -> bool:
    """Whether the text itself says how far away it is: it names years, or 29 February, of which there is a warning of its own."""
    if isinstance(timing, CrontabTiming):
        leap_day = read.fields and read.fields[DAY.name].text == "29" and timing.months == 1 << 2
        return timing.years is not None or bool(leap_day and not weekday_words(timing))
    return isinstance(timing, OnceTiming)


def _changes(part: Part, now: int) -> Iterator[_Change]:
    """The zone's changes within a year, as the dialect has this part see them."""
    rule = dialect_named(part.dialect).clock_rule(repeats=part.timing.repeats)
    zone: Segments = segments_reaching(part.timezone, rule, (EPOCH + timedelta(seconds=now)).year)
    for n in range(bisect_right(zone.starts, now), len(zone.offsets)):
        start = zone.starts[n]
        if start > now + YEAR:
            return
        before, after = start + zone.offsets[n - 1], start + zone.offsets[n]
        gap = after > before
        low, high = min(before, after), max(before, after)
        yield _Change(low, high, gap=gap, caught_up=gap and zone.owed_until[n] == high, both=zone.replays[n])


def _named(timing: CrontabTiming | OnceTiming, change: _Change) -> int | None:
    """The first wall time within the change that is named."""
    if isinstance(timing, OnceTiming):
        return timing.wall if change.low <= timing.wall < change.high else None
    wall = timing.wall_at_or_after(change.low, change.high)
    return wall if wall is not None and wall < change.high else None


def _gap(part: Part, timing: CrontabTiming | OnceTiming, change: _Change, named: int) -> str | None:
    if isinstance(timing, CrontabTiming):
        if timing.hours == EVERY_HOUR or (timing.repeats and not _whole_day_lost(timing, change)):
            return None
    what = f"runs it at {clock(change.high % 86400)}" if change.caught_up else "skips it"
    return f"{part.timezone}'s clocks jump {_span(change)}, over {clock(named % 86400)}: {part.dialect} {what}"


def _whole_day_lost(timing: CrontabTiming, change: _Change) -> bool:
    """Whether the day of the change has no time outside it."""
    midnight = change.low - change.low % 86400
    first = timing.wall_at_or_after(midnight, midnight)
    after = timing.wall_at_or_after(change.high, midnight)
    return first is not None and first >= change.low and (after is None or after >= midnight + 86400)


def _fold(part: Part, timing: CrontabTiming | OnceTiming, change: _Change, named: int) -> str | None:
    hourly = isinstance(timing, CrontabTiming) and timing.hours == EVERY_HOUR
    if change.both and (hourly or timing.repeats):
        return None
    twice = _span(change, " twice")
    if hourly:
        idle = f"nothing runs in the second pass, for {duration(change.high - change.low)}"
        return f"{part.timezone}'s clocks run {twice}: {part.dialect} counts the first pass alone, and {idle}"
    # What comes once comes at the first pass under every dialect.
    both = change.both and isinstance(timing, CrontabTiming)
    what = "runs it both times" if both else "runs it the first time alone"
    return f"{part.timezone}'s clocks run {twice}, and so through {clock(named % 86400)}: {part.dialect} {what}"


def _hint(timing: CrontabTiming | OnceTiming, change: _Change) -> str:
    if isinstance(timing, CrontabTiming) and timing.hours == EVERY_HOUR:
        return "write rate(…) or @every to go on through it, or the time zone UTC"
    if change.high - change.low >= 86400:  # every time of day comes within it
        return f"choose another day than {_date(change.low)} if that matters, or the time zone UTC"
    span = f"{clock(change.low % 86400)} to {clock(change.high % 86400)}"
    return f"choose a time outside {span} if that matters, or the time zone UTC"


def _place(read: Written) -> tuple[str, int]:
    return (HOUR.name, read.column(HOUR.name)) if read.fields else ("schedule", read.start)


def _span(change: _Change, how: str = "") -> str:
    """`from 02:00 to 03:00 on 14 March 2027`, with both dates where there are two. how: a word after the times."""
    low, high = clock(change.low % 86400), clock(change.high % 86400)
    if change.low // 86400 == change.high // 86400:
        return f"from {low} to {high}{how} on {_date(change.low)}"
    return f"from {low} on {_date(change.low)} to {high} on {_date(change.high)}{how}"


def _date(wall: int) -> str:
    named = date.fromordinal(wall // 86400 + EPOCH_ORDINAL)
    return day(named.year, named.month, named.day)
