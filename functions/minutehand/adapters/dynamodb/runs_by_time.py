"""Runs of a namespace by time, from the two places that list them: the index `by_time`, and entries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from heapq import merge
from itertools import groupby
from operator import attrgetter

from minutehand.adapters.dynamodb.calls.table import Table
from minutehand.adapters.dynamodb.codecs import entry_codec, run_codec
from minutehand.adapters.dynamodb.codecs.values import text
from minutehand.domain.errors import Unread, Unreadable
from minutehand.domain.instants import to_compact
from minutehand.domain.run_key import RunKey

_RUN_ID = attrgetter("run_id")


def runs_within(
    table: Table, namespace: str, start: datetime, end: datetime, unreadable: Unread
) -> Iterator[Sequence[RunKey]]:
    """The keys of a namespace's runs scheduled in [start, end), by run id: a page for each id, with each key once."""
    for hour in run_codec.hours(start, end):
        alone = [_alone(table, partition, start, end) for partition in run_codec.partitions(namespace, hour)]
        together = _together(table, entry_codec.partition(namespace, hour), start, end, unreadable)
        for _, keys in groupby(merge(*alone, together, key=_RUN_ID), key=_RUN_ID):
            yield sorted(set(keys))


def _alone(table: Table, partition: str, start: datetime, end: datetime) -> Iterator[RunKey]:
    pages = table.query(
        IndexName="by_time",
        KeyConditionExpression="by_time = :partition AND run_id BETWEEN :first AND :last",
        ExpressionAttributeValues={
            ":partition": text(partition),
            ":first": text(to_compact(start)),
            ":last": text(run_codec.last_before(end)),
        },
    )
    return (run_codec.decode_key(item) for page in pages for item in page)


def _together(table: Table, partition: str, start: datetime, end: datetime, unreadable: Unread) -> Iterator[RunKey]:
    first, last = entry_codec.bounds(start, end)
    pages = table.query(
        KeyConditionExpression="job = :partition AND run_id BETWEEN :first AND :last",
        ExpressionAttributeValues={":partition": text(partition), ":first": text(first), ":last": text(last)},
    )
    for _, items in groupby((item for page in pages for item in page), key=entry_codec.minute_of):
        found: list[RunKey] = []
        for item in items:
            try:
                found += table.decoded(item, lambda item: list(entry_codec.decode(item).runs))
            except Unreadable as trouble:
                unreadable(trouble)
        yield from (key for key in sorted(found, key=_RUN_ID) if start <= key.scheduled_for < end)
