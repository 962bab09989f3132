"""Text to a part of a schedule. Imported by Schedule.parse alone: what only decodes never loads this, nor croniter."""

import re
from datetime import UTC, datetime
from difflib import get_close_matches

from minutehand.schedule.calls import CALL, call_timing
from minutehand.schedule.crontab_text import crontab_of
from minutehand.schedule.dialect import EVENTBRIDGE, VIXIE, Dialect, dialect_named
from minutehand.schedule.duration import duration_seconds
from minutehand.schedule.errors import ScheduleError
from minutehand.schedule.interval import IntervalTiming
from minutehand.schedule.part import Part
from minutehand.schedule.timing import Timing
from minutehand.schedule.unscheduled import DelayTiming, ManualTiming
from minutehand.schedule.words import LONGEST, Word, check_text, words_of, wrong
from minutehand.schedule.zones import check_zone

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
_PREFIX = re.compile(r"(CRON_TZ|TZ)=", re.IGNORECASE)


def parse_part(text: str, *, timezone: str, dialect: str | None, name: str | None, anchor: datetime | None) -> Part:
    """One text, compiled. A CRON_TZ= or TZ= before it takes the place of `timezone`. Raises ScheduleError."""
    check_zone(timezone)
    given = None if dialect is None else dialect_named(dialect)
    seconds = 0 if anchor is None else _anchor_seconds(anchor)
    if name is not None:
        _check_name(name)
    check_text(text)
    words = words_of(text)
    if not words:
        raise wrong("the schedule is empty", None, "write a crontab such as 0 9 * * MON-FRI, or @hourly")
    if _PREFIX.match(words[0].text):
        timezone = _prefixed(words)
        words = words[1:]
    called = CALL.match(text, words[0].column) is not None
    rules = given or (EVENTBRIDGE if called else VIXIE)
    if called:
        timing: Timing = call_timing(text, words[0].column, rules, timezone=timezone, anchor=seconds)
    elif words[0].text.startswith("@"):
        timing = _descriptor(words, rules, anchor=seconds)
    else:
        timing = crontab_of(words, rules, name=name)
    return Part(text.strip(" \t"), timezone, rules.name, timing)


def _prefixed(words: list[Word]) -> str:
    """The time zone of the prefix that is the first word. What follows it is a schedule without one."""
    column, word = words[0]
    found = _PREFIX.match(word)
    if found is None:
        raise ValueError(f"{word!r} is no prefix")
    if found[1] not in ("CRON_TZ", "TZ"):
        raise wrong(f"{found[1]}= is not read", column, f"write {found[1].upper()}=")
    zone = word[found.end() :]
    try:
        check_zone(zone)
    except ScheduleError as error:
        raise ScheduleError(error.message, field="timezone", column=column + found.end(), hint=error.hint) from None
    if len(words) == 1:
        raise wrong("no schedule follows the time zone", column + len(word), f"write {word:.60} 0 9 * * MON-FRI")
    if _PREFIX.match(words[1].text):
        raise wrong("a second time zone follows the first", words[1].column, "a schedule is read in one time zone")
    return zone


def _descriptor(words: list[Word], rules: Dialect, *, anchor: int) -> Timing:
    column, name = words[0]
    if name == "@every":
        return IntervalTiming(period=_duration(words), anchor=anchor)
    if name == "@after":
        return DelayTiming(period=_duration(words))
    if name in _DESCRIPTORS or name == "@manual":
        if len(words) > 1:
            raise wrong(f"{words[1].text!r:.40} follows {name}", words[1].column, f"write {name} alone")
        if name == "@manual":
            return ManualTiming()
        return crontab_of([Word(column, word) for word in _DESCRIPTORS[name].split()], rules, name=None)
    if name.lower() == "@reboot":
        hint = "name times, or trigger the job when the machine starts: minutehand trigger NAMESPACE/NAME"
        raise wrong("@reboot has no meaning here: no machine starts", column, hint)
    known = [*_DESCRIPTORS, "@every", "@after", "@manual"]
    close = get_close_matches(name[:40].lower(), known, n=1)
    hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(known)}"
    raise wrong(f"there is no {name!r:.40}", column, hint)


def _duration(words: list[Word]) -> int:
    column, name = words[0]
    if len(words) == 1:
        raise wrong(f"{name} needs a duration", column + len(name), f"write one, such as {name} 5m")
    if len(words) > 2:
        raise wrong("a duration is one word", words[2].column, f"write {''.join(word.text for word in words[1:]):.40}")
    return duration_seconds(words[1].text, words[1].column)


def _check_name(name: object) -> None:
    """Raise ScheduleError unless this can be a job's full name; what names are allowed is for whoever saves the job to say."""
    if not isinstance(name, str):
        message = f"a name is text, not {type(name).__name__}"
    elif len(name) > LONGEST:
        message = f"a name of {len(name)} characters is too long"
    elif odd := re.search(r"[\ud800-\udfff]", name):
        message = f"{odd[0]!a} cannot stand in a name"
    else:
        return
    raise ScheduleError(message, field="name", hint="pass the job's full name, such as shop/nightly")


def _anchor_seconds(anchor: object) -> int:
    if not isinstance(anchor, datetime):
        raise _wrong_anchor(f"an anchor is a datetime, not {type(anchor).__name__}")
    if anchor.utcoffset() is None:
        raise _wrong_anchor("the anchor has no time zone")
    since = anchor - datetime(1970, 1, 1, tzinfo=UTC)
    if since.microseconds:
        raise _wrong_anchor("the anchor has a fraction of a second")
    return since.days * 86400 + since.seconds


def _wrong_anchor(message: str) -> ScheduleError:
    hint = "pass an aware datetime of whole seconds, such as datetime(2026, 1, 1, tzinfo=UTC)"
    return ScheduleError(message, field="anchor", hint=hint)
