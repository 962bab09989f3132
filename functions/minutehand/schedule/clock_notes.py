"""Notes on how clock changes affect the instants of a schedule. For previews; dispatching does not load it."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import NamedTuple

from minutehand.schedule.crontab import CrontabTiming
from minutehand.schedule.dialect import FOLLOW_THE_CLOCK, dialect_named
from minutehand.schedule.part import EPOCH, LATEST, OnceTiming, Part, epoch_seconds
from minutehand.schedule.schedule import Schedule
from minutehand.schedule.zones import MIN_INSTANT, Segments, segments_reaching

_MOST_TIMES = 2 * 86400
"""Most local times listed for one clock change: no zone has ever moved by more than a day."""
_WALL_EPOCH = EPOCH.replace(tzinfo=None)


class ClockNote(NamedTuple):
    """Note about an instant of a schedule, or about skipped local times.

    at: the instant, in UTC. For times skipped in a gap it is that of the clock change; in a second pass, that of the first time.
    text: the note. timezone: the one whose clocks change. skipped: first skipped local time in `timezone`, naive; None if `at`
    runs. times: number of skipped times, or 0.
    """

    at: datetime
    text: str
    timezone: str
    skipped: datetime | None = None
    times: int = 0


def clock_notes(
    schedule: Schedule, start: datetime, end: datetime, instants: Sequence[datetime]
) -> tuple[ClockNote, ...]:
    """Notes for start < t <= end (aware), ascending; at the same instant skipped times come first.

    instants: the instants of the preview, ascending, within the span; each gets at most one note: which pass of a repeated local
    time it is, that it replaces skipped times, or that it is the first after a change. Skipped times get one note for each clock
    change and text of the schedule.
    """
    first, last = epoch_seconds(start), min(epoch_seconds(end), LATEST)
    skipped = [note for part in schedule.parts for note in _skipped_times(schedule, part, first, last)]
    skipped.sort(key=lambda note: note.at)
    notes = _instant_notes(schedule, first, [epoch_seconds(instant) for instant in instants], skipped)
    return tuple(sorted([*skipped, *notes], key=lambda note: (note.at, note.skipped is None)))


def _skipped_times(schedule: Schedule, part: Part, first: int, last: int) -> Iterator[ClockNote]:
    """Notes on local times that a part names and its dialect skips.

    There is a note for each gap (the times that clocks jump over), and for each second pass through times that clocks repeat.
    """
    if not isinstance(part.timing, CrontabTiming | OnceTiming):
        return
    zone = _segments(part, last)
    for n in range(max(1, bisect_right(zone.starts, first) - 1), len(zone.offsets)):
        start, before, now = zone.starts[n], zone.offsets[n - 1], zone.offsets[n]
        if start > last:
            return
        if now > before and start > first and zone.catch_up_until[n] == MIN_INSTANT:
            at = start
            walls = _named_times(part, start + before, start + now)
            why = f"so {{}} {'does' if len(walls) == 1 else 'do'} not exist"
        else:
            begin, stop = max(start, first + 1), min(zone.counted_from[n], zone.starts[n + 1], last + 1)
            walls = _named_times(part, begin + now, stop + now) if isinstance(part.timing, CrontabTiming) else []
            at = int((walls[0] - _WALL_EPOCH).total_seconds()) - now if walls else begin
            why = f"and {{}} {'runs' if len(walls) == 1 else 'run'} only in the first pass"
        if walls:
            times = _list_times(walls, dates=_crosses_midnight(start, before, now))
            change = f"{_clocks_of(schedule, part)} {_describe_change(start, before, now)}"
            text = f"skipped: {change}, {why.format(times)}{_text_of(schedule, part)}"
            yield ClockNote(_utc(at), text, part.timezone, skipped=walls[0], times=len(walls))


def _instant_notes(
    schedule: Schedule, first: int, instants: Sequence[int], skipped: Sequence[ClockNote]
) -> Iterator[ClockNote]:
    if not instants:
        return
    shown = segments_reaching(schedule.timezone, FOLLOW_THE_CLOCK, _utc(instants[-1]).year)
    named = [part for part in schedule.parts if isinstance(part.timing, CrontabTiming | OnceTiming)]
    zones = [(part, _segments(part, instants[-1])) for part in named]
    explained = [epoch_seconds(note.at) for note in skipped if note.timezone == schedule.timezone]
    for before, instant in pairwise([first, *instants]):
        texts = [text for part, zone in zones if (text := _caught_up(schedule, part, zone, instant))]
        if which_pass := _which_pass(shown, instant):
            texts.append(which_pass)
        old, new = (bisect_right(shown.starts, at) - 1 for at in (before, instant))
        if not texts and bisect_right(explained, before) == bisect_right(explained, instant):
            if shown.offsets[old] != shown.offsets[new]:
                way = "forward" if shown.offsets[new] > shown.offsets[old] else "back"
                change = _wall(shown.starts[new] + shown.offsets[new - 1]).date().isoformat()
                texts = [f"after the clocks go {way} on {change}"]
        if texts:
            yield ClockNote(_utc(instant), "; ".join(texts), schedule.timezone)


def _caught_up(schedule: Schedule, part: Part, zone: Segments, instant: int) -> str:
    """Note on an instant at which the times run that the clocks have just jumped over; empty for any other instant."""
    n = bisect_right(zone.starts, instant) - 1
    if zone.starts[n] != instant or zone.catch_up_until[n] == MIN_INSTANT:
        return ""
    before, now = zone.offsets[n - 1], zone.offsets[n]
    walls = _named_times(part, instant + before, instant + now)
    if not walls:
        return ""
    dates = _crosses_midnight(instant, before, now)
    then = _format_time(_wall(instant + now), dates=dates)
    late = "does not exist, so it runs at" if len(walls) == 1 else "do not exist, so they run once, at"
    merged = ", merged with the run due then" if _named_times(part, instant + now, instant + now + 1) else ""
    change = f"{_clocks_of(schedule, part)} {_describe_change(instant, before, now)}"
    return f"{change}: {_list_times(walls, dates=dates)} {late} {then}{merged}{_text_of(schedule, part)}"


def _which_pass(zone: Segments, instant: int) -> str:
    """Note on which of two passes through a repeated local time an instant is in; empty for a time that comes once."""
    n = bisect_right(zone.starts, instant) - 1
    start, following = zone.starts[n], zone.starts[n + 1]
    wall = instant + zone.offsets[n]
    if n and wall < start + zone.offsets[n - 1]:
        return f"second pass: the clocks {_describe_change(start, zone.offsets[n - 1], zone.offsets[n])}"
    if n + 1 < len(zone.offsets) and wall >= following + zone.offsets[n + 1]:
        return f"first of two passes: the clocks {_describe_change(following, zone.offsets[n], zone.offsets[n + 1])}"
    return ""


def _named_times(part: Part, low: int, high: int) -> list[datetime]:
    """The naive local times that a part names in low <= t < high, both in seconds since 1970-01-01 00:00 local time."""
    timing = part.timing
    if isinstance(timing, OnceTiming):
        return [_wall(timing.wall)] if low <= timing.wall < high else []
    if not isinstance(timing, CrontabTiming) or low >= high:
        return []
    found: list[datetime] = []
    timing.collect(low - 1, 0, high, _MOST_TIMES, found)  # with offset 0, local time takes the place of UTC
    return [wall.replace(tzinfo=None) for wall in found]


def _segments(part: Part, last: int) -> Segments:
    rule = dialect_named(part.dialect).clock_rule(repeats=part.timing.repeats)
    return segments_reaching(part.timezone, rule, _utc(last).year)


def _clocks_of(schedule: Schedule, part: Part) -> str:
    return "the clocks" if part.timezone == schedule.timezone else f"the clocks of {part.timezone}"


def _text_of(schedule: Schedule, part: Part) -> str:
    return f" ({part.text})" if len(schedule.parts) > 1 else ""


def _describe_change(instant: int, before: int, now: int) -> str:
    """A clock change in words: `jump from 02:00 to 03:00` or `go back from 02:00 to 01:00`, with dates if it crosses midnight.

    instant: epoch seconds, UTC. before, now: offsets in seconds east of UTC.
    """
    dates = _crosses_midnight(instant, before, now)
    old, new = (_format_time(_wall(instant + offset), dates=dates) for offset in (before, now))
    return f"{'jump' if now > before else 'go back'} from {old} to {new}"


def _crosses_midnight(instant: int, before: int, now: int) -> bool:
    return (instant + before) // 86400 != (instant + now) // 86400


def _list_times(walls: Sequence[datetime], *, dates: bool) -> str:
    """Ascending times in words, as `02:30`, `02:00 and 02:30`, `02:00, 02:20 and 02:40`, or `60 times from 02:00 to 02:59`."""
    if len(walls) > 3:
        first, last = (_format_time(wall, dates=dates) for wall in (walls[0], walls[-1]))
        return f"{len(walls)} times from {first} to {last}"
    *others, last = (_format_time(wall, dates=dates) for wall in walls)
    return f"{', '.join(others)} and {last}" if others else last


def _format_time(wall: datetime, *, dates: bool) -> str:
    """A local time as `02:30`, or `02:30:15` if it has seconds; with `dates` after its date, as in `2026-03-08 02:30`."""
    time = f"{wall:%H:%M:%S}" if wall.second else f"{wall:%H:%M}"
    return f"{wall.date().isoformat()} {time}" if dates else time


def _utc(instant: int) -> datetime:
    return EPOCH + timedelta(0, instant)


def _wall(seconds: int) -> datetime:
    return _WALL_EPOCH + timedelta(0, seconds)
