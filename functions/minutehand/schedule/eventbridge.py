"""Schedule expressions of Amazon EventBridge Scheduler: cron(…), rate(…) and at(…).

Source: EventBridge Scheduler user guide, "Schedule types".
"""

import re
from datetime import datetime

from minutehand.schedule.crontab import FIRST_YEAR, LAST_YEAR
from minutehand.schedule.crontab_parser import parse_cron_call
from minutehand.schedule.days import day_number
from minutehand.schedule.description.english import counted
from minutehand.schedule.dialect import Dialect
from minutehand.schedule.part import IntervalTiming, OnceTiming, Timing
from minutehand.schedule.words import schedule_error, split_words
from minutehand.schedule.zones import HORIZON, segments_reaching

CALL = re.compile(r"(cron|rate|at)[ \t]*\(", re.IGNORECASE)
_UNITS = {"minute": 60, "hour": 3600, "day": 86400}
_LOCAL = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})")
_RATE_HINT = "write rate(1 hour) or rate(5 minutes); the units are minutes, hours and days"
_AT_HINT = "write a local date and time such as at(2026-12-01T09:00:00)"


def parse_call(text: str, column: int, rules: Dialect, *, timezone: str, anchor: int) -> Timing:
    """Compile cron(…), rate(…) or at(…), from `column` to the end of the text. anchor: epoch seconds. Raises ScheduleError."""
    opened = CALL.match(text, column)
    if opened is None:
        raise ValueError(f"{text!r} is not a call")
    name, start = opened[1], opened.end()
    if opened[0] != f"{name.lower()}(":
        raise schedule_error(f"{opened[0]!r} is misspelled", column, f"write {name.lower()}(")
    end = len(text.rstrip(" \t")) - 1
    closed = text.find(")", start)
    if closed < 0:
        raise schedule_error(f"{name}( is not closed", end + 1, "add ) at the end")
    if closed < end:
        extra = text[closed + 1 : end + 1].strip()
        raise schedule_error(f"unexpected {extra!r:.40} after {name}(…)", closed + 1, f"write {name}(…) alone")
    if name == "cron":
        return parse_cron_call(split_words(text, start, end), rules, column=start)
    if name == "rate":
        return IntervalTiming(period=_rate(text, start, end), anchor=anchor)
    return OnceTiming(wall=_at(text, start, end, rules, timezone))


def _rate(text: str, start: int, end: int) -> int:
    """The period of rate(…) in seconds."""
    words = split_words(text, start, end)
    if len(words) != 2:
        raise schedule_error(
            f"rate() takes a number and a unit, this has {counted(len(words), 'word')}", start, _RATE_HINT
        )
    number, unit = words
    if not re.fullmatch(r"[0-9]+", number.text):
        raise schedule_error(f"{number.text!r:.40} is not a whole number", number.column, _RATE_HINT)
    count = int(number.text)
    if count == 0:
        raise schedule_error("a rate of 0 is not possible", number.column, "the smallest is rate(1 minute)")
    single = unit.text.removesuffix("s")
    if single not in _UNITS:
        raise schedule_error(f"{unit.text!r:.40} is not a unit of rate()", unit.column, _RATE_HINT)
    right = single if count == 1 else f"{single}s"
    if unit.text != right:
        hint = f"write rate({number.text:.20} {right})"
        raise schedule_error(f"the unit of {number.text:.20} is {right!r}, not {unit.text!r}", unit.column, hint)
    period = count * _UNITS[single]
    if period > HORIZON:
        raise schedule_error("a period cannot be longer than 40 years", number.column, "the longest is 14610 days")
    return period


def _at(text: str, start: int, end: int, rules: Dialect, timezone: str) -> int:
    """The local time of at(…) in wall seconds. Refuses one that clocks jump over, unless the dialect runs it after the jump."""
    written = text[start:end]
    match = _LOCAL.fullmatch(written.strip(" \t"))
    if match is None:
        hint = _AT_HINT
        if re.search(r"(Z|[+-][0-9]{2}:?[0-9]{2})$", written):
            hint += "; give the time zone separately"
        raise schedule_error(f"{written.strip()!r:.40} is not a local date and time", start, hint)
    try:
        named = datetime(*map(int, match.groups()))  # type: ignore[arg-type]  # noqa: DTZ001 - a local time has no zone
    except ValueError as error:
        raise schedule_error(f"{written.strip()} does not exist: {error}", start, _AT_HINT) from None
    # The same years as cron(): a time outside them is never within 40 years of the present.
    if not FIRST_YEAR <= named.year <= LAST_YEAR:
        raise schedule_error(
            f"the year {named.year} is out of range", start, f"years go from {FIRST_YEAR} to {LAST_YEAR}"
        )
    wall = day_number(named.year, named.month, named.day) * 86400 + named.hour * 3600 + named.minute * 60 + named.second
    timing = OnceTiming(wall=wall)
    rule = rules.clock_rule(repeats=False)
    if timing.next_after(wall - 3 * 86400, segments_reaching(timezone, rule, named.year)) is None:
        raise schedule_error(
            f"{timezone}'s clocks jump over {written.strip()}, so this never runs",
            start,
            "choose a time that the clocks show",
        )
    return wall
