"""Entries of runs as items of the Runs table, in a partition for each namespace and hour."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.codecs.values import EXPIRES_AT, epoch, read_epoch, read_text, text
from minutehand.domain.instants import from_compact
from minutehand.domain.run_entry import MINUTE, Entry, minutes

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem

_PREFIX = "ENTRIES#"
"""No full name of a job begins with it."""


def partition(namespace: str, hour: datetime) -> str:
    """The partition of a namespace's entries of an hour."""
    return f"{_PREFIX}{namespace}#{hour:%Y%m%d%H}"


def bounds(start: datetime, end: datetime) -> tuple[str, str]:
    """Texts between which the sort keys of all entries are that may name a run scheduled in [start, end)."""
    first, last = minutes(start, end)
    return first, f"{last}~"


def encode(entry: Entry) -> Item:
    """The item of an entry."""
    minute = entry.minute
    return {
        "job": text(f"{_PREFIX}{entry.namespace}#{minute[:8]}{minute[9:11]}"),
        "run_id": text(f"{minute}#{entry.id}"),
        "names": text(entry.names),
        EXPIRES_AT: epoch(entry.expires_at),
    }


def minute_of(item: ReadItem) -> str:
    """The minute of an entry's item, by which the items of a partition are sorted."""
    return read_text(item, "run_id")[:MINUTE]


def decode(item: ReadItem) -> Entry:
    """The entry of an item.

    Raises:
        LookupError, ValueError, OverflowError: when it cannot be read.
    """
    minute = minute_of(item)
    from_compact(f"{minute}00Z")
    namespace = read_text(item, "job").removeprefix(_PREFIX).rpartition("#")[0]
    return Entry(namespace, minute, read_text(item, "names"), read_epoch(item, EXPIRES_AT))
