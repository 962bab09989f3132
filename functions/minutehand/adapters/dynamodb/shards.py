"""Store of the shards of the index `due`, and of their layout, in the Jobs table."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.calls.statements import change, execute
from minutehand.adapters.dynamodb.calls.table import CONDITION_FAILED, Table
from minutehand.adapters.dynamodb.codecs import keys
from minutehand.adapters.dynamodb.codecs.values import instant, number, read_instant, read_number, read_text, text
from minutehand.adapters.sharding import shard_of
from minutehand.domain.errors import Unavailable
from minutehand.usecases.ports.shards import Layout, Place
from minutehand.usecases.ports.stores import Page

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import BatchStatementRequestTypeDef

    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem


class DynamoShards:
    """DynamoDB implementation of the port `Shards`.

    Args:
        table: name of the Jobs table.
        page_size: most timers in a page; those of a page are moved together.
    """

    def __init__(
        self, client: DynamoDBClient, table: str, *, page_size: int = 500, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._table = Table(client=client, name=table, sleep=sleep)
        self._page_size = page_size

    def layout(self) -> Layout | None:
        """How many shards the index `due` has, or None if none was stored. Reads with BatchGetItem, so that it needs no permission for
        GetItem."""
        item = next(self._table.get_many([keys.layout()]), None)
        return None if item is None else self._table.decoded(item, _decode)

    def widen(self, spread: int) -> None:
        self._table.update_if(
            Key=keys.layout(),
            UpdateExpression="SET spread = :spread REMOVE empty_since ADD version :one",
            ConditionExpression="attribute_not_exists(spread) OR spread < :spread",
            ExpressionAttributeValues={":spread": number(spread), ":one": number(1)},
        )

    def record(self, layout: Layout) -> bool:
        item: Item = {
            **keys.layout(),
            "spread": number(layout.spread),
            "moved_over": number(layout.over),
            "version": number(layout.version),
        }
        if layout.shard is not None:
            item["shard"] = number(layout.shard)
        if layout.cursor is not None:
            item["cursor"] = text(layout.cursor)
        if layout.empty_since is not None:
            item["empty_since"] = instant(layout.empty_since)
        return self._table.put_if(item, condition="version = :before", values={":before": number(layout.version - 1)})

    def page(self, shard: int, cursor: str | None) -> Page[Place]:
        request: dict[str, object] = {}
        if cursor is not None:
            # Go on after the place of the previous page's last item, even if that item has moved since.
            pk, sk, next_at = json.loads(cursor)
            start = {**keys.key(pk, sk), "due_shard": text(str(shard)), "next_at": text(next_at)}
            request["ExclusiveStartKey"] = start
        items, last = self._table.query_once(
            IndexName="due",
            KeyConditionExpression="due_shard = :shard",
            ExpressionAttributeValues={":shard": text(str(shard))},
            ProjectionExpression="pk, sk, next_at",
            Limit=self._page_size,
            **request,
        )
        next_ = None
        if last is not None:
            next_ = json.dumps([read_text(last, name) for name in ("pk", "sk", "next_at")], separators=(",", ":"))
        return Page(tuple(_place(shard, item) for item in items), next_)

    def move(self, places: Sequence[Place], over: int) -> int:
        """Move misplaced timers to their shards, if they are unchanged.

        Raises:
            Unavailable: if a statement failed; all others were tried.
        """
        misplaced = [place for place in places if shard_of(place.job, over) != place.shard]
        outcomes = execute(self._table, [self._statement(place, over) for place in misplaced])
        failed = sorted({outcome for outcome in outcomes if outcome not in (None, CONDITION_FAILED)})
        if failed:
            raise Unavailable(
                f"timers in table {self._table.name} could not be moved to their shards: {', '.join(failed)}"
            )
        return outcomes.count(None)

    def _statement(self, place: Place, over: int) -> BatchStatementRequestTypeDef:
        match place.key:
            case (str(pk), str(sk)):
                expected = keys.key(pk, sk) | {"next_at": text(place.next_at), "due_shard": text(str(place.shard))}
                return change(self._table, {"due_shard": text(str(shard_of(place.job, over)))}, expected)
        raise TypeError(f"{place.key!r} is not the key of an item")


def _decode(item: ReadItem) -> Layout:
    return Layout(
        spread=read_number(item, "spread"),
        over=read_number(item, "moved_over") if "moved_over" in item else 0,
        shard=read_number(item, "shard") if "shard" in item else None,
        cursor=read_text(item, "cursor") if "cursor" in item else None,
        empty_since=read_instant(item, "empty_since") if "empty_since" in item else None,
        version=read_number(item, "version"),
    )


def _place(shard: int, item: ReadItem) -> Place:
    pk = read_text(item, "pk")
    return Place((pk, read_text(item, "sk")), pk.removeprefix(keys.JOB), shard, read_text(item, "next_at"))
