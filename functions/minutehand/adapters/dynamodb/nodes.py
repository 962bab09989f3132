"""Store of nodes and pools, in the Jobs table: one item for each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.calls.table import Store
from minutehand.adapters.dynamodb.codecs import keys
from minutehand.adapters.dynamodb.codecs.items import item_of, thing_of
from minutehand.adapters.dynamodb.codecs.values import EXPIRES_AT, epoch, instant, number, read_instant, text
from minutehand.adapters.dynamodb.namespaces import item_page
from minutehand.domain.node import POOL_KEPT, Node, NodeKey, PoolKey

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import PutTypeDef

    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem
    from minutehand.domain.audit import AuditRecord
    from minutehand.usecases.ports.stores import Page

_UNCHANGED = "of_session = :session AND seen_at = :seen_at AND asked = :asked"
_SEEN_AT = "seen_at"


class DynamoNodes(Store):
    """DynamoDB implementation of the port `Nodes`, over the Jobs table."""

    def get(self, key: NodeKey) -> Node | None:
        item = next(iter(self._table.get_many([keys.node(key)])), None)
        return None if item is None else self._table.decoded(item, _decode)

    def of_pool(self, pool: PoolKey) -> Iterator[Node]:
        for items in self._table.query(
            KeyConditionExpression="pk = :pk AND begins_with(sk, :prefix)",
            ExpressionAttributeValues={
                ":pk": text(f"{keys.NODES}{pool.namespace}"),
                ":prefix": text(f"{keys.NODE}{pool.name}#"),
            },
            ConsistentRead=True,
        ):
            for item in items:
                yield self._table.decoded(item, _decode)

    def page(self, namespace: str, limit: int, cursor: str | None) -> Page[Node]:
        return item_page(
            self._table,
            _decode,
            listing="nodes",
            of=namespace,
            partition=f"{keys.NODES}{namespace}",
            prefix=keys.NODE,
            limit=limit,
            cursor=cursor,
        )

    def replace(self, before: Node | None, after: Node, audit: AuditRecord | None = None) -> bool:
        item = item_of(after, keys.node(after.key)) | {EXPIRES_AT: epoch(after.seen_at + POOL_KEPT)}
        if before is None:
            return self._table.put_new(item, key="pk")
        if audit is None:
            return self._table.put_if(item, condition=_UNCHANGED, values=_version(before))
        from minutehand.adapters.dynamodb.codecs.audit_codec import recording  # noqa: PLC0415 - only the API asks

        put: PutTypeDef = {
            "TableName": self._table.name,
            "Item": item,
            "ConditionExpression": _UNCHANGED,
            "ExpressionAttributeValues": _version(before),
        }
        return self._table.write_all([{"Put": put}, *recording(self._table.name, audit)]) is None

    def beat(self, key: NodeKey, session: str, running: int, now: datetime) -> Node | None:
        values = {":now": instant(now), ":running": number(running), ":expires": epoch(now + POOL_KEPT)}
        beats = self._table.update_where(
            Key=keys.node(key),
            UpdateExpression=f"SET seen_at = :now, running = :running, {EXPIRES_AT} = :expires",
            ConditionExpression="of_session = :session",
            ExpressionAttributeValues={**values, ":session": text(session)},
        )
        return self.get(key) if beats else None

    def remove(self, node: Node) -> bool:
        return self._table.delete_if(keys.node(node.key), condition=_UNCHANGED, values=_version(node))

    def note_pool(self, pool: PoolKey, now: datetime) -> None:
        self._table.put({**keys.pool(pool), _SEEN_AT: instant(now)})

    def pools(self) -> Mapping[PoolKey, datetime]:
        found = self._table.query(
            KeyConditionExpression="pk = :pk", ExpressionAttributeValues={":pk": text(keys.POOLS)}, ConsistentRead=True
        )
        return dict(self._table.decoded(item, _decode_pool) for items in found for item in items)

    def forget_pool(self, pool: PoolKey, noted: datetime) -> bool:
        return self._table.delete_if(keys.pool(pool), condition="seen_at = :noted", values={":noted": instant(noted)})


def _version(node: Node) -> Item:
    return {":session": text(node.session), ":seen_at": instant(node.seen_at), ":asked": text(node.asked.value)}


def _decode(item: ReadItem) -> Node:
    namespace = item["pk"]["S"].removeprefix(keys.NODES)
    pool, _, name = item["sk"]["S"].removeprefix(keys.NODE).partition("#")
    return thing_of(Node, item, besides=(EXPIRES_AT,), key=NodeKey(PoolKey(namespace, pool), name))


def _decode_pool(item: ReadItem) -> tuple[PoolKey, datetime]:
    namespace, _, name = item["sk"]["S"].partition("/")
    return PoolKey(namespace, name), read_instant(item, _SEEN_AT)
