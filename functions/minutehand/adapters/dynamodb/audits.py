"""Store of the records of changes, in the Jobs table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minutehand.adapters import cursors
from minutehand.adapters.dynamodb.calls.table import Store
from minutehand.adapters.dynamodb.codecs import audit_codec, keys
from minutehand.adapters.dynamodb.codecs.values import text
from minutehand.domain.audit import place_of
from minutehand.usecases.ports.audits import MOST_RECORDS_LOOKED_AT
from minutehand.usecases.ports.stores import Page

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.codecs.values import Item
    from minutehand.domain.audit import AuditRecord
    from minutehand.usecases.ports.audits import Wanted

_FIRST, _LAST = "0", "~"
"""Texts before and after the beginning of every record's id."""


class DynamoAudits(Store):
    """DynamoDB implementation of the port `Audits`."""

    def add(self, record: AuditRecord) -> None:
        self._table.write_all(audit_codec.recording(self._table.name, record))

    def page(self, namespace: str, wanted: Wanted, limit: int, cursor: str | None) -> Page[AuditRecord]:
        partition = keys.audits(namespace, wanted.job)
        first = place_of(wanted.start) if wanted.start else _FIRST
        last = place_of(wanted.end) if wanted.end else _LAST
        if last <= first:
            return Page((), None)
        request: dict[str, Any] = {}
        if cursor is not None:
            last_id = cursors.decode(cursor, listing="audit", of=wanted.query(namespace))
            request["ExclusiveStartKey"] = keys.key(partition, last_id)
        names, values = {}, {":pk": text(partition), ":first": text(first), ":last": text(last)}
        given = {"actor": wanted.actor, "action": wanted.action.value if wanted.action else ""}
        filters: Item = {f":{name}": text(value) for name, value in given.items() if value}
        if filters:
            names = {f"#{name}": name for name, value in given.items() if value}
            request |= {
                "FilterExpression": " AND ".join(f"#{name[1:]} = {name}" for name in filters),
                "ExpressionAttributeNames": names,
            }
        items, last_key = self._table.query_once(
            KeyConditionExpression="pk = :pk AND sk BETWEEN :first AND :last",
            ExpressionAttributeValues=values | filters,
            ConsistentRead=True,
            ScanIndexForward=False,
            Limit=MOST_RECORDS_LOOKED_AT if filters else limit + 1,
            **request,
        )
        found = items[:limit]
        ends = found[-1]["sk"]["S"] if len(items) > limit else last_key["sk"]["S"] if last_key is not None else None
        return Page(
            items=tuple(self._table.decoded(item, audit_codec.decode) for item in found),
            next=cursors.encode(listing="audit", of=wanted.query(namespace), last=ends) if ends else None,
        )
