"""Compiles schedule texts to the parts of a `Schedule`.

Only `Schedule.parse` imports this module: a function that only decodes loads neither the parser nor croniter.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from difflib import get_close_matches

from minutehand.schedule.codec import StoredForm
from minutehand.schedule.crontab_parser import parse_crontab
from minutehand.schedule.dialect import EVENTBRIDGE, VIXIE, Dialect, dialect_named
from minutehand.schedule.duration import duration_seconds, one_word
from minutehand.schedule.errors import ScheduleError
from minutehand.schedule.eventbridge import CALL, parse_call
from minutehand.schedule.part import DelayTiming, IntervalTiming, ManualTiming, Part, Timing
from minutehand.schedule.words import LONGEST, MOST_TEXTS, Word, check_text, schedule_error, split_words
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


def parse_parts(
    text: str | Sequence[str], *, timezone: str, dialect: str | None, name: str | None, anchor: datetime | None
) -> StoredForm:
    """Compile one text, or several joined; arguments as in `Schedule.parse`.

    Raises ScheduleError; for several texts its `part` is the number of the wrong one.
    """
    if isinstance(text, list | tuple):
        return _parse_several(text, timezone=timezone, dialect=dialect, name=name, anchor=anchor)
    part = _parse_part(text, timezone=timezone, dialect=dialect, name=name, anchor=anchor)  # type: ignore[arg-type]  # check_text refuses any other type
    return StoredForm(text=part.text, timezone=part.timezone, dialect=part.dialect, parts=(part,))


def _parse_several(
    texts: Sequence[str], *, timezone: str, dialect: str | None, name: str | None, anchor: datetime | None
) -> StoredForm:
    check_zone(timezone)
    if dialect is not None:
        dialect_named(dialect)
    if not texts:
        raise schedule_error("the list of schedules is empty", None, "write one or more, such as 0 9 * * MON-FRI")
    if len(texts) > MOST_TEXTS:
        raise schedule_error(f"{len(texts)} schedules are too many to join", None, f"join at most {MOST_TEXTS}")
    size = sum(len(text) for text in texts if isinstance(text, str))
    if size > LONGEST:
        raise schedule_error(
            f"schedules of {size} characters in all are too long", None, f"use at most {LONGEST} characters"
        )
    parts = []
    for n, text in enumerate(texts):
        try:
            part = _parse_part(text, timezone=timezone, dialect=dialect, name=name, anchor=anchor)
            if isinstance(part.timing, DelayTiming | ManualTiming) and len(texts) > 1:
                word = part.text.split()[0]
                raise schedule_error(f"{word} cannot be joined with other schedules", 0, f"write {word} alone")
        except ScheduleError as error:
            if error.field in ("anchor", "dialect", "name"):
                raise
            raise ScheduleError(
                error.message, field=error.field, column=error.column, hint=error.hint, part=n
            ) from None
        parts.append(part)
    zones, dialects = {part.timezone for part in parts}, {part.dialect for part in parts}
    if len(parts) == 1:
        return StoredForm(text=parts[0].text, timezone=parts[0].timezone, dialect=parts[0].dialect, parts=tuple(parts))
    return StoredForm(
        text=tuple(part.text for part in parts),
        timezone=zones.pop() if len(zones) == 1 else timezone,
        dialect=dialects.pop() if len(dialects) == 1 else None,
        parts=tuple(parts),
    )


def _parse_part(text: str, *, timezone: str, dialect: str | None, name: str | None, anchor: datetime | None) -> Part:
    check_zone(timezone)
    given = None if dialect is None else dialect_named(dialect)
    seconds = 0 if anchor is None else _anchor_seconds(anchor)
    if name is not None:
        _check_name(name)
    check_text(text)
    words = split_words(text)
    if not words:
        raise schedule_error("the schedule is empty", None, "write a crontab such as 0 9 * * MON-FRI, or @hourly")
    if _PREFIX.match(words[0].text):
        timezone = _prefix_zone(words)
        words = words[1:]
    is_call = CALL.match(text, words[0].column) is not None
    rules = given or (EVENTBRIDGE if is_call else VIXIE)
    if is_call:
        timing: Timing = parse_call(text, words[0].column, rules, timezone=timezone, anchor=seconds)
    elif words[0].text.startswith("@"):
        timing = _parse_descriptor(words, rules, anchor=seconds)
    else:
        timing = parse_crontab(words, rules, name=name)
    return Part(text.strip(" \t"), timezone, rules.name, timing)


def _prefix_zone(words: list[Word]) -> str:
    """Time zone of the first word, the prefix CRON_TZ= or TZ=. A schedule without a prefix must follow."""
    column, word = words[0]
    found = _PREFIX.match(word)
    if found is None:
        raise ValueError(f"{word!r} is not a time zone prefix")
    if found[1] not in ("CRON_TZ", "TZ"):
        raise schedule_error(f"{found[1]}= must be in capitals", column, f"write {found[1].upper()}=")
    zone = word[found.end() :]
    try:
        check_zone(zone)
    except ScheduleError as error:
        raise ScheduleError(error.message, field="timezone", column=column + found.end(), hint=error.hint) from None
    if len(words) == 1:
        raise schedule_error(
            "no schedule follows the time zone", column + len(word), f"write {word:.60} 0 9 * * MON-FRI"
        )
    if _PREFIX.match(words[1].text):
        raise schedule_error("a second time zone follows the first", words[1].column, "write only one time zone")
    return zone


def _parse_descriptor(words: list[Word], rules: Dialect, *, anchor: int) -> Timing:
    column, name = words[0]
    if name == "@every":
        return IntervalTiming(period=_duration(words), anchor=anchor)
    if name == "@after":
        return DelayTiming(period=_duration(words))
    if name in _DESCRIPTORS or name == "@manual":
        if len(words) > 1:
            raise schedule_error(
                f"unexpected {words[1].text!r:.40} after {name}", words[1].column, f"write {name} alone"
            )
        if name == "@manual":
            return ManualTiming()
        return parse_crontab([Word(column, word) for word in _DESCRIPTORS[name].split()], rules, name=None)
    if name.lower() == "@reboot":
        hint = "write a time; for a command that an agent runs, write @manual, and at_start: true in its target"
        raise schedule_error("@reboot is not supported: it is the start of a machine, not a time", column, hint)
    known = [*_DESCRIPTORS, "@every", "@after", "@manual"]
    close = get_close_matches(name[:40].lower(), known, n=1)
    hint = f"did you mean {close[0]}?" if close else f"use one of: {', '.join(known)}"
    raise schedule_error(f"unknown descriptor {name!r:.40}", column, hint)


def _duration(words: list[Word]) -> int:
    column, name = words[0]
    if len(words) == 1:
        raise schedule_error(f"{name} needs a duration", column + len(name), f"write one, such as {name} 5m")
    if len(words) > 2:
        meant = one_word([word.text for word in words[1:]])
        if meant is not None:
            raise schedule_error("a duration is one word", words[2].column, f"write {meant}")
        also = "" if name == "@after" else "; a list joins several schedules"
        hint = f"write {name} and one duration, such as {name} 5m, alone{also}"
        raise schedule_error(f"unexpected {words[2].text!r:.40} after the duration", words[2].column, hint)
    return duration_seconds(words[1].text, words[1].column)


def _check_name(name: object) -> None:
    """Raise ScheduleError unless `name` is a text that can be hashed. A save of the job checks that it is a valid name."""
    if not isinstance(name, str):
        message = f"a name is text, not {type(name).__name__}"
    elif len(name) > LONGEST:
        message = f"a name of {len(name)} characters is too long"
    elif odd := re.search(r"[\ud800-\udfff]", name):
        message = f"{odd[0]!a} is not allowed in a name"
    else:
        return
    raise ScheduleError(message, field="name", hint="pass the job's full name, such as shop/nightly")


def _anchor_seconds(anchor: object) -> int:
    """Epoch seconds of an anchor."""
    if not isinstance(anchor, datetime):
        raise _anchor_error(f"an anchor is a datetime, not {type(anchor).__name__}")
    if anchor.utcoffset() is None:
        raise _anchor_error("the anchor has no time zone")
    since = anchor - datetime(1970, 1, 1, tzinfo=UTC)
    if since.microseconds:
        raise _anchor_error("the anchor has a fraction of a second")
    return since.days * 86400 + since.seconds


def _anchor_error(message: str) -> ScheduleError:
    hint = "pass an aware datetime of whole seconds, such as datetime(2026, 1, 1, tzinfo=UTC)"
    return ScheduleError(message, field="anchor", hint=hint)
