"""Read the log of an attempt, also while it is being written: its parts while the attempt goes on, the whole afterwards."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import NamedTuple

from minutehand.domain.attempt_log import (
    FOLLOWED,
    LONGEST_ENTRY,
    LONGEST_PART,
    OFTEN,
    Budget,
    LogEntry,
    Member,
    Stream,
    members_in,
)
from minutehand.domain.errors import FieldProblem, Invalid, NotFound
from minutehand.domain.instants import to_text
from minutehand.domain.run import Run, RunState
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.logs import LogRecord, Logs, Stretch
from minutehand.usecases.queries.show_output import show_output

MOST_ENTRIES = 1_000
"""Most entries of an answer."""
NOTED_EVERY = FOLLOWED / 2
"""A follower is written down once in this time at most: one write unit for each log that is followed, two a minute."""
_MOST_BYTES = 900_000
"""Most bytes of an answer's entries as JSON, which holds one of the longest in any case."""
_AROUND_AN_ENTRY = 80
_MOST_READS = 8
_TOO_LONG = "a piece of the log is longer than any that an agent makes, and is not shown\n"
_AWAITED = timedelta(minutes=10)
"""How long after the end of its attempt the rest of a log is waited for."""
_SOON = timedelta(seconds=2)
_CURSOR = re.compile(r"([0-9]{1,6})\.([0-9]{1,9})\.([0-9]{1,9})", re.ASCII)
_OUTPUT = re.compile(r"output\.([0-9]{1,9})", re.ASCII)
_COMMAND = "command"


class LogPage(NamedTuple):
    """A piece of a log.

    Attributes:
        cursor: where the next piece begins.
        ended: whether nothing follows.
        cut: whether the rest is missing: the agent did not send it, or it has expired.
        next_in: when to ask again; nothing once it has ended.
    """

    attempt: int
    entries: Sequence[LogEntry]
    cursor: str
    ended: bool
    cut: bool = False
    next_in: timedelta = timedelta(0)


class _Place(NamedTuple):
    """How far a reader is: parts read, bytes of the whole that they have, and entries read of what follows."""

    part: int = 0
    offset: int = 0
    skip: int = 0

    def __str__(self) -> str:
        return f"{self.part}.{self.offset}.{self.skip}"


class Cursor(NamedTuple):
    """How far a reader is: a place in a log, or how many entries of a stored output it has (`shown`)."""

    place: _Place = _Place()
    shown: int | None = None


def read_log(ports: Ports, run: Run, attempt: int | None, cursor: Cursor, limit: int) -> LogPage:
    """The entries of an attempt's log after a cursor, by default of the newest attempt from its beginning.

    Of an attempt without a log, its stored output, once it has ended. Reading the log of an active run notes that somebody follows.

    Raises:
        NotFound: if the run has had no such attempt.
    """
    number = run.attempt if attempt is None else attempt
    if number > run.attempt or (not run.attempt and (attempt is not None or run.state.finished)):
        had = {0: "no attempt yet", 1: "one attempt"}.get(run.attempt, f"{run.attempt} attempts")
        raise NotFound(
            f"run {run.key.run_id} of job {run.key.job} has had {had}; there is no log of attempt {number or 1}"
        )
    place, shown = cursor
    now = ports.clock()
    logs = ports.outputs.logs
    record = logs.get(run.key, number) if number else None
    ended = _ended(run, number)
    if not ended and number:
        record = _note_follower(logs, run, number, record, now)
    if record is not None and (record.parts or record.place) and shown is None:
        page = _Reader(logs, record, number, limit, now).read(place)
        if page.entries or page.ended:
            return page
        after = read_cursor(page.cursor).place
        over = ended and after == place and now >= _end_of(run, number, now) + _AWAITED
        wait = timedelta(0) if over or after != place else _SOON if ended else OFTEN
        return LogPage(number, (), str(after), ended=over, cut=over, next_in=wait)
    if not ended:
        return LogPage(number, (), str(place), ended=False, next_in=OFTEN if number else _SOON)
    entries, missing = _output(ports, run, number)
    if missing and now < _end_of(run, number, now) + _AWAITED and shown is None:
        return LogPage(number, (), str(place), ended=False, next_in=_SOON)  # its agent sends the log after the report
    begin = shown or 0
    some = _Entries(limit)
    following = begin + some.take(entries[begin : begin + limit])
    return LogPage(number, some.found, f"output.{following}", ended=following >= len(entries), cut=missing)


