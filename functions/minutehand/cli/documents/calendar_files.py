"""Calendars from YAML, JSON and iCalendar files."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from minutehand.cli.documents.files import (
    ICS,
    NOTHING_SAVED,
    STDIN,
    SUFFIXES,
    Document,
    Kind,
    Texts,
    parse_text,
    read_documents,
    shown,
)
from minutehand.cli.documents.text_error import TextError
from minutehand.cli.failures import failure
from minutehand.cli.screen.words import counted
from minutehand.schedule.zones import zone_names
from minutehand.tools.icalendar.lines import CalendarFileError, is_ics

if TYPE_CHECKING:
    from minutehand.tools.icalendar.blocked_times import Blocked

_EXAMPLE = 'a calendar looks like `name: holidays`, `dates: ["2026-12-25"]`, `weekly: ["SAT,SUN"]`'


def read_calendars(
    sources: Sequence[str],
    stdin: BinaryIO,
    *,
    namespace: str | None,
    name: str | None,
    timezone: str | None,
    now: datetime,
    note: Callable[[str], None],
    other: str = "save a job with `minutehand apply`",
    refusal: str = NOTHING_SAVED,
) -> list[Document]:
    """All calendars of files and folders, and of stdin for `-`. note: receives a summary of each iCalendar file. other: what to do
    with a job. refusal: the heading of errors.

    An iCalendar file is one calendar, called `name` or like the file. `timezone` applies to events without a time zone.
    Raises Failure (exit 2) as `read_documents` does, and UsageError for options that apply to none of the files.
    """
    if name is not None and len(sources) > 1:
        raise click.UsageError("--name is for one calendar, but several files are given: apply them one by one")
    if timezone is not None and timezone not in zone_names():
        raise click.UsageError(f"--timezone: {timezone!r} is not an IANA time zone, such as Europe/Paris")
    icalendar_sources: list[str] = []

    def parse(source: str, text: str) -> Texts:
        if not source.lower().endswith(ICS) and not (source == STDIN and is_ics(text)):
            return parse_text(source, text)
        icalendar_sources.append(source)
        return iter([(1, _document(source, text, name=name, timezone=timezone, now=now, note=note))])

    kind = Kind(noun="calendar", example=_EXAMPLE, other=other, suffixes=(*SUFFIXES, ICS), parse=parse, refusal=refusal)
    documents = read_documents(sources, stdin, namespace=namespace, kind=kind)
    for option, given in (("--name", name), ("--timezone", timezone)):
        if given is not None and not icalendar_sources:
            raise click.UsageError(f"{option} is for iCalendar files; in YAML and JSON it is a field of the document")
    return documents


def _document(
    source: str, text: str, *, name: str | None, timezone: str | None, now: datetime, note: Callable[[str], None]
) -> dict[str, Any]:
    called = name
    if not called and source != STDIN:
        called = re.sub(r"[^a-z0-9._-]+", "-", Path(source).stem.lower()).strip("-._")
    if not called:
        message = "the calendar needs a name, and that of this iCalendar file cannot be used"
        raise TextError(message=message, line=1, hint="add --name holidays")
    blocked = _read_ics(text, now=now, timezone=timezone)
    place = shown(source)
    summary = f"{counted(blocked.events, 'event')} from {blocked.first} to {blocked.last}"
    note(f"{place}: {summary}: {counted(len(blocked.dates), 'date')} and {counted(len(blocked.periods), 'period')}")
    if blocked.cancelled:
        note(f"{place}: left out, since cancelled: {counted(blocked.cancelled, 'event')}")
    if blocked.momentary:
        note(f"{place}: left out, since they take no time: {counted(blocked.momentary, 'event')}")
    if blocked.free:
        note(f"{place}: blocking, though the file counts it as free time (TRANSP): {counted(blocked.free, 'event')}")
    return {"name": called, "description": blocked.title[:1000], "dates": blocked.dates, "periods": blocked.periods}


def _read_ics(text: str, *, now: datetime, timezone: str | None) -> "Blocked":
    """Read an iCalendar file. Raises an ExceptionGroup of TextErrors, and Failure (exit 2) where its libraries are missing."""
    try:
        from minutehand.tools.icalendar.blocked_times import read_ics  # noqa: PLC0415 - slow to load, and an extra
    except ModuleNotFoundError as error:
        detail = f"iCalendar files need the extra `tools`, which is not installed: there is no module {error.name}"
        raise failure("missing extra", detail, hint="pip install 'minutehand[cli,tools]'") from error
    try:
        return read_ics(text, now=now, timezone=timezone)
    except* CalendarFileError as group:
        faults = [
            TextError(message=fault.message, line=fault.line, hint=fault.hint)
            for fault in group.exceptions
            if isinstance(fault, CalendarFileError)
        ]
        raise ExceptionGroup("the file cannot be read", faults) from None
