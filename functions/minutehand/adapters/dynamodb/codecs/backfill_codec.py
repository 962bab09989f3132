"""Backfills as items of the Jobs table. Active ones are in the index `due`; ended ones expire after a month."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.codecs import keys, timer_codec
from minutehand.adapters.dynamodb.codecs.items import item_of, thing_of
from minutehand.adapters.dynamodb.codecs.values import EXPIRES_AT, epoch, read_instant, read_text
from minutehand.domain.backfill import Backfill
from minutehand.domain.retention import DEFAULT_RETENTION

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem

KEPT = DEFAULT_RETENTION
"""How long a backfill is kept after its end."""


def encode(backfill: Backfill, *, shards: int) -> Item:
    """The item of a backfill."""
    item = item_of(backfill, keys.backfill(backfill.job, backfill.id))
    if backfill.finished_at is not None:
        item[EXPIRES_AT] = epoch(backfill.finished_at + KEPT)
    if backfill.next_at is not None:
        item |= timer_codec.due(backfill.job, backfill.next_at, shards)
    return item


def decode(item: ReadItem) -> Backfill:
    """The backfill of an item.

    Raises:
        LookupError, ValueError, TypeError, OverflowError: when it cannot be read.
    """
    return thing_of(
        Backfill,
        item,
        besides=(EXPIRES_AT, *timer_codec.DUE),
        job=keys.read_job(item),
        id=read_text(item, "sk").removeprefix(keys.BACKFILL),
        next_at=read_instant(item, "next_at") if "next_at" in item else None,
    )