class _Entries:
    """The entries of an answer: as many as were asked for, and as it has room for."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._size = 0
        self.found: list[LogEntry] = []
        self.is_full = False

    def take(self, entries: Iterable[LogEntry]) -> int:
        """Take the first. Returns how many."""
        taken = 0
        for entry in entries:
            size = len(json.dumps(entry.text)) + _AROUND_AN_ENTRY
            if len(self.found) >= self._limit or self._size + size > _MOST_BYTES:
                self.is_full = True
                break
            self._size += size
            self.found.append(entry)
            taken += 1
        return taken


class _Reader:
    """Reads one log, at a cost that its content does not change."""

    def __init__(self, logs: Logs, record: LogRecord, attempt: int, limit: int, now: datetime) -> None:
        self._logs = logs
        self._record = record
        self._attempt = attempt
        self._entries = _Entries(limit)
        self._budget = Budget()
        self._now = now

    def read(self, place: _Place) -> LogPage:
        """A page from a place on. It has no entries if there is nothing yet, or none in what was read."""
        if self._record.place:
            found = self._logs.read(self._record.place, place.offset, LONGEST_PART)
            if found is not None:
                return self._of_whole(found, place)
        for _ in range(_MOST_READS):
            if place.part >= self._record.parts or self._entries.is_full:
                break
            stored = self._logs.read(self._record.part(place.part + 1), 0, LONGEST_PART)
            if stored is None:
                break
            before, place = place, self._after_part(stored, place)
            if place == before:
                break
        return LogPage(self._attempt, self._entries.found, str(place), ended=False, next_in=OFTEN)

    def _of_whole(self, stored: Stretch, place: _Place) -> LogPage:
        unread = False
        for member in members_in(stored.data, self._budget):
            place = self._after(member, place)
            if self._entries.is_full:
                return LogPage(self._attempt, self._entries.found, str(place), ended=False)
            unread = unread or member.text is None
            if member.text is None and self._budget.is_exceeded:
                place = _Place(place.part, stored.size)  # where the next member begins is not known
        ended = place.offset >= stored.size
        return LogPage(self._attempt, self._entries.found, str(place), ended=ended, cut=ended and unread)

    def _after_part(self, stored: Stretch, place: _Place) -> _Place:
        """The place after what fits of a part. One that is no log is passed over."""
        following = _Place(place.part + 1, place.offset + stored.size)
        for member in members_in(stored.data, self._budget):
            after = self._after(member, place)
            return after if self._entries.is_full else following
        return place if self._budget.is_exceeded else following

    def _after(self, member: Member, place: _Place) -> _Place:
        """The place after what fits of a member."""
        too_long = [LogEntry(to_text(self._now), Stream.NOTE, _TOO_LONG)]
        entries = too_long if member.text is None else islice(member.entries(), place.skip, None)
        taken = self._entries.take(entries)
        if self._entries.is_full:
            return place._replace(skip=place.skip + taken)
        return _Place(place.part, place.offset + member.length)


def read_cursor(cursor: str | None) -> Cursor:
    """The place that a previous answer named; the beginning without one.

    Raises:
        Invalid: with path `cursor`, if this is none.
    """
    if cursor is None:
        return Cursor()
    if found := _CURSOR.fullmatch(cursor):
        return Cursor(_Place(*map(int, found.groups())))
    if shown := _OUTPUT.fullmatch(cursor):
        return Cursor(shown=int(shown[1]))
    raise Invalid(
        FieldProblem("cursor", "this is not a cursor of a log", "send `cursor` of the previous answer, unchanged")
    )


def _note_follower(logs: Logs, run: Run, number: int, record: LogRecord | None, now: datetime) -> LogRecord:
    record = record or LogRecord()
    if record.followed_at is None or now >= record.followed_at + NOTED_EVERY:
        logs.note_follower(run.key, number, now, run.expires_at)
        record = record._replace(followed_at=now)
    return record


def _ended(run: Run, number: int) -> bool:
    return run.state.finished or number < run.attempt or run.newest_is_listed or run.state is RunState.RETRYING


def _end_of(run: Run, number: int, now: datetime) -> datetime:
    """When an attempt that is over ended."""
    listed = next((one.finished_at for one in run.attempts if one.number == number), None)
    return listed or run.finished_at or now


def _output(ports: Ports, run: Run, number: int) -> tuple[list[LogEntry], bool]:
    """The stored output of an attempt as entries, a line each, and whether something of it is missing."""
    try:
        shown = show_output(ports.outputs, run, number)
    except NotFound:
        return [], False
    text = shown.text
    if text is None:
        kept = ports.outputs.get(run.key, number)
        text = (ports.outputs.read(kept.place) if kept is not None else None) or ""
    missing = shown.truncated or shown.cut
    if run.target == _COMMAND:
        text, missing = _of_command(text, missing=missing)
    at = to_text(_end_of(run, number, ports.clock()))
    lines = text.splitlines(keepends=True)
    pieces = [line[begin : begin + LONGEST_ENTRY] for line in lines for begin in range(0, len(line), LONGEST_ENTRY)]
    return [LogEntry(at, Stream.OUTPUT, piece) for piece in pieces], missing


def _of_command(text: str, *, missing: bool) -> tuple[str, bool]:
    """What a command wrote, in the result that its agent reported."""
    try:
        result = json.loads(text)
    except ValueError:
        return text, missing
    if not isinstance(result, dict) or not isinstance(result.get("output"), str):
        return "", False
    whole = result.get("output_bytes")
    short = isinstance(whole, int) and whole > len(result["output"].encode("utf-8", "replace"))
    return result["output"], short
