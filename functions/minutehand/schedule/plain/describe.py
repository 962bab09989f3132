"""A schedule in plain words, from what it compiled to. Imported by Schedule.describe alone, as cron-descriptor is."""

from bisect import bisect_left
from collections.abc import Sequence
from datetime import date
from functools import lru_cache

from minutehand.schedule.clocktime import bits_of, clock_times
from minutehand.schedule.crontab import EVERY_HOUR, CrontabTiming
from minutehand.schedule.days import EPOCH_ORDINAL, day_number
from minutehand.schedule.dialect import FOLLOW_THE_CLOCK, ClockRule, dialect_named
from minutehand.schedule.interval import IntervalTiming
from minutehand.schedule.once import OnceTiming
from minutehand.schedule.part import Part
from minutehand.schedule.plain.clock import clock_words, follows_the_clock
from minutehand.schedule.plain.days import day_words
from minutehand.schedule.plain.english import clock, day, duration
from minutehand.schedule.plain.zone import zone_words
from minutehand.schedule.unscheduled import DelayTiming, ManualTiming
from minutehand.schedule.zones import TZDATA_VERSION, segments


def description(parts: Sequence[Part]) -> str:
    """The parts in one sentence, joined by "; and ". A time zone that all of them share is said once."""
    said = [(_without_zone(part), _zone(part)) for part in parts]
    zones = {zone for _, zone in said}
    if len(said) > 1 and len(zones) == 1:
        said = [(text, "" if n < len(said) - 1 else zone) for n, (text, zone) in enumerate(said)]
    texts = [f"{text}, {zone}" if zone else text for text, zone in said]
    return "; and ".join([texts[0], *(text[0].lower() + text[1:] for text in texts[1:])])


def _without_zone(part: Part) -> str:
    match part.timing:
        case CrontabTiming():
            return _crontab(part, part.timing)
        case IntervalTiming():
            return _interval(part.timing, part.timezone)
        case OnceTiming():
            number, second = divmod(part.timing.wall, 86400)
            named = date.fromordinal(number + EPOCH_ORDINAL)
            return f"Once, at {clock(second)} on {day(named.year, named.month, named.day)}"
        case DelayTiming():
            return f"{duration(part.timing.period)} after the last run has ended"
        case ManualTiming():
            return "Only when asked"


def _zone(part: Part) -> str:
    """The time zone in words; empty where it makes no difference."""
    timing = part.timing
    if isinstance(timing, CrontabTiming) and not _same_everywhere(part, timing):
        return zone_words(part.timezone)
    return zone_words(part.timezone) if isinstance(timing, OnceTiming) else ""


def _interval(timing: IntervalTiming, timezone: str) -> str:
    """What it counts from is told unless it is full hours, or even parts of them, on the wall clock too."""
    number, _, rest = duration(timing.period).partition(" ")
    said = f"Every {rest}" if number == "1" and " " not in rest else f"Every {number} {rest}"
    phase = timing.anchor % timing.period
    if 3600 % timing.period == 0 and phase == 0 and not any(offset % timing.period for offset in _offsets(timezone)):
        return said
    if 86400 % timing.period == 0:
        return f"{said}, counted from {clock(phase)} UTC"
    anchored, second = divmod(timing.anchor, 86400)
    return f"{said}, counted from {date.fromordinal(anchored + EPOCH_ORDINAL).isoformat()} {clock(second)} UTC"


def _crontab(part: Part, timing: CrontabTiming) -> str:
    said = clock_words(timing.seconds, timing.minutes, timing.hours)
    days = day_words(timing)
    if said.times and (not days or days.startswith(("in ", "from "))):
        days = f"every day {days}".strip()
    text = said.text
    if days:
        text += f", {days}" if ", " in text and not said.times else f" {days}"
    rules = dialect_named(part.dialect)
    usual = follows_the_clock(timing.seconds, timing.minutes, timing.hours)
    if rules.at_times == rules.repeating or usual == timing.repeats or not _changes_matter(part, timing):
        return text
    return f"{text}, {'following the clock when it changes' if timing.repeats else 'as fixed times when the clocks change'}"


def _same_everywhere(part: Part, timing: CrontabTiming) -> bool:
    """Whether UTC's clocks would name the same instants: a pace that no offset shifts and no clock change stops."""
    if timing.hours != EVERY_HOUR or day_words(timing):
        return False
    minutes = set(bits_of(timing.minutes))
    shifted = ({(minute + offset // 60) % 60 for minute in minutes} for offset in _offsets(part.timezone))
    return all(one == minutes for one in shifted) and (
        _rule(part) == FOLLOW_THE_CLOCK or not _shown_oddly(part.timezone)
    )


def _rule(part: Part) -> ClockRule:
    return dialect_named(part.dialect).clock_rule(repeats=part.timing.repeats)


def _changes_matter(part: Part, timing: CrontabTiming) -> bool:
    """Whether it names times of day that its zone's clocks jump over or show twice."""
    table = clock_times(timing.seconds, timing.minutes, timing.hours)
    return any(table.at_or_after(start) < min(end, 86400) for start, end in _shown_oddly(part.timezone))


@lru_cache(maxsize=256)
def _shown_oddly(timezone: str) -> frozenset[tuple[int, int]]:
    """The stretches of the day, in seconds since midnight, that are jumped over or shown twice, from the year of the
    time-zone data on.
    """
    found: set[tuple[int, int]] = set()
    for start, before, after in _changes(timezone):
        low, high = sorted((start + before, start + after))
        first, length = low % 86400, high - low
        found.add((first, first + length))
        if first + length > 86400:
            found.add((0, first + length - 86400))
    return frozenset(found)


@lru_cache(maxsize=256)
def _offsets(timezone: str) -> frozenset[int]:
    """The offsets from UTC in use from the year of the time-zone data on, in seconds."""
    zone = segments(timezone, FOLLOW_THE_CLOCK)
    return frozenset({zone.offsets[-1], *(offset for change in _changes(timezone) for offset in change[1:])})


def _changes(timezone: str) -> list[tuple[int, int, int]]:
    """Instant, offset before and offset after of each change from that year on."""
    zone = segments(timezone, FOLLOW_THE_CLOCK)
    since = day_number(int(TZDATA_VERSION[:4]), 1, 1) * 86400
    first = max(bisect_left(zone.starts, since), 1)
    return [(zone.starts[n], zone.offsets[n - 1], zone.offsets[n]) for n in range(first, len(zone.offsets))]
