"""Bulk evaluation of schedules: JSON Lines in, JSON Lines out, in the same order."""

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, BinaryIO

from minutehand.cli.screen.schedules import full_job_name
from minutehand.cli.screen.times import parse_instant, rfc3339
from minutehand.schedule import Schedule, ScheduleError

KEYS = ("schedule", "timezone", "dialect", "after", "count", "name", "anchor")
MOST_INSTANTS = 10_000
LONGEST_LINE = 65_536
"""Maximum length of a line, in bytes."""

_FEW = 16
"""Up to this many instants, repeated `Schedule.next` is faster than `Schedule.between`, which first builds tables."""
_NEVER = datetime.max.replace(tzinfo=UTC)


_parsed = lru_cache(maxsize=4096)(Schedule.parse)


def answers(source: BinaryIO, now: Callable[[], datetime]) -> Iterator[str]:
    """Yield an answer for each line of the source as soon as it is read.

    A question: `{"schedule": text or list, "timezone", "dialect", "after", "count", "name", "anchor"}`, all but the first optional.
    An answer: `{"next": [RFC 3339, UTC]}`, or `{"error": {"message", "field", "column", "hint"}}`, with "part" beside them when one
    of several texts is at fault.
    """
    while line := source.readline(LONGEST_LINE + 1):
        try:
            if len(line) > LONGEST_LINE:
                while line and not line.endswith(b"\n"):
                    line = source.readline(LONGEST_LINE)
                raise _wrong("line", "the line is too long", f"{LONGEST_LINE} bytes are the most")
            answer: dict[str, Any] = {"next": [rfc3339(instant) for instant in _next_instants(_question(line), now)]}
        except ScheduleError as error:
            problem = {"message": error.message, "field": error.field, "column": error.column, "hint": error.hint}
            answer = {"error": problem if error.part is None else problem | {"part": error.part}}
        yield json.dumps(answer)


def _question(line: bytes) -> dict[str, Any]:
    hint = 'write one object a line, such as {"schedule": "0 9 * * MON-FRI", "count": 3}'
    if not line.strip():
        raise _wrong("line", "the line is empty", hint)
    try:
        question = json.loads(line.decode("utf-8-sig"), object_pairs_hook=_once_each)
    except json.JSONDecodeError as error:
        raise _wrong("line", f"this is not JSON: {error.msg}", hint, error.pos) from None
    except (UnicodeDecodeError, RecursionError) as error:
        raise _wrong("line", f"this is not JSON: {error}"[:120], hint) from None
    except ScheduleError:
        raise
    except ValueError as error:  # a number of thousands of digits
        raise _wrong("line", f"this cannot be read: {error}"[:120], hint) from None
    if not isinstance(question, dict):
        raise _wrong("line", "this is JSON, but not an object", hint)
    for key in question:
        if key not in KEYS:
            raise _wrong(f"{key:.60}", f"there is no key {key!r:.60}", f"there are: {', '.join(KEYS)}")
    return question


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _wrong(f"{twice:.60}", f"the key {twice!r:.60} is a duplicate", "leave one of them out")
    return found


def _next_instants(question: dict[str, Any], now: Callable[[], datetime]) -> Sequence[datetime]:
    if question.get("schedule") is None:
        raise _wrong("schedule", "this is required", "write a crontab such as 0 9 * * MON-FRI")
    count = 1 if question.get("count") is None else question["count"]
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_INSTANTS:
        hint = f"write a whole number from 1 to {MOST_INSTANTS}"
        raise _wrong("count", f"{count!r:.60} is not a number of instants", hint)
    after = _instant(question, "after")
    schedule = _schedule(question)
    start = now() if after is None else after
    if count > _FEW:
        return schedule.between(start, _NEVER, count)
    found: list[datetime] = []
    while len(found) < count and (instant := schedule.next(found[-1] if found else start)) is not None:
        found.append(instant)
    return found


def _schedule(question: dict[str, Any]) -> Schedule:
    text, timezone, dialect = question["schedule"], question.get("timezone"), question.get("dialect")
    timezone = "UTC" if timezone is None else timezone
    name, anchor = question.get("name"), _instant(question, "anchor")
    if name is not None:
        if not isinstance(name, str):
            raise _wrong("name", f"this is text, not {name!r:.60}", "write NAMESPACE/NAME")
        name = full_job_name(name)
    text = tuple(text) if isinstance(text, list) else text
    texts = text if isinstance(text, tuple) else (text,)
    plain = (*texts, timezone, "" if dialect is None else dialect)
    parse = _parsed if all(isinstance(value, str) for value in plain) else _parsed.__wrapped__
    return parse(text, timezone, dialect, name=name, anchor=anchor)


def _instant(question: dict[str, Any], key: str) -> datetime | None:
    value = question.get(key)
    if value is None:
        return None
    try:
        return parse_instant(value)
    except (TypeError, ValueError, OverflowError):
        hint = "write it with its offset, such as 2026-11-20T09:00:00Z or 2026-11-20T18:00:00+09:00"
        raise _wrong(key, f"{value!r:.60} is not an RFC 3339 instant", hint) from None


def _wrong(field: str, message: str, hint: str, column: int | None = None) -> ScheduleError:
    return ScheduleError(message, field=field, hint=hint, column=column)
