"""EventBridge Scheduler's texts: cron(…), rate(…) and at(…)."""

import re
from datetime import datetime

from minutehand.schedule.crontab import FIRST_YEAR, LAST_YEAR
from minutehand.schedule.crontab_text import call_of
from minutehand.schedule.days import day_number
from minutehand.schedule.dialect import Dialect
from minutehand.schedule.interval import IntervalTiming
from minutehand.schedule.once import OnceTiming
from minutehand.schedule.timing import Timing
from minutehand.schedule.words import words_of, wrong
from minutehand.schedule.zones import HORIZON, segments_reaching

CALL = re.compile(r"(cron|rate|at)[ \t]*\(", re.IGNORECASE)
_UNITS = {"minute": 60, "hour": 3600, "day": 86400}
_LOCAL = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})")
_RATE_HINT = "write rate(1 hour) or rate(5 minutes); the units are minutes, hours and days"
_AT_HINT = "write a local date and time such as at(2026-12-01T09:00:00)"


def call_timing(text: str, column: int, rules: Dialect, *, timezone: str, anchor: int) -> Timing:
    """The timing of a call that starts at `column` of the text and ends with it. Raises ScheduleError."""
    opened = CALL.match(text, column)
    if opened is None:
        raise ValueError(f"{text!r} is no call")
    name, start = opened[1], opened.end()
    if opened[0] != f"{name.lower()}(":
        raise wrong(f"{opened[0]!r} is not how a call begins", column, f"write {name.lower()}(")
    end = len(text.rstrip(" \t")) - 1
    closed = text.find(")", start)
    if closed < 0:
        raise wrong(f"{name}( is not closed", end + 1, "write ) at the end")
    if closed < end:
        raise wrong(
            f"{text[closed + 1 : end + 1].strip()!r:.40} follows {name}(…)", closed + 1, f"write {name}(…) alone"
        )
    if name == "cron":
        return call_of(words_of(text, start, end), rules, column=start)
    if name == "rate":
        return IntervalTiming(period=_rate(text, start, end), anchor=anchor)
    return OnceTiming(wall=_at(text, start, end, rules, timezone))


def _rate(text: str, start: int, end: int) -> int:
    words = words_of(text, start, end)
    if len(words) != 2:
        raise wrong(f"rate() takes a number and a unit, this has {len(words)} words", start, _RATE_HINT)
    number, unit = words
    if not re.fullmatch(r"[0-9]+", number.text):
        raise wrong(f"{number.text!r:.40} is not a whole number", number.column, _RATE_HINT)
    count = int(number.text)
    if count == 0:
        raise wrong("a rate of 0 would never end", number.column, "the smallest is rate(1 minute)")
    single = unit.text.removesuffix("s")
    if single not in _UNITS:
        raise wrong(f"{unit.text!r:.40} is not a unit of rate()", unit.column, _RATE_HINT)
    right = single if count == 1 else f"{single}s"
    if unit.text != right:
        hint = f"write rate({number.text:.20} {right})"
        raise wrong(f"{number.text:.20} goes with {right!r}, not {unit.text!r}", unit.column, hint)
    period = count * _UNITS[single]
    if period > HORIZON:
        raise wrong(
            "a period this long would not come round within 40 years", number.column, "the longest is 14610 days"
        )
    return period


def _at(text: str, start: int, end: int, rules: Dialect, timezone: str) -> int:
    """The wall time, in seconds; one that the zone's clocks jump over is refused where the dialect has nothing run then."""
    written = text[start:end]
    match = _LOCAL.fullmatch(written.strip(" \t"))
    if match is None:
        hint = _AT_HINT
        if re.search(r"(Z|[+-][0-9]{2}:?[0-9]{2})$", written):
            hint += "; the time zone is given apart"
        raise wrong(f"{written.strip()!r:.40} is not a local date and time", start, hint)
    try:
        named = datetime(*map(int, match.groups()))  # type: ignore[arg-type]  # noqa: DTZ001 - a wall time has no zone
    except ValueError as error:
        raise wrong(f"there is no {written.strip()}: {error}", start, _AT_HINT) from None
    # As the years of cron(): beyond them no time can come within 40 years of anybody's today.
    if not FIRST_YEAR <= named.year <= LAST_YEAR:
        hint = f"years go from {FIRST_YEAR} to {LAST_YEAR}"
        raise wrong(f"the year {named.year} is out of range", start, hint)
    wall = day_number(named.year, named.month, named.day) * 86400 + named.hour * 3600 + named.minute * 60 + named.second
    timing = OnceTiming(wall=wall)
    rule = rules.clock_rule(repeats=False)
    if timing.next_after(wall - 3 * 86400, segments_reaching(timezone, rule, named.year)) is None:
        raise wrong(
            f"{timezone}'s clocks jump over {written.strip()}, so this never comes",
            start,
            "choose a time that they show",
        )
    return wall
