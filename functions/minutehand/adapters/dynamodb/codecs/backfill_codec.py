"""Backfills as items of the Jobs table. What has not ended stands in the index `due`; what has is forgotten after a month."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minutehand.adapters.dynamodb.codecs import keys, timer_codec
from minutehand.adapters.dynamodb.codecs.values import (
    EXPIRES_AT,
    epoch,
    instant,
    number,
    read_instant,
    read_number,
    read_text,
    text,
)
from minutehand.domain.backfill import Backfill, BackfillState, Order
from minutehand.domain.instants import from_compact, to_compact
from minutehand.domain.job import JobKey
from minutehand.domain.retention import DEFAULT_RETENTION
from minutehand.domain.run import RunState

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem

KEPT = DEFAULT_RETENTION
"""How long a backfill is kept after its end."""


def encode(backfill: Backfill, *, shards: int) -> Item:
    """The item of a backfill."""
    item: Item = {
        **keys.backfill(backfill.job, backfill.id),
        "schedule": text(backfill.rule),
        "first": instant(backfill.start),
        "until": instant(backfill.end),
        "replay_order": text(backfill.order.value),
        "concurrency": number(backfill.concurrency),
        "ignore_overlap": {"BOOL": backfill.ignore_overlap},
        "occurrences": number(backfill.total),
        "job_created_at": instant(backfill.job_created_at),
        "created_at": instant(backfill.created_at),
        "created_by": text(backfill.created_by),
        "state": text(backfill.state.value),
        "active": text(" ".join(map(to_compact, backfill.active))),
        "ended": {"M": {state.value: number(count) for state, count in backfill.counts.items()}},
        "version": number(backfill.version),
    }
    if backfill.cancelled_by:
        item["cancelled_by"] = text(backfill.cancelled_by)
    if backfill.cursor is not None:
        item["stands_at"] = instant(backfill.cursor)
    if backfill.finished_at is not None:
        item |= {"finished_at": instant(backfill.finished_at), EXPIRES_AT: epoch(backfill.finished_at + KEPT)}
    if backfill.next_at is not None:
        item |= timer_codec.due(backfill.job, backfill.next_at, shards)
    return item


def decode(item: ReadItem) -> Backfill:
    """The backfill of an item.

    Raises:
        LookupError, ValueError, TypeError, OverflowError: when it cannot be read.
    """
    ended: Any = item["ended"]["M"]
    return Backfill(
        job=JobKey.of(read_text(item, "pk").removeprefix(keys.JOB)),
        id=read_text(item, "sk").removeprefix(keys.BACKFILL),
        rule=read_text(item, "schedule"),
        start=read_instant(item, "first"),
        end=read_instant(item, "until"),
        order=Order(read_text(item, "replay_order")),
        concurrency=read_number(item, "concurrency"),
        ignore_overlap=item["ignore_overlap"]["BOOL"],
        total=read_number(item, "occurrences"),
        job_created_at=read_instant(item, "job_created_at"),
        created_at=read_instant(item, "created_at"),
        created_by=read_text(item, "created_by"),
        next_at=read_instant(item, "next_at") if "next_at" in item else None,
        state=BackfillState(read_text(item, "state")),
        cancelled_by=read_text(item, "cancelled_by") if "cancelled_by" in item else "",
        cursor=read_instant(item, "stands_at") if "stands_at" in item else None,
        active=tuple(map(from_compact, read_text(item, "active").split())),
        counts={RunState(state): int(count["N"]) for state, count in ended.items()},
        finished_at=read_instant(item, "finished_at") if "finished_at" in item else None,
        version=read_number(item, "version"),
    )
