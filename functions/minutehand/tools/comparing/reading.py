"""Read a log of any form, line by line, so that its length does not matter."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import BinaryIO

from minutehand.tools.comparing.documents import LARGEST, of_document
from minutehand.tools.comparing.entries import Entry, Unread
from minutehand.tools.comparing.lines import Fields, UnknownForm, of_csv, of_json_lines, of_syslog
from minutehand.tools.comparing.times import Clock

FORMS = ("syslog", "csv", "jsonl", "json")
LONGEST_LINE = 1_000_000
_SYSLOG_TIME = re.compile(
    rb"(?:<[0-9]+>)?(?:[A-Z][a-z]{2} +[0-9]{1,2} [0-9]{2}:|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.+-]+Z? \S+ \S+:)"
)


def entries_of(source: BinaryIO, form: str | None, clock: Clock, fields: Fields) -> Iterator[Entry | Unread | None]:
    """What a log tells: runs, lines that cannot be read, and None for each line that tells of something else.

    Args:
        form: one of `FORMS`; None to tell by the first line.

    Raises:
        UnknownForm: if it cannot be read as a whole.
    """
    first = source.readline(LONGEST_LINE + 1)
    form = form or _form_of(first)
    if form == "json":
        data = first + source.read(LARGEST + 1 - len(first))
        if len(data) > LARGEST:
            raise UnknownForm(
                f"this document has more than {LARGEST:,} bytes; give its items as lines of JSON (jq -c '.[]')"
            )
        yield from of_document(_text(data), clock, fields)
        return
    unread: list[Unread] = []
    lines = _lines(first, source, unread)
    read = (
        of_syslog(lines, clock)
        if form == "syslog"
        else (of_csv if form == "csv" else of_json_lines)(lines, clock, fields)
    )
    for found in read:
        yield from unread
        unread.clear()
        yield found
    yield from unread


def _form_of(first: bytes) -> str:
    start = first.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"["):
        return "json"
    if start.startswith(b"{"):
        try:
            json.loads(first)
        except (ValueError, RecursionError):
            return "json"
        return "json" if b'"items"' in first else "jsonl"
    return "syslog" if _SYSLOG_TIME.match(start) else "csv"


def _lines(first: bytes, source: BinaryIO, unread: list[Unread]) -> Iterator[tuple[int, str]]:
    """The numbered lines without their ends. Those that are no text, or too long, go to `unread`."""
    number, line = 1, first
    while line:
        if len(line) > LONGEST_LINE:
            unread.append(Unread(number, f"this line is longer than {LONGEST_LINE:,} bytes"))
            passed = len(line)
            while line and not line.endswith(b"\n"):
                line = source.readline(LONGEST_LINE)
                passed += len(line)
                if passed > LARGEST:
                    raise UnknownForm(
                        f"line {number} has more than {LARGEST:,} bytes; give a log with a run in each line"
                    )
        else:
            try:
                yield number, line.decode().rstrip("\r\n").removeprefix("\ufeff")
            except UnicodeDecodeError as error:
                unread.append(Unread(number, f"this line is not UTF-8, at byte {error.start + 1}"))
        number, line = number + 1, source.readline(LONGEST_LINE + 1)


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnknownForm(f"this is not UTF-8, at byte {error.start + 1}") from None
