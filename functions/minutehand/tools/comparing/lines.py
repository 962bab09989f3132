"""Logs of lines: syslog's of cron, CSV, and a JSON object a line. Each line that tells of a run gives an entry; none is kept."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from minutehand.tools.comparing.entries import LONGEST_NAME, Entry, Unread
from minutehand.tools.comparing.times import HINT, Clock

TIME_FIELDS = (
    "time", "timestamp", "at", "ts", "@timestamp", "started_at", "startedAt", "start_time", "startTime", "start", "received_at", "date",
)  # fmt: skip
"""Where a time is looked for, in this order."""
NAME_FIELDS = ("job", "job_name", "jobName", "name", "task", "command", "cmd")
"""Where a name is looked for, in this order."""
JOB_HEADER = "minutehand-job"
"""The header by which a receiver's log names the job, in small letters."""
_CMD = re.compile(
    r"(?:<[0-9]+>(?:[0-9]+ )?)?(?P<time>[A-Z][a-z]{2} +[0-9]{1,2} [0-9:.]+|[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.,]+(?:Z|[+-][0-9]{2}:?[0-9]{2})?)"
    r" +\S+ +[^\s:\[(]*cron[^\s:\[(]*(?:\[[0-9]+\])?: +\((?P<user>[^)]*)\) CMD \((?P<command>.*)\)\s*",
    re.IGNORECASE,
)
_IS_CMD = re.compile(r"cron.*\) CMD \(", re.IGNORECASE)


class Fields(NamedTuple):
    """The fields of a line or an item that hold time and name, where the user gave them. With dots: the way into objects."""

    time: str | None = None
    name: str | None = None


class UnknownForm(Exception):
    """A log as a whole cannot be read."""


def of_syslog(lines: Iterable[tuple[int, str]], clock: Clock) -> Iterator[Entry | Unread | None]:
    """What cron wrote to the system's log: `Nov 20 09:00:01 host CRON[123]: (user) CMD (command)`. None for any other line."""
    for number, line in lines:
        if not _IS_CMD.search(line):
            yield None
            continue
        found = _CMD.fullmatch(line)
        if found is None:
            yield Unread(
                number,
                "this is not a line of cron",
                "such a line is: Nov 20 09:00:01 host CRON[123]: (user) CMD (command)",
            )
            continue
        yield _entry(number, found["time"], found["command"].strip(), clock)


def of_csv(lines: Iterable[tuple[int, str]], clock: Clock, fields: Fields) -> Iterator[Entry | Unread | None]:
    """A table with a line of names. The separator is a comma, a semicolon or a tab.

    Raises:
        UnknownForm: if no column holds the time or the name.
    """
    numbers = 0

    def texts() -> Iterator[str]:
        nonlocal numbers
        for number, line in lines:
            numbers = number
            yield line + "\n"

    source = texts()
    heading = next(source, "")
    separator = max(",;\t", key=heading.count)
    columns = next(csv.reader([heading], delimiter=separator), [])
    time = _column(columns, fields.time, TIME_FIELDS, "time")
    name = _column(columns, fields.name, NAME_FIELDS, "name")
    rows = csv.reader(source, delimiter=separator)
    while True:
        try:
            row = next(rows, None)
        except csv.Error as error:
            yield Unread(numbers, f"this is not CSV: {error}")
            continue
        if row is None:
            return
        if not row:
            yield None
        elif len(row) <= max(time, name):
            yield Unread(numbers, f"this has {len(row)} fields, and the line of names has {len(columns)}")
        else:
            yield _entry(numbers, row[time], row[name].strip(), clock)


def of_json_lines(lines: Iterable[tuple[int, str]], clock: Clock, fields: Fields) -> Iterator[Entry | Unread | None]:
    """A JSON object a line, with a time and a name; blank lines are passed over."""
    for number, line in lines:
        if not line.strip():
            yield None
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield Unread(number, f"this is not JSON: {error}")
            continue
        yield entry_of(number, value, clock, fields)


def entry_of(number: int, value: Any, clock: Clock, fields: Fields) -> Entry | Unread:
    """The entry of a JSON object: a line of a log, or an item of a list."""
    if not isinstance(value, Mapping):
        return Unread(number, f"this is not an object: {json.dumps(value)[:60]}")
    time = _found(value, (fields.time,) if fields.time else TIME_FIELDS)
    name = _found(value, (fields.name,)) if fields.name else _header(value) or _found(value, NAME_FIELDS)
    if time is None:
        return Unread(number, f"this has no field {fields.time or 'with a time'}", "name the field with --time-field")
    if not isinstance(name, str) or not name:
        return Unread(number, f"this has no field {fields.name or 'with a name'}", "name the field with --name-field")
    namespace = value.get("namespace")
    if not fields.name and isinstance(namespace, str) and namespace and "/" not in name:
        name = f"{namespace}/{name}"
    return _entry(number, time, name, clock)


def _entry(number: int, time: Any, name: str, clock: Clock) -> Entry | Unread:
    try:
        return Entry(clock.read(time), name[:LONGEST_NAME], number)
    except ValueError as error:
        return Unread(number, str(error), HINT)


def _column(columns: Sequence[str], given: str | None, usual: Sequence[str], what: str) -> int:
    names = [column.strip().lstrip("\ufeff") for column in columns]
    known = {name.lower(): n for n, name in reversed([*enumerate(names)])}
    found = next((known[name.lower()] for name in ((given,) if given else usual) if name.lower() in known), None)
    if found is None:
        wanted = f"no column {given!r}" if given else f"no column with the {what} (such as {', '.join(usual[:4])})"
        raise UnknownForm(f"line 1 has {wanted}; it has {', '.join(names)[:200]}. Name the column with --{what}-field")
    return found


def _found(value: Mapping[str, Any], names: Sequence[str]) -> Any:
    """The first of the fields that is not null; a name may be the way into objects, with dots."""
    for name in names:
        found: Any = value.get(name)
        if found is None and "." in name:
            found = value
            for step in name.split("."):
                found = found.get(step) if isinstance(found, Mapping) else None
        if found is not None:
            return found
    return None


def _header(value: Mapping[str, Any]) -> str | None:
    """The job that the headers of a request name, in the log of a receiver."""
    for place in (value, value.get("headers")):
        if isinstance(place, Mapping):
            for name, text in place.items():
                if name.lower() == JOB_HEADER:
                    first = text[0] if isinstance(text, list) and text else text
                    return first if isinstance(first, str) else None
    return None
