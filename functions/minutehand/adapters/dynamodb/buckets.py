"""Store of the buckets of packed timers, in the Jobs table."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from minutehand.adapters.dynamodb.calls.table import MOST_PER_GET, Table
from minutehand.adapters.dynamodb.codecs import keys, timer_codec
from minutehand.adapters.dynamodb.codecs.values import read_text, text
from minutehand.adapters.sharding import bucket_of, shard_of
from minutehand.domain.timer import in_effect
from minutehand.usecases.ports.buckets import Placed
from minutehand.usecases.ports.stores import Page

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from minutehand.adapters.dynamodb.codecs.values import Item
    from minutehand.domain.job_key import JobKey

_COMPARED = ("next_at", "revision")


class DynamoBuckets:
    """DynamoDB implementation of the port `Buckets`.

    Args:
        table: name of the Jobs table.
        shards: number of shards of the index `due` for timers that are unpacked.
        page_size: most timers in a page; as many as one call of BatchGetItem looks for in the index.
    """

    def __init__(
        self,
        client: DynamoDBClient,
        table: str,
        *,
        shards: int = 8,
        page_size: int = MOST_PER_GET,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._table = Table(client=client, name=table, sleep=sleep)
        self._shards = shards
        self._page_size = page_size

    def page(self, bucket: int, cursor: str | None) -> Page[Placed]:
        pk = keys.bucket(bucket)
        start: dict[str, Any] = {} if cursor is None else {"ExclusiveStartKey": keys.key(pk, cursor)}
        items, last = self._table.query_once(
            KeyConditionExpression="pk = :bucket",
            ExpressionAttributeValues={":bucket": text(pk)},
            Limit=self._page_size,
            **start,
        )
        found = tuple(
            Placed(timer_codec.decode_own(item), bucket, bucket_of(read_text(item, "sk")) != bucket, item)
            for item in items
        )
        return Page(found, None if last is None else read_text(last, "sk"))

    def position(self, bucket: int) -> str | None:
        item = next(self._table.get_many([keys.unpacking(bucket)]), {})
        return read_text(item, "cursor") if "cursor" in item else None

    def set_position(self, bucket: int, cursor: str | None) -> None:
        self._table.put(keys.unpacking(bucket) | ({} if cursor is None else {"cursor": text(cursor)}))

    def indexed(self, jobs: Sequence[JobKey]) -> Mapping[JobKey, Placed]:
        places = [keys.timer(job) for job in dict.fromkeys(jobs)]
        found = self._table.get_many(places, consistent=False)
        placed = (Placed(timer_codec.decode_own(item), None, misplaced=False, stored=item) for item in found)
        return {each.timer.job: each for each in placed}

    def unpack(self, packed: Placed, indexed: Placed | None) -> bool:
        table, key = self._table.name, {name: packed.stored[name] for name in ("pk", "sk")}
        actions: list[Any] = [{"Delete": {"TableName": table, "Key": key, **_as_read(packed)}}]
        if indexed is None or in_effect([indexed.timer, packed.timer]) is packed.timer:
            actions.append({"Put": {"TableName": table, "Item": self._unpacked(packed), **_as_read(indexed)}})
        return self._table.write_all(actions) is None

    def _unpacked(self, packed: Placed) -> Item:
        """The item of a packed timer at its place in the index, with all other attributes as they are, readable or not."""
        item: Item = {**packed.stored, **keys.timer(packed.timer.job)}
        if "next_at" in item:
            item["due_shard"] = text(str(shard_of(packed.timer.job, self._shards)))
        return item


def _as_read(placed: Placed | None) -> Any:
    """The condition of a write that the timer there is as it was read, or that there is none, as the arguments of the write."""
    if placed is None:
        return {"ConditionExpression": "attribute_not_exists(pk)"}
    values = {f":{name}": placed.stored[name] for name in _COMPARED if name in placed.stored}
    clauses = (f"{name} = :{name}" if name in placed.stored else f"attribute_not_exists({name})" for name in _COMPARED)
    condition = {"ConditionExpression": " AND ".join(("attribute_exists(pk)", *clauses))}
    return {**condition, "ExpressionAttributeValues": values} if values else condition
