"""Store of calendars, in the Jobs table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.calls.table import Store, update_expression
from minutehand.adapters.dynamodb.codecs import keys
from minutehand.adapters.dynamodb.codecs.values import instant, number
from minutehand.adapters.dynamodb.namespaces import listed_page

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import DeleteTypeDef, TransactWriteItemTypeDef, UpdateTypeDef

    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem
    from minutehand.domain.audit import AuditRecord
    from minutehand.domain.calendar import Calendar, CalendarKey
    from minutehand.usecases.ports.stores import Page

# A calendar that was deleted and created again starts at revision 1 again; updated_at tells the two apart.
_AS_READ = "revision = :read_revision AND updated_at = :read_at"


class DynamoCalendars(Store):
    """DynamoDB implementation of the port `Calendars`, over the Jobs table."""

    def get(self, calendars: Sequence[CalendarKey]) -> Mapping[CalendarKey, Calendar]:
        """Calendars by key.

        Raises:
            Unavailable: also if a calendar was written by a later version and cannot be read. Left out, it would block no runs.
        """
        stored = [keys.calendar(calendar) for calendar in dict.fromkeys(calendars)]
        found = (self._table.decoded(item, _decode) for item in self._table.get_many(stored))
        return {calendar.key: calendar for calendar in found}

    def save(self, before: Calendar | None, after: Calendar, audit: AuditRecord | None = None) -> bool:
        from minutehand.adapters.dynamodb.codecs import calendar_codec  # noqa: PLC0415 - 3 ms, and most jobs name no calendar

        item = calendar_codec.encode(after)
        if before is None:
            self._table.put_new(keys.namespace(after.key.namespace), key="pk")
            return self._write(
                {
                    "Put": {
                        "TableName": self._table.name,
                        "Item": item,
                        "ConditionExpression": "attribute_not_exists(pk)",
                    }
                },
                audit,
            )
        key = keys.calendar(after.key)
        changed = [name for name in item if name not in key]
        values: Item = {f":{name}": item[name] for name in changed}
        update: UpdateTypeDef = {
            "TableName": self._table.name,
            "Key": key,
            "UpdateExpression": update_expression(changed, item),
            "ConditionExpression": _AS_READ,
            "ExpressionAttributeNames": {f"#{name}": name for name in changed},  # later versions may use reserved words
            "ExpressionAttributeValues": values | _as_read(before),
        }
        return self._write({"Update": update}, audit)

    def delete(self, calendar: Calendar, audit: AuditRecord | None = None) -> bool:
        from minutehand.adapters.dynamodb.codecs.calendar_codec import USED_BY  # noqa: PLC0415 - 3 ms, and most jobs name no calendar

        unused = f"(attribute_not_exists({USED_BY}) OR {USED_BY} = :none)"
        delete: DeleteTypeDef = {
            "TableName": self._table.name,
            "Key": keys.calendar(calendar.key),
            "ConditionExpression": f"{_AS_READ} AND {unused}",
            "ExpressionAttributeValues": _as_read(calendar) | {":none": number(0)},
        }
        return self._write({"Delete": delete}, audit)

    def _write(self, action: TransactWriteItemTypeDef, audit: AuditRecord | None) -> bool:
        from minutehand.adapters.dynamodb.codecs.audit_codec import recording  # noqa: PLC0415 - only the API saves

        return self._table.write_all([action, *recording(self._table.name, audit)]) is None

    def page(self, namespace: str, limit: int, cursor: str | None) -> Page[Calendar]:
        return listed_page(
            self._table,
            _decode,
            listing="calendars",
            prefix=keys.CALENDAR,
            namespace=namespace,
            limit=limit,
            cursor=cursor,
        )


def _decode(item: ReadItem) -> Calendar:
    from minutehand.adapters.dynamodb.codecs import calendar_codec  # noqa: PLC0415 - 3 ms, and most jobs name no calendar

    return calendar_codec.decode(item)


def _as_read(calendar: Calendar) -> Item:
    return {":read_revision": number(calendar.revision), ":read_at": instant(calendar.updated_at)}
