"""Store of the sweep's progress and watchlists, in the Jobs table."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from heapq import merge
from itertools import islice
from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.calls.table import Store
from minutehand.adapters.dynamodb.codecs import keys
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
from minutehand.domain.instants import ceiling, floor, from_text, to_text
from minutehand.domain.job_key import JobKey
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.sweeps import Span, SweepProgress, Watchlist

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem

PARTITIONS = 4
"""Partitions of the watchlists. DynamoDB writes 1,000 units a second to one; late runs of many jobs may each need a list of their own."""
_PAGE = 25
KEPT = timedelta(days=90)
"""Retention of a watchlist that no sweep looked at, from its `look_at`."""


class DynamoSweeps(Store):
    """DynamoDB implementation of the port `Sweeps`."""

    def progress(self) -> SweepProgress | None:
        """How far sweeps have looked, or None. A read that is a moment old has a sweep look twice at some runs. Reads with BatchGetItem,
        so that it needs no permission for GetItem."""
        item = next(self._table.get_many([keys.sweep_progress()], consistent=False), None)
        return None if item is None else self._table.decoded(item, _decode_progress)

    def record(self, progress: SweepProgress) -> bool:
        item: Item = {
            **keys.sweep_progress(),
            "until": instant(progress.until),
            "left": text(" ".join(f"{to_text(span.start)}/{to_text(span.end)}" for span in progress.left)),
            "version": number(progress.version),
        }
        return self._table.put_if(
            item,
            condition="attribute_not_exists(pk) OR version = :before",
            values={":before": number(progress.version - 1)},
        )

    def watch(self, watchlist: Watchlist) -> None:
        """Store a watchlist. Its key contains a hash of its runs, so lists that several processes store for one instant all stay."""
        item: Item = {
            **_key(watchlist),
            "look_at": instant(ceiling(watchlist.look_at)),
            "runs": text(_joined(watchlist.runs)),
            EXPIRES_AT: epoch(watchlist.look_at + KEPT),
        }
        if watchlist.resends:
            item["resends"] = number(watchlist.resends)
        self._table.put(item)

    def due(self, now: datetime) -> Iterator[Sequence[Watchlist]]:
        parts = [self._due_in(partition, now) for partition in range(PARTITIONS)]
        merged = merge(*parts, key=lambda watchlist: watchlist.look_at, reverse=True)
        while page := tuple(islice(merged, _PAGE)):
            yield page

    def _due_in(self, partition: int, now: datetime) -> Iterator[Watchlist]:
        pages = self._table.query(
            KeyConditionExpression="pk = :pk AND sk < :last",
            ExpressionAttributeValues={
                ":pk": text(f"{keys.WATCHLISTS}{partition}"),
                ":last": text(f"{to_text(floor(now))}~"),  # sorts after every suffix
            },
            ScanIndexForward=False,
        )
        for page in pages:
            yield from (self._table.decoded(item, _decode) for item in page)

    def drop(self, watchlist: Watchlist) -> None:
        self._table.delete_if(
            _key(watchlist), condition="look_at = :look_at", values={":look_at": instant(ceiling(watchlist.look_at))}
        )


def _joined(runs: Sequence[RunKey]) -> str:
    return "\n".join(f"{run.job} {run.run_id}" for run in runs)


def _key(watchlist: Watchlist) -> Item:
    digest = hashlib.sha256(_joined(watchlist.runs).encode()).hexdigest()[:16]
    return keys.watchlist(int(digest, 16) % PARTITIONS, ceiling(watchlist.look_at), f"{watchlist.resends}#{digest}")


def _decode_progress(item: ReadItem) -> SweepProgress:
    spans = [span.split("/") for span in read_text(item, "left").split()]
    left = tuple(Span(from_text(start), from_text(end)) for start, end in spans)
    return SweepProgress(read_instant(item, "until"), left, read_number(item, "version"))


def _decode(item: ReadItem) -> Watchlist:
    named = [line.split(" ") for line in read_text(item, "runs").splitlines()]
    runs = tuple(RunKey(job=JobKey.of(job), run_id=run_id) for job, run_id in named)
    return Watchlist(read_instant(item, "look_at"), runs, read_number(item, "resends") if "resends" in item else 0)
