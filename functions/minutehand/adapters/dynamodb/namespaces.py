"""Store of namespaces' settings in the Jobs table, and pages of a namespace's lists of jobs and calendars there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from minutehand.adapters import cursors
from minutehand.adapters.dynamodb.calls.table import Table
from minutehand.adapters.dynamodb.codecs import keys
from minutehand.adapters.dynamodb.codecs.items import item_of, thing_of
from minutehand.adapters.dynamodb.codecs.values import number, text
from minutehand.adapters.dynamodb.quota_use import DynamoQuotaUse
from minutehand.usecases.ports.stores import Page

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import PutTypeDef

    from minutehand.adapters.dynamodb.codecs.values import ReadItem
    from minutehand.domain.audit import AuditRecord
    from minutehand.domain.namespace import Namespace

T = TypeVar("T")


class DynamoNamespaces(DynamoQuotaUse):
    """DynamoDB implementation of the port `Namespaces`, over the Jobs table."""

    def get(self, names: Sequence[str]) -> Mapping[str, Namespace]:
        """Settings of namespaces by name.

        Raises:
            Unavailable: also if settings were written by a later version and cannot be read. Left out, they would pause no job.
        """
        items = self._table.get_many([keys.settings(name) for name in dict.fromkeys(names)])
        found = (self._table.decoded(item, decode_settings) for item in items)
        return {namespace.name: namespace for namespace in found}

    def save(self, before: Namespace | None, after: Namespace, audit: AuditRecord | None = None) -> bool:
        from minutehand.adapters.dynamodb.codecs.audit_codec import recording  # noqa: PLC0415 - only the API saves

        put: PutTypeDef = {
            "TableName": self._table.name,
            "Item": item_of(after, keys.settings(after.name)),
            "ConditionExpression": "attribute_not_exists(pk)",
        }
        if before is None:
            self._table.put_new(keys.namespace(after.name), key="pk")
        else:
            put["ConditionExpression"] = "revision = :revision"
            put["ExpressionAttributeValues"] = {":revision": number(before.revision)}
        return self._table.write_all([{"Put": put}, *recording(self._table.name, audit)]) is None


def decode_settings(item: ReadItem) -> Namespace:
    """The settings of a namespace's item.

    Raises:
        LookupError, ValueError, TypeError, OverflowError: when they cannot be read.
    """
    from minutehand.domain.namespace import Namespace  # noqa: PLC0415 - 2 ms, and most namespaces have no settings

    return thing_of(Namespace, item, name=item["pk"]["S"].removeprefix(keys.NAMESPACE))


def listed_page(
    table: Table,
    decode: Callable[[ReadItem], T],
    *,
    listing: str,
    prefix: str,
    namespace: str,
    limit: int,
    cursor: str | None,
) -> Page[T]:
    """A page of one of a namespace's lists, sorted by name.

    Args:
        listing: what is listed, for the cursor, such as `jobs`.
        prefix: what the sort keys of the list begin with, before the name.

    Raises:
        Invalid: for a cursor of another list.
    """
    return item_page(
        table,
        decode,
        listing=listing,
        of=namespace,
        partition=f"{keys.NAMESPACE}{namespace}",
        prefix=prefix,
        limit=limit,
        cursor=cursor,
    )


def item_page(
    table: Table,
    decode: Callable[[ReadItem], T],
    *,
    listing: str,
    of: str,
    partition: str,
    prefix: str,
    limit: int,
    cursor: str | None,
    descending: bool = False,
) -> Page[T]:
    """A page of the items of a partition whose sort keys begin with `prefix`, in order of the rest of these keys.

    Args:
        listing, of: what is listed, and whose, for the cursor.

    Raises:
        Invalid: for a cursor of another list.
    """
    after = "" if cursor is None else cursors.decode(cursor, listing=listing, of=of)
    found, more = items_after(table, partition, prefix, after, limit, descending=descending)
    next_ = None
    if found and more:
        next_ = cursors.encode(listing=listing, of=of, last=found[-1]["sk"]["S"].removeprefix(prefix))
    return Page(items=tuple(table.decoded(item, decode) for item in found), next=next_)


def items_after(
    table: Table, partition: str, prefix: str, after: str, limit: int, *, descending: bool = False
) -> tuple[Sequence[ReadItem], bool]:
    """The first `limit` items of a partition whose sort keys begin with `prefix` and go on after `after`, fewer where they are large; and
    whether there are more. One query."""
    items, last = table.query_once(
        KeyConditionExpression="pk = :pk AND begins_with(sk, :prefix)",
        ExpressionAttributeValues={":pk": text(partition), ":prefix": text(prefix)},
        ConsistentRead=True,
        ScanIndexForward=not descending,
        Limit=limit + 1,  # one more, to know whether there is a next page
        **({"ExclusiveStartKey": keys.key(partition, f"{prefix}{after}")} if after else {}),
    )
    return items[:limit], len(items) > limit or last is not None
