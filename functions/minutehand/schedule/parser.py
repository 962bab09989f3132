"""Text to timing. Imported by Schedule.parse alone: what only decodes never loads this, nor croniter."""

import re
from calendar import monthrange
from datetime import UTC, datetime
from difflib import get_close_matches

from minutehand.schedule.clocktime import bits_of
from minutehand.schedule.crontab import CrontabTiming, crontab_timing
from minutehand.schedule.days import day_number
from minutehand.schedule.dialect import Dialect, dialect_named
from minutehand.schedule.duration import duration_seconds
from minutehand.schedule.errors import ScheduleError
from minutehand.schedule.expand import FIELDS, masks
from minutehand.schedule.fields import DAY, Range, check_field
from minutehand.schedule.interval import IntervalTiming
from minutehand.schedule.timing import Timing
from minutehand.schedule.zones import check_zone

LONGEST = 1024
"""Characters of the longest text: every field as a full list needs fewer than 600."""

# crontab(5), EXTENSIONS.
_DESCRIPTORS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_ELSEWHERE = {
    "@reboot": ("@reboot has no meaning here: no machine starts", "name times, or trigger the job by hand"),
    "@after": ("@after (a fixed delay) is not supported", "@every counts from an anchor, not from the last run's end"),
    "@manual": ("@manual is not supported", "save the job paused and trigger it by hand"),
}
_CALLS = {
    "cron": "write the crontab itself, such as 0 10 * * MON",
    "rate": "write @every with a duration, such as @every 5m",
    "at": "name the minute, hour, day and month of a crontab",
}
_WORD = re.compile(r"[^ \t]+")
_ODD = re.compile(r"[^\t\x20-\x7eµμ]")
_CALL = re.compile(r"(cron|rate|at)[ \t]*\(", re.IGNORECASE)
_PREFIX = re.compile(r"(CRON_TZ|TZ)=", re.IGNORECASE)
# Every date, 29 February on every weekday among them, comes within these.
_ALL_DATES = (day_number(2000, 1, 1), day_number(2040, 1, 1))


def parse_timing(text: str, *, timezone: str, dialect: str | None, anchor: datetime | None) -> tuple[str, Timing]:
    """The text without blanks around it, and its timing. Raises ScheduleError."""
    check_zone(timezone)
    rules = dialect_named("vixie" if dialect is None else dialect)
    seconds = 0 if anchor is None else _anchor_seconds(anchor)
    words = _words(text)
    head = words[0][1]
    if head == "@every":
        timing: Timing = IntervalTiming(period=_period(words), anchor=seconds)
    elif head.startswith("@"):
        timing = _descriptor(words, rules)
    else:
        timing = _crontab(words, text, rules)
    return text.strip(" \t"), timing


def _words(text: str) -> list[tuple[int, str]]:
    if not isinstance(text, str):
        raise _error(f"a schedule is text, not {type(text).__name__}", None, "write a crontab such as 0 9 * * MON-FRI")
    if len(text) > LONGEST:
        raise _error(
            f"a schedule of {len(text)} characters is too long", LONGEST, f"{LONGEST} is the most; use ranges and steps"
        )
    odd = _ODD.search(text)
    if odd is not None:
        raise _error(f"{odd[0]!a} cannot stand in a schedule", odd.start(), "write plain ASCII, fields apart by spaces")
    words = [(found.start(), found[0]) for found in _WORD.finditer(text)]
    if not words:
        raise _error("the schedule is empty", None, "write a crontab such as 0 9 * * MON-FRI, or @hourly")
    column, head = words[0]
    prefix = _PREFIX.match(head)
    if prefix is not None:
        zone = head[prefix.end() :]
        raise _error(f"{prefix[1]}= is not read in a schedule", column, f"give the time zone apart: {zone:.64}")
    call = _CALL.match(text, column)
    if call is not None:
        raise _error(f"{call[1]}(…) is not supported", column, _CALLS[call[1].lower()])
    return words


def _descriptor(words: list[tuple[int, str]], rules: Dialect) -> CrontabTiming:
    column, name = words[0]
    if name in _DESCRIPTORS:
        if len(words) > 1:
            raise _error(f"{words[1][1]!r:.40} follows {name}", words[1][0], f"write {name} alone")
        written = _DESCRIPTORS[name]
        return _crontab([(0, word) for word in written.split()], written, rules)
    if name.lower() in _ELSEWHERE:
        message, hint = _ELSEWHERE[name.lower()]
        raise _error(message, column, hint)
    known = [*_DESCRIPTORS, "@every"]
    close = get_close_matches(name[:40].lower(), known, n=1)
    hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(known)}"
    raise _error(f"there is no {name!r:.40}", column, hint)


def _period(words: list[tuple[int, str]]) -> int:
    if len(words) == 1:
        raise _error("@every needs a duration", words[0][0] + len("@every"), "write one, such as @every 5m")
    if len(words) > 2:
        raise _error("a duration is one word", words[2][0], f"write {''.join(word for _, word in words[1:]):.40}")
    column, duration = words[1]
    return duration_seconds(duration, column)


def _crontab(words: list[tuple[int, str]], text: str, rules: Dialect) -> CrontabTiming:
    if len(words) not in (5, 6):
        raise _wrong_count(words, text)
    kinds = FIELDS[-len(words) :]
    ranges = [check_field(kind, word, column) for kind, (column, word) in zip(kinds, words, strict=True)]
    written = [word for _, word in words]
    if len(words) == 5:
        ranges.insert(0, [Range(0, 0, 1)])
        written.insert(0, "0")
    timing = crontab_timing(
        masks(ranges),
        either_day=not (rules.leaves_open(written[3]) or rules.leaves_open(written[5])),
        repeats=any(field.startswith("*") for field in written[:3]),
    )
    first, end = _ALL_DATES
    if timing.wall_at_or_after(first * 86400, end) is None:
        # Days 29, 30 or 31 of months that have fewer; 2000 is a leap year, so this February is as long as it gets.
        longest = max(monthrange(2000, month)[1] for month in bits_of(timing.months))
        raise ScheduleError(
            "the months named have no such day, so this never comes",
            field=DAY.name,
            column=words[-3][0],
            hint=f"their last day is {longest}",
        )
    return timing


def _wrong_count(words: list[tuple[int, str]], text: str) -> ScheduleError:
    count = len(words)
    hint = "a crontab is minute, hour, day-of-month, month, day-of-week, with seconds before them if there are six"
    if count == 7:
        hint = "the year, as a seventh field, is not supported; " + hint
    column = len(text.rstrip(" \t")) if count < 5 else words[6][0]
    return _error(f"a crontab has 5 or 6 fields, this has {count}", column, hint)


def _anchor_seconds(anchor: object) -> int:
    if not isinstance(anchor, datetime):
        raise _wrong_anchor(f"an anchor is a datetime, not {type(anchor).__name__}")
    if anchor.utcoffset() is None:
        raise _wrong_anchor("the anchor has no time zone")
    if anchor.microsecond:
        raise _wrong_anchor("the anchor has a fraction of a second")
    since = anchor - datetime(1970, 1, 1, tzinfo=UTC)
    return since.days * 86400 + since.seconds


def _wrong_anchor(message: str) -> ScheduleError:
    hint = "pass an aware datetime of whole seconds, such as datetime(2026, 1, 1, tzinfo=UTC)"
    return ScheduleError(message, field="anchor", hint=hint)


def _error(message: str, column: int | None, hint: str) -> ScheduleError:
    return ScheduleError(message, field="schedule", column=column, hint=hint)
