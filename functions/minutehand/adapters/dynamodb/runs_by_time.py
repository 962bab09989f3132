"""Runs of a namespace by time, from the two places that list them: the index `by_time`, and entries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from heapq import merge
from itertools import groupby
from operator import attrgetter
from typing import Any

from minutehand.adapters.dynamodb.calls.table import Table
from minutehand.adapters.dynamodb.codecs import entry_codec, run_codec
from minutehand.adapters.dynamodb.codecs.values import text
from minutehand.domain.errors import Unread, Unreadable
from minutehand.domain.instants import to_compact
from minutehand.domain.run_key import RunKey

_RUN_ID = attrgetter("run_id")


def runs_within(
    table: Table, namespace: str, start: datetime, end: datetime, unreadable: Unread, *, newest_first: int = 0
) -> Iterator[Sequence[RunKey]]:
    """The keys of a namespace's runs scheduled in [start, end), by run id: a page for each id, with each key once.

    Args:
        newest_first: how many items each query reads if the newest run ids come first; 0 for the oldest first, in whole pages.
    """
    hours = [*run_codec.hours(start, end)]
    how = {"ScanIndexForward": False, "Limit": newest_first} if newest_first else {}
    for hour in reversed(hours) if newest_first else hours:
        alone = [_alone(table, partition, start, end, how) for partition in run_codec.partitions(namespace, hour)]
        together = _together(table, entry_codec.partition(namespace, hour), start, end, unreadable, how=how)
        merged = merge(*alone, together, key=_RUN_ID, reverse=bool(newest_first))
        for _, keys in groupby(merged, key=_RUN_ID):
            yield sorted(set(keys))


def _alone(table: Table, partition: str, start: datetime, end: datetime, how: Mapping[str, Any]) -> Iterator[RunKey]:
    pages = table.query(
        IndexName="by_time",
        KeyConditionExpression="by_time = :partition AND run_id BETWEEN :first AND :last",
        ExpressionAttributeValues={
            ":partition": text(partition),
            ":first": text(to_compact(start)),
            ":last": text(run_codec.last_before(end)),
        },
        **how,
    )
    return (run_codec.decode_key(item) for page in pages for item in page)


def _together(
    table: Table, partition: str, start: datetime, end: datetime, unreadable: Unread, *, how: Mapping[str, Any]
) -> Iterator[RunKey]:
    first, last = entry_codec.bounds(start, end)
    pages = table.query(
        KeyConditionExpression="job = :partition AND run_id BETWEEN :first AND :last",
        ExpressionAttributeValues={":partition": text(partition), ":first": text(first), ":last": text(last)},
        **how,
    )
    for _, items in groupby((item for page in pages for item in page), key=entry_codec.minute_of):
        found: list[RunKey] = []
        for item in items:
            try:
                found += table.decoded(item, lambda item: list(entry_codec.decode(item).runs))
            except Unreadable as trouble:
                unreadable(trouble)
        ordered = sorted(found, key=_RUN_ID, reverse=bool(how))
        yield from (key for key in ordered if start <= key.scheduled_for < end)
