"""The log of an attempt: what its command wrote, with times, as its agent stores it and the API reads it.

A log is a sequence of gzip members (RFC 1952, 2.2), so that `zcat` reads the whole, and any member can be read alone. Their text has a
line for each entry: the time, the stream and the text, with one space between them: ``2026-11-20T09:00:00.123Z out started``. A line of
the command that is longer than the agent's memory for it, or was not ended when the agent wrote it down, becomes several entries: `out+`
marks those that do not end their line.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from datetime import timedelta
from enum import Enum
from typing import NamedTuple

LONGEST_PART = 2 * 1024 * 1024
"""Most bytes of a stored part; agents make parts of up to 1 MiB of text."""
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

_MOST_TEXT = 4 * LONGEST_PART
_GZIP = 16 + zlib.MAX_WBITS


class Stream(Enum):
    """Where an entry comes from."""

    OUTPUT = "output"
    """Both output streams of the command, which share a pipe so that their order is kept; or the answer of another target."""
    NOTE = "note"
    """The agent, about the log: how many bytes of the output are missing here."""


_STREAMS: Mapping[str, tuple[Stream, str]] = {
    "out": (Stream.OUTPUT, "\n"),
    "out+": (Stream.OUTPUT, ""),
    "note": (Stream.NOTE, "\n"),
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
    """A gzip member of a log: its entries, and its length in bytes as stored."""

    entries: tuple[LogEntry, ...]
    length: int


def members_in(stored: bytes) -> Iterator[Member]:
    """The members that are there completely, from the beginning of stored bytes. Ends at the first that is not, or is no gzip."""
    while stored:
        reader = zlib.decompressobj(_GZIP)
        try:
            text = reader.decompress(stored, _MOST_TEXT)
        except zlib.error:
            return
        if not reader.eof:
            return
        length = len(stored) - len(reader.unused_data)
        yield Member(tuple(_entries_in(text)), length)
        stored = reader.unused_data


def _entries_in(text: bytes) -> Iterator[LogEntry]:
    for line in text.decode("utf-8", "replace").split("\n")[:-1]:
        at, _, rest = line.partition(" ")
        name, _, written = rest.partition(" ")
        if name in _STREAMS:
            stream, end = _STREAMS[name]
            yield LogEntry(at, stream, written + end)
