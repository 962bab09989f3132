"""Lists of runs, newest first, from the Runs table and its indexes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby, islice
from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.calls.table import Store
from minutehand.adapters.dynamodb.codecs import run_codec
from minutehand.adapters.dynamodb.codecs.values import read_instant, read_text, text
from minutehand.adapters.dynamodb.runs_by_time import runs_within
from minutehand.domain.errors import Unread, Unreadable, ignored
from minutehand.domain.instants import SECOND, to_compact, to_text
from minutehand.usecases.ports.run_lists import Ended

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.codecs.values import ReadItem
    from minutehand.domain.job_key import JobKey
    from minutehand.domain.run import Run
    from minutehand.domain.run_key import RunKey

AT_ONCE = 50
"""Items that one query of an index or of entries reads: few, since most lists end with their first page."""
_TO_THE_SECOND = len("2026-11-20T09:00:00")


class DynamoRunLists(Store):
    """DynamoDB implementation of the port `RunLists`, over the Runs table."""

    def by_time(
        self, namespace: str, start: datetime, end: datetime, unreadable: Unread = ignored
    ) -> Iterator[Sequence[RunKey]]:
        if start >= end:
            return iter(())
        return runs_within(self._table, namespace, start, end, unreadable, newest_first=AT_ONCE)

    def by_end(self, namespace: str, start: datetime, end: datetime) -> Iterator[Sequence[Ended]]:
        if start >= end:
            return
        pages = self._table.query(
            IndexName="attention",
            KeyConditionExpression="attention = :namespace AND finished_at BETWEEN :first AND :last",
            ExpressionAttributeValues={
                ":namespace": text(namespace),
                ":first": text(_second(to_text(start))),
                ":last": text(f"{_second(to_text(end - SECOND))}~"),  # sorts after every fraction of the last second
            },
            ScanIndexForward=False,
            Limit=AT_ONCE,
        )
        # Within a second the texts do not sort by time: 09:00:00.5Z comes before 09:00:00Z.
        for _, items in groupby((item for page in pages for item in page), key=_second_of):
            yield sorted(map(_ended, items), key=lambda ended: (-ended.at.timestamp(), ended.run))

    def of_job(
        self, job: JobKey, start: datetime, end: datetime, limit: int, unreadable: Unread = ignored
    ) -> Sequence[Run]:
        if start >= end:
            return ()
        pages = self._table.query(
            KeyConditionExpression="job = :job AND run_id BETWEEN :first AND :last",
            ExpressionAttributeValues={
                ":job": text(str(job)),
                ":first": text(to_compact(start)),
                ":last": text(run_codec.last_before(end)),
            },
            ScanIndexForward=False,
            Limit=limit,
        )
        items = islice((item for page in pages for item in page), limit)
        found = []
        for item in items:
            try:
                found.append(self._table.decoded(item, run_codec.decode))
            except Unreadable as trouble:
                unreadable(trouble)
        return found


def _second(written: str) -> str:
    return written[:_TO_THE_SECOND]


def _second_of(item: ReadItem) -> str:
    return _second(read_text(item, "finished_at"))


def _ended(item: ReadItem) -> Ended:
    return Ended(read_instant(item, "finished_at"), run_codec.decode_key(item))
