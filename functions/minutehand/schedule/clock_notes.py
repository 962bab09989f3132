"""What clock changes do to the instants of a schedule, in words. For previews; nothing that dispatches loads this."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import NamedTuple

from minutehand.schedule.crontab import CrontabTiming
from minutehand.schedule.dialect import FOLLOW_THE_CLOCK, dialect_named
from minutehand.schedule.once import OnceTiming
from minutehand.schedule.part import EPOCH, LATEST, Part, seconds_of
from minutehand.schedule.plain.change import at_time, changed, crosses_midnight, dated, few
from minutehand.schedule.schedule import Schedule
from minutehand.schedule.zones import ALWAYS, Segments, segments_reaching

_MOST = 2 * 86400
"""Wall times that one change can hide: no zone ever moved by more than a day."""


class ClockNote(NamedTuple):
    """A remark about an instant, or about times that do not run.

    at: the instant, in UTC; of times that do not run, that of the clock change, or of the first of them in the second pass.
    skipped: the first of these times on the wall of `timezone`, naive; None where `at` runs. times: how many they are; else 0.
    """

    at: datetime
    text: str
    timezone: str
    skipped: datetime | None = None
    times: int = 0


def clock_notes(
    schedule: Schedule, start: datetime, end: datetime, instants: Sequence[datetime]
) -> tuple[ClockNote, ...]:
    """What to say, in start < t <= end (aware), about the clocks: ascending, what is skipped before what runs at the same instant.

    instants: those that are shown, ascending, within the span; each gets one note at most. It tells when a local time comes in
    two passes, when one that the clocks jump over runs later, and which is the first after a change. Times that the schedule names
    and its dialect skips have a note of their own, one for each change and text of the schedule.
    """
    first, last = seconds_of(start), min(seconds_of(end), LATEST)
    skipped = [note for part in schedule.parts for note in _skips(schedule, part, first, last)]
    skipped.sort(key=lambda note: note.at)
    told = _about_instants(schedule, first, [seconds_of(instant) for instant in instants], skipped)
    return tuple(sorted([*skipped, *told], key=lambda note: (note.at, note.skipped is None)))


def _skips(schedule: Schedule, part: Part, first: int, last: int) -> Iterator[ClockNote]:
    """What the part names and the dialect skips: one note for each gap, and for each second pass."""
    if not isinstance(part.timing, CrontabTiming | OnceTiming):
        return
    zone = _zone(part, last)
    for n in range(max(1, bisect_right(zone.starts, first) - 1), len(zone.offsets)):
        start, before, now = zone.starts[n], zone.offsets[n - 1], zone.offsets[n]
        if start > last:
            return
        if now > before and start > first and zone.owed_until[n] == ALWAYS:
            at = start
            walls = _named(part, start + before, start + now)
            why = f"so {{}} {'does' if len(walls) == 1 else 'do'} not exist"
        else:
            begin, stop = max(start, first + 1), min(zone.counts_from[n], zone.starts[n + 1], last + 1)
            walls = _named(part, begin + now, stop + now) if isinstance(part.timing, CrontabTiming) else []
            at = int((walls[0] - _WALL).total_seconds()) - now if walls else begin
            why = f"and {{}} {'runs' if len(walls) == 1 else 'run'} in the first pass alone"
        if walls:
            times = few(walls, dates=crosses_midnight(start, before, now))
            jump = f"{_clocks(schedule, part)} {changed(start, before, now)}"
            text = f"skipped: {jump}, {why.format(times)}{_of(schedule, part)}"
            yield ClockNote(_utc(at), text, part.timezone, skipped=walls[0], times=len(walls))


def _about_instants(
    schedule: Schedule, first: int, instants: Sequence[int], skipped: Sequence[ClockNote]
) -> Iterator[ClockNote]:
    if not instants:
        return
    shown = segments_reaching(schedule.timezone, FOLLOW_THE_CLOCK, _year(instants[-1]))
    zones = [
        (part, _zone(part, instants[-1]))
        for part in schedule.parts
        if isinstance(part.timing, CrontabTiming | OnceTiming)
    ]
    explained = [seconds_of(note.at) for note in skipped if note.timezone == schedule.timezone]
    for before, instant in pairwise([first, *instants]):
        texts = [text for part, zone in zones if (text := _late(schedule, part, zone, instant))]
        passed = _pass(shown, instant)
        if passed:
            texts.append(passed)
        if not texts and bisect_right(explained, before) == bisect_right(explained, instant):
            texts = _after_a_change(shown, before, instant)
        if texts:
            yield ClockNote(_utc(instant), "; ".join(texts), schedule.timezone)


def _late(schedule: Schedule, part: Part, zone: Segments, instant: int) -> str:
    """What is said of an instant that runs what the clocks have just jumped over."""
    n = bisect_right(zone.starts, instant) - 1
    if zone.starts[n] != instant or zone.owed_until[n] == ALWAYS:
        return ""
    before, now = zone.offsets[n - 1], zone.offsets[n]
    walls = _named(part, instant + before, instant + now)
    if not walls:
        return ""
    dates = crosses_midnight(instant, before, now)
    then = at_time(_wall(instant + now), dates=dates)
    late = "does not exist, so it runs at" if len(walls) == 1 else "do not exist, so they run once, at"
    own = ", as one with that time's own run" if _named(part, instant + now, instant + now + 1) else ""
    jump = changed(instant, before, now)
    return f"{_clocks(schedule, part)} {jump}: {few(walls, dates=dates)} {late} {then}{own}{_of(schedule, part)}"


def _pass(zone: Segments, instant: int) -> str:
    """Which pass of a repeated local time this is; empty for a time that comes once."""
    n = bisect_right(zone.starts, instant) - 1
    start, following = zone.starts[n], zone.starts[n + 1]
    wall = instant + zone.offsets[n]
    if n and wall < start + zone.offsets[n - 1]:
        return f"second pass: the clocks {changed(start, zone.offsets[n - 1], zone.offsets[n])}"
    if n + 1 < len(zone.offsets) and wall >= following + zone.offsets[n + 1]:
        return f"first of two passes: the clocks {changed(following, zone.offsets[n], zone.offsets[n + 1])}"
    return ""


def _after_a_change(zone: Segments, before: int, instant: int) -> list[str]:
    """That the offset is another one than at the instant before."""
    old, n = bisect_right(zone.starts, before) - 1, bisect_right(zone.starts, instant) - 1
    if zone.offsets[old] == zone.offsets[n]:
        return []
    way = "forward" if zone.offsets[n] > zone.offsets[old] else "back"
    return [f"after the clocks go {way} on {dated(_wall(zone.starts[n] + zone.offsets[n - 1]))}"]


def _named(part: Part, low: int, high: int) -> list[datetime]:
    """The wall times that a part names in low <= t < high, seconds on that wall; naive."""
    timing = part.timing
    if isinstance(timing, OnceTiming):
        return [_wall(timing.wall)] if low <= timing.wall < high else []
    if not isinstance(timing, CrontabTiming) or low >= high:
        return []
    found: list[datetime] = []
    timing.sweep(low - 1, 0, high, _MOST, found)  # with no offset, the wall clock takes the place of UTC
    return [wall.replace(tzinfo=None) for wall in found]


def _zone(part: Part, last: int) -> Segments:
    rule = dialect_named(part.dialect).clock_rule(repeats=part.timing.repeats)
    return segments_reaching(part.timezone, rule, _year(last))


def _clocks(schedule: Schedule, part: Part) -> str:
    return "the clocks" if part.timezone == schedule.timezone else f"the clocks of {part.timezone}"


def _of(schedule: Schedule, part: Part) -> str:
    return f" ({part.text})" if len(schedule.parts) > 1 else ""


def _year(instant: int) -> int:
    return _utc(instant).year


def _utc(instant: int) -> datetime:
    return EPOCH + timedelta(0, instant)


_WALL = EPOCH.replace(tzinfo=None)


def _wall(seconds: int) -> datetime:
    return _WALL + timedelta(0, seconds)
