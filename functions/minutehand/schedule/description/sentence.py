"""The sentence that describes a schedule, made from its compiled form.

Only `Schedule.describe` imports this module, and with it cron-descriptor.
"""

import re
from bisect import bisect_left
from datetime import date
from functools import lru_cache

from minutehand.schedule.clocktime import clock_times, set_bits
from minutehand.schedule.crontab import EVERY_HOUR, CrontabTiming
from minutehand.schedule.days import EPOCH_ORDINAL, day_number
from minutehand.schedule.description.days import day_words
from minutehand.schedule.description.english import clock, day, duration
from minutehand.schedule.description.times import clock_words, follows_the_clock
from minutehand.schedule.dialect import FOLLOW_THE_CLOCK, dialect_named
from minutehand.schedule.part import DelayTiming, IntervalTiming, ManualTiming, OnceTiming, Part
from minutehand.schedule.zones import TZDATA_VERSION, segments

_UTC = frozenset({"UTC", "UCT", "Zulu", "Universal", "Greenwich", "GMT", "GMT0", "GMT+0", "GMT-0"})  # also as Etc/…
_FIXED = re.compile(r"Etc/GMT([+-])(\d+)")
_CONTINENTS = frozenset(
    {"Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"}
)


@lru_cache(maxsize=512)
def describe(parts: tuple[Part, ...]) -> str:
    """Describe the parts in one sentence, joined by "; and ". A time zone common to all is at the end only."""
    clauses = [(_without_zone(part), _zone(part)) for part in parts]
    zones = {zone for _, zone in clauses}
    if len(clauses) > 1 and len(zones) == 1:
        clauses = [(text, "" if n < len(clauses) - 1 else zone) for n, (text, zone) in enumerate(clauses)]
    texts = [f"{text}, {zone}" if zone else text for text, zone in clauses]
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
    """A part's time zone in words; empty if it makes no difference to the instants."""
    timing = part.timing
    matters = isinstance(timing, OnceTiming) or (
        isinstance(timing, CrontabTiming) and not _same_everywhere(part, timing)
    )
    return zone_words(part.timezone) if matters else ""


def _interval(timing: IntervalTiming, timezone: str) -> str:
    """An interval in words, with the time from which it counts unless the interval meets every full hour of local time."""
    number, _, rest = duration(timing.period).partition(" ")
    text = f"Every {rest}" if number == "1" and " " not in rest else f"Every {number} {rest}"
    phase = timing.anchor % timing.period
    if 3600 % timing.period == 0 and phase == 0 and not any(offset % timing.period for offset in _offsets(timezone)):
        return text
    if 86400 % timing.period == 0:
        return f"{text}, counted from {clock(phase)} UTC"
    anchored, second = divmod(timing.anchor, 86400)
    return f"{text}, counted from {date.fromordinal(anchored + EPOCH_ORDINAL).isoformat()} {clock(second)} UTC"


def _crontab(part: Part, timing: CrontabTiming) -> str:
    clock_text = clock_words(timing.seconds, timing.minutes, timing.hours)
    days = day_words(timing)
    if clock_text.times and (not days or days.startswith(("in ", "from "))):
        days = f"every day {days}".strip()
    text = clock_text.text
    if days:
        text += f", {days}" if ", " in text and not clock_text.times else f" {days}"
    rules = dialect_named(part.dialect)
    looks_repeating = follows_the_clock(timing.seconds, timing.minutes, timing.hours)
    if rules.at_times == rules.repeating or looks_repeating == timing.repeats:
        return text
    table = clock_times(timing.seconds, timing.minutes, timing.hours)
    if not any(table.at_or_after(start) < min(end, 86400) for start, end in _irregular_times(part.timezone)):
        return text  # the clocks of its zone neither skip nor repeat any time that it names
    return f"{text}, {'following the clock when it changes' if timing.repeats else 'as fixed times when the clocks change'}"


def _same_everywhere(part: Part, timing: CrontabTiming) -> bool:
    """Whether the time zone UTC gives the same instants: no offset shifts them and no clock change interrupts them."""
    if timing.hours != EVERY_HOUR or day_words(timing):
        return False
    minutes = set(set_bits(timing.minutes))
    shifted = ({(minute + offset // 60) % 60 for minute in minutes} for offset in _offsets(part.timezone))
    if any(one != minutes for one in shifted):
        return False
    rule = dialect_named(part.dialect).clock_rule(repeats=timing.repeats)
    return rule == FOLLOW_THE_CLOCK or not _irregular_times(part.timezone)


@lru_cache(maxsize=256)
def _irregular_times(timezone: str) -> frozenset[tuple[int, int]]:
    """Spans of the day that the clocks skip or repeat, in seconds since midnight, from the year of the time zone data."""
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
    """Offsets in use from the year of the time zone data, in seconds east of UTC."""
    zone = segments(timezone, FOLLOW_THE_CLOCK)
    return frozenset({zone.offsets[-1], *(offset for change in _changes(timezone) for offset in change[1:])})


def _changes(timezone: str) -> list[tuple[int, int, int]]:
    """Instant, offset before and offset after of each clock change from the year of the time zone data on."""
    zone = segments(timezone, FOLLOW_THE_CLOCK)
    since = day_number(int(TZDATA_VERSION[:4]), 1, 1) * 86400
    first = max(bisect_left(zone.starts, since), 1)
    return [(zone.starts[n], zone.offsets[n - 1], zone.offsets[n]) for n in range(first, len(zone.offsets))]


def zone_words(name: str) -> str:
    """A time zone in words, by its IANA name: `New York time`, `Knox (Indiana) time`, `US Eastern time`, `UTC`, `UTC-05:00`."""
    first, *rest = name.split("/")
    if (rest[0] if first == "Etc" else name) in _UTC:
        return "UTC"
    fixed = _FIXED.fullmatch(name)
    if fixed:
        # In Etc/GMT names, as in POSIX, west of Greenwich is positive.
        return f"UTC{'-' if fixed[1] == '+' else '+'}{int(fixed[2]):02}:00"
    if first not in _CONTINENTS:
        words = [first, *rest]
    elif len(rest) == 2 and rest[0] != "Argentina":
        words = [rest[1], f"({rest[0]})"]
    else:
        words = rest[-1:]
    return f"{' '.join(words).replace('_', ' ')} time"
