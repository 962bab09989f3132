"""The log of an attempt: what its command wrote, with times, as its agent stores it and the API reads it.

A log is a sequence of gzip members (RFC 1952, 2.2), so that `zcat` reads the whole, and any member can be read alone. A part is one
member. Their text has a line for each entry: the time, the stream and the text, with one space between them:
``2026-11-20T09:00:00.123Z out started``. A line of the command that is longer than `LONGEST_ENTRY`, or was not ended when the agent wrote
it down, becomes several entries: `out+` marks those that do not end their line.

What is stored comes from agents, so that reading it costs no more than a `Budget`, whatever it is.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from enum import Enum
from typing import NamedTuple

LONGEST_PART = 2 * 1024 * 1024
"""Most bytes of a stored part, and of a stored member."""
LONGEST_TEXT = 4 * 1024 * 1024
"""Most bytes of a member's text; agents make members of up to 1.5 MiB."""
LONGEST_ENTRY = 16_384
"""Most bytes of an entry's text without its newline. The rest of a longer one, which no agent makes, is not read."""
LONGEST_LOG = 80 * 1024 * 1024
"""Most bytes of a whole log. Agents keep 64 MiB of text, which may grow a little where it cannot be compressed."""
MOST_PARTS = 100_000
LATE = timedelta(days=1)
"""How long after the end of an attempt its log may be uploaded: for that long, an agent keeps what it could not send."""
FOLLOWED = timedelta(seconds=60)
"""How long a reader counts as a follower after it has read."""
OFTEN = timedelta(seconds=5)
"""How often parts are wanted while somebody follows."""
SELDOM = timedelta(seconds=60)
"""How often parts are wanted otherwise."""

_GZIP = 16 + zlib.MAX_WBITS
_WINDOW = 16_384
"""Bytes that are decompressed at once: what is left of them is copied."""
_LINE = re.compile(
    rb"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) (out\+?|note) (.{0,%d}+).*+\n" % LONGEST_ENTRY, re.MULTILINE
)


class Budget:
    """What reading logs may cost, for one request: bytes of text that are decompressed, and members that are begun."""

    def __init__(self, *, text: int = 16 * 1024 * 1024, members: int = 1_000) -> None:
        self._whole = text
        self.text = text
        self.members = members

    @property
    def is_fresh(self) -> bool:
        """Whether no text was read."""
        return self.text == self._whole

    @property
    def is_exceeded(self) -> bool:
        """Whether there was more text than it allows."""
        return self.text < 0


class Stream(Enum):
    """Where an entry comes from."""

    OUTPUT = "output"
    """Both output streams of the command, which share a pipe so that their order is kept; or the answer of another target."""
    NOTE = "note"
    """The agent, about the log: how many bytes of the output are missing here."""


_STREAMS: Mapping[bytes, tuple[Stream, str]] = {
    b"out": (Stream.OUTPUT, "\n"),
    b"out+": (Stream.OUTPUT, ""),
    b"note": (Stream.NOTE, "\n"),
}


class LogEntry(NamedTuple):
    """A line of a log, or a piece of one.

    Attributes:
        at: when the agent read it, as RFC 3339 in UTC with milliseconds.
        text: with the newline that ended it, if any. The texts of the stream `output` together are what the command wrote.
    """

    at: str
    stream: Stream
    text: str


class Member(NamedTuple):
    """A gzip member of a log.

    Attributes:
        text: None if it is longer than `LONGEST_TEXT`, so that it is not read.
        length: its bytes as stored; all that follow, too, if the end of such a long member was not looked for.
    """

    text: bytes | None
    length: int

    def entries(self) -> Iterator[LogEntry]:
        """Its entries, each made when it is asked for. A line that is none is left out."""
        for found in _LINE.finditer(self.text or b""):
            at, name, written = found.groups()
            if _is_instant(at):
                stream, end = _STREAMS[name]
                yield LogEntry(at.decode(), stream, written.decode("utf-8", "replace") + end)


def members_in(stored: bytes, budget: Budget) -> Iterator[Member]:
    """The members that are there completely, from the beginning of stored bytes.

    Ends at the first that is not, or is no gzip, and at one for which the budget does not suffice, unless that is the first: a reader
    must come beyond it.
    """
    begin = 0
    while begin < len(stored) and budget.members > 0:
        budget.members -= 1
        fresh = budget.is_fresh
        member = _member_at(stored, begin, budget)
        if member is None or (budget.is_exceeded and not fresh):
            return
        yield member
        begin += member.length


def _member_at(stored: bytes, begin: int, budget: Budget) -> Member | None:
    """The member at an offset; None if it is not complete, or no gzip."""
    view = memoryview(stored)
    reader = zlib.decompressobj(_GZIP)
    text = bytearray()
    size, read = 0, begin
    waiting: bytes | memoryview = b""
    while not reader.eof:
        if budget.is_exceeded:
            return Member(None, len(stored) - begin)
        if not waiting:
            waiting = view[read : read + _WINDOW]
            read += len(waiting)
        if not waiting:
            return None
        try:
            piece = reader.decompress(waiting, budget.text + 1)
        except zlib.error:
            return None
        waiting = reader.unconsumed_tail
        budget.text -= len(piece)
        size += len(piece)
        if size <= LONGEST_TEXT:
            text += piece
    return Member(bytes(text) if size <= LONGEST_TEXT else None, read - len(reader.unused_data) - begin)


def _is_instant(text: bytes) -> bool:
    try:
        datetime.fromisoformat(text.decode())
    except ValueError:
        return False
    return True
