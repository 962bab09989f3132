"""Read the log of an attempt, also while it is being written: its parts while the attempt goes on, the whole afterwards."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.domain.attempt_log import FOLLOWED, LONGEST_PART, OFTEN, LogEntry, Stream, members_in
from minutehand.domain.errors import FieldProblem, Invalid, NotFound
from minutehand.domain.instants import to_text
from minutehand.domain.run import Run, RunState
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.logs import LogRecord, Logs
from minutehand.usecases.queries.show_output import show_output

MOST_ENTRIES = 1_000
"""Most entries of an answer."""
NOTED_EVERY = FOLLOWED / 2
"""A follower is written down once in this time at most: one write unit for each log that is followed, two a minute."""
_MOST_BYTES = 900_000
"""Most bytes of an answer's entries as JSON."""
_MOST_READS = 8
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
        page = _Reader(logs, record, number, limit).read(place)
        if page is not None and (page.entries or page.ended):
            return page
        after = place if page is None else read_cursor(page.cursor).place
        over = ended and now >= _end_of(run, number, now) + _AWAITED
        wait = timedelta(0) if over else _SOON if ended else OFTEN
        return LogPage(number, (), str(after), ended=over, cut=over, next_in=wait)
    if not ended:
        return LogPage(number, (), str(place), ended=False, next_in=OFTEN if number else _SOON)
    entries, missing = _output(ports, run, number)
    if missing and now < _end_of(run, number, now) + _AWAITED and shown is None:
        return LogPage(number, (), str(place), ended=False, next_in=_SOON)  # its agent sends the log after the report
    begin = shown or 0
    some = list(_within(entries[begin : begin + limit]))
    following = begin + len(some)
    return LogPage(number, some, f"output.{following}", ended=following >= len(entries), cut=missing)


class _Reader:
    """Reads one log."""

    def __init__(self, logs: Logs, record: LogRecord, attempt: int, limit: int) -> None:
        self._logs = logs
        self._record = record
        self._attempt = attempt
        self._limit = limit

    def read(self, place: _Place) -> LogPage | None:
        """A page from a place on; None if there is nothing yet."""
        if self._record.place:
            found = self._logs.read(self._record.place, place.offset, LONGEST_PART)
            if found is not None:
                entries, after = self._take(found.data, place, parts=False)
                return LogPage(self._attempt, entries, str(after), ended=after.offset >= found.size and not after.skip)
        entries = []
        for _ in range(_MOST_READS):
            if place.part >= self._record.parts:
                break
            stored = self._logs.read(self._record.part(place.part + 1), 0, LONGEST_PART)
            if stored is None:
                break
            some, after = self._take(stored.data, place, parts=True, taken=entries)
            entries += some
            if after == place:
                break
            place = after
            if after.skip:
                break
        return LogPage(self._attempt, entries, str(place), ended=False, next_in=OFTEN) if entries else None

    def _take(
        self, stored: bytes, place: _Place, *, parts: bool, taken: Sequence[LogEntry] = ()
    ) -> tuple[list[LogEntry], _Place]:
        """The entries that fit, and the place after them."""
        room, size = self._limit - len(taken), sum(map(_size, taken))
        entries: list[LogEntry] = []
        for member in members_in(stored):
            rest = member.entries[place.skip :]
            some = list(_within(rest[: room - len(entries)], size))
            entries += some
            size += sum(map(_size, some))
            if len(some) < len(rest):
                return entries, place._replace(skip=place.skip + len(some))
            place = _Place(place.part, place.offset + member.length)
        return entries, place._replace(part=place.part + 1) if parts else place


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
    pieces = [line[begin : begin + 16_384] for line in lines for begin in range(0, len(line), 16_384)]
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


def _within(entries: Sequence[LogEntry], size: int = 0) -> Iterator[LogEntry]:
    """The first entries, as many as an answer may have; one at least of an answer without others."""
    for place, entry in enumerate(entries):
        size += _size(entry)
        if size > _MOST_BYTES and (place or size > _size(entry)):
            return
        yield entry


def _size(entry: LogEntry) -> int:
    return len(json.dumps(entry.text)) + 80
