"""Store of outputs: items of the Runs table, in partitions apart from the runs, so that listing runs does not read them; and a bucket
for longer texts."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from datetime import timedelta
from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.calls.statements import deletion, execute
from minutehand.adapters.dynamodb.calls.table import Table
from minutehand.adapters.dynamodb.codecs.items import typed, untyped
from minutehand.adapters.dynamodb.codecs.values import (
    EXPIRES_AT,
    epoch,
    number,
    read_epoch,
    read_number,
    read_text,
    text,
)
from minutehand.adapters.dynamodb.logs import DynamoLogs, decode_log
from minutehand.adapters.s3 import place_of
from minutehand.domain.declaration.conversion import read_stored, stored
from minutehand.domain.errors import Unavailable
from minutehand.domain.run import Result, RunError
from minutehand.usecases.ports.outputs import Output, size_of

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem
    from minutehand.adapters.s3 import S3Texts
    from minutehand.domain.run_key import RunKey


class DynamoOutputs:
    """DynamoDB implementation of the port `Outputs`.

    Args:
        table: name of the Runs table.
        texts: store of the longer texts.
    """

    def __init__(
        self, client: DynamoDBClient, table: str, texts: S3Texts, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._table = Table(client=client, name=table, sleep=sleep)
        self._texts = texts
        self.logs = DynamoLogs(self._table, texts)

    def keep(self, run: RunKey, attempt: int, output: Output) -> None:
        item = {**_key(run, attempt), EXPIRES_AT: epoch(output.expires_at)}
        if output.result is not None:
            item["result"] = typed(stored(output.result))
        if output.error is not None:
            item["error"] = typed(stored(output.error))
        if output.truncated:
            item["size"] = number(output.size)
        if output.place:
            item["place"] = text(output.place)
        self._table.put_new(item, key="job")

    def get(self, run: RunKey, attempt: int) -> Output | None:
        item = self._table.get(_key(run, attempt))
        return None if item is None else self._table.decoded(item, _decode)

    def store(self, run: RunKey, attempt: int, text: str, lasts: timedelta) -> str:
        place = place_of(run, attempt, lasts)
        self._texts.put(place, text)
        return place

    def read(self, place: str) -> str | None:
        return self._texts.get(place)

    def link(self, place: str, lasts: timedelta) -> str:
        return self._texts.link(place, lasts)

    def forget(self, runs: Collection[RunKey]) -> None:
        """Delete the outputs of runs. Texts in the bucket go first: after an error, the remaining item still names its text."""
        if not runs:
            return
        first, last = min(runs), max(runs)
        pages = self._table.query(
            KeyConditionExpression="job = :job AND run_id BETWEEN :first AND :last",
            ExpressionAttributeValues={
                ":job": _key(first, 0)["job"],
                ":first": text(first.run_id),
                ":last": text(f"{last.run_id}#~"),  # sorts after every attempt's key
            },
            ConsistentRead=True,
        )
        run_ids = {run.run_id for run in runs if run.job == first.job}
        found = [item for page in pages for item in page if read_text(item, "run_id").partition("#")[0] in run_ids]
        places = [self._table.decoded(item, _decode).place for item in found]
        logs = [self._table.decoded(item, decode_log) for item in found if item["run_id"]["S"].endswith("#log")]
        parts = [log.part(each) for log in logs for each in range(1, log.parts + 1)]
        self._texts.delete([place for place in (*places, *parts) if place])
        codes = execute(
            self._table, [deletion(self._table, {"job": item["job"], "run_id": item["run_id"]}) for item in found]
        )
        if failed := [code for code in codes if code]:
            raise Unavailable(
                f"{len(failed)} of the outputs in table {self._table.name} could not be deleted: {failed[0]}"
            )


def _key(run: RunKey, attempt: int) -> Item:
    """The key of an attempt's output; no job name or run id contains a `#`."""
    return {"job": text(f"{run.job}#output"), "run_id": text(f"{run.run_id}#{attempt}")}


def _decode(item: ReadItem) -> Output:
    result = read_stored(Result, untyped(item["result"])) if "result" in item else None
    return Output(
        result=result,
        error=read_stored(RunError, untyped(item["error"])) if "error" in item else None,
        expires_at=read_epoch(item, EXPIRES_AT),
        size=read_number(item, "size") if "size" in item else size_of(result),
        place=read_text(item, "place") if "place" in item else "",
    )
