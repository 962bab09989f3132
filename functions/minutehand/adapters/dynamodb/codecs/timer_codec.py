"""Timers as items of the Jobs table.

A job's own timer is kept under 1 KB, one write unit, since every update of it is charged by the whole item's size.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.codecs import keys
from minutehand.adapters.dynamodb.codecs.items import item_of, thing_of
from minutehand.adapters.dynamodb.codecs.values import (
    NeedsNewer,
    read_instant,
    read_number,
    read_text,
    read_whole,
    text,
    whole,
)
from minutehand.adapters.sharding import shard_of
from minutehand.domain.instants import from_text
from minutehand.domain.job_key import JobKey
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import BrokenTimer, Deadline, Due, Recheck, SkippedRange, SkipPolicy, Timer, Watchdog

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem

_UNREADABLE = (LookupError, ValueError, TypeError, OverflowError)


def encode(timer: Timer, *, shards: int) -> Item:
    """The item of a job's own timer."""
    item = item_of(timer, keys.timer(timer.job, packed=timer.packed))
    if timer.next_at is not None:
        item |= {"next_at": whole(timer.next_at)} if timer.packed else due(timer.job, timer.next_at, shards)
    return item


def key_of(stored: Deadline | Recheck) -> Item:
    """The key of a deadline or a recheck."""
    if isinstance(stored, Deadline):
        return keys.deadline(stored.run)
    return keys.recheck(stored.job, stored.after, stored.until)


def encode_deadline(deadline: Deadline, *, shards: int) -> Item:
    """The item of a deadline."""
    return {**keys.deadline(deadline.run), **due(deadline.run.job, deadline.next_at, shards)}


def encode_recheck(recheck: Recheck, *, shards: int) -> Item:
    """The item of a recheck."""
    return {**key_of(recheck), **due(recheck.job, recheck.next_at, shards)}


DUE = frozenset(("due_shard", "next_at"))
"""The attributes of the index `due`."""


def due(job: JobKey, next_at: datetime, shards: int) -> Item:
    """The attributes by which an item is found in the index `due`."""
    return {"due_shard": text(str(shard_of(job, shards))), "next_at": whole(next_at)}


def decode_skipped(item: ReadItem) -> SkippedRange:
    """The skipped range of an item.

    Raises:
        LookupError, ValueError: when it cannot be read.
    """
    return SkippedRange(
        job=keys.read_job(item),
        first=read_instant(item, "first"),
        until=read_instant(item, "until"),
        policy=SkipPolicy.of(read_text(item, "policy")),
    )


def decode(item: ReadItem) -> Due:
    """The timer of an item: a `BrokenTimer` when it cannot be read for any reason."""
    try:
        job = keys.read_job(item)
        sk = read_text(item, "sk")
        if sk == keys.TIMER or _is_packed(item):
            return _own(job, item)
        next_at = read_whole(item, "next_at")
        if sk.startswith(keys.DEADLINE):
            return Deadline(run=RunKey(job=job, run_id=sk.removeprefix(keys.DEADLINE)), next_at=next_at)
        if sk.startswith(keys.RECHECK):
            after, _, until = sk.removeprefix(keys.RECHECK).partition("#")
            return Recheck(job=job, after=from_text(after), until=from_text(until), next_at=next_at)
        if sk.startswith(keys.BACKFILL):
            return Watchdog(job=job, backfill=sk.removeprefix(keys.BACKFILL), next_at=next_at)
        raise ValueError(f"{sk!r} is not a kind of timer")
    except _UNREADABLE as error:
        return _broken(item, error)


def decode_own(item: ReadItem) -> Timer | BrokenTimer:
    """A job's own timer from its item: a `BrokenTimer` when it cannot be read for any reason."""
    try:
        return _own(keys.read_job(item), item)
    except _UNREADABLE as error:
        return _broken(item, error)


def _own(job: JobKey, item: ReadItem) -> Timer:
    next_at = read_whole(item, "next_at") if "next_at" in item else None
    return thing_of(Timer, item, besides=DUE, job=job, next_at=next_at, packed=_is_packed(item))


def _is_packed(item: ReadItem) -> bool:
    return item["pk"]["S"].startswith(keys.BUCKET)


def _broken(item: ReadItem, error: Exception) -> BrokenTimer:
    pk, sk = item.get("pk", {}).get("S", ""), item.get("sk", {}).get("S", "")
    packed = pk.startswith(keys.BUCKET)
    namespace, _, name = (sk if packed else pk.removeprefix(keys.JOB)).partition("/")
    revision = next_at = None
    with suppress(*_UNREADABLE):
        revision = read_number(item, "revision")
    with suppress(*_UNREADABLE):
        next_at = read_whole(item, "next_at")
    problem = f"attribute {error} is missing" if isinstance(error, KeyError) else str(error)
    return BrokenTimer(
        job=JobKey(namespace=namespace, name=name),
        revision=revision,
        next_at=next_at,
        problem=f"item {pk} {sk} cannot be read: {problem}",
        own=packed or sk == keys.TIMER,
        newer=isinstance(error, NeedsNewer),
        packed=packed,
    )
