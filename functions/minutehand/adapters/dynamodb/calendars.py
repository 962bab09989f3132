"""Store of calendars, in the Jobs table."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from minutehand.adapters import cursors
from minutehand.adapters.dynamodb.calls.table import Table
from minutehand.adapters.dynamodb.codecs import keys
from minutehand.adapters.dynamodb.codecs.values import instant, number
from minutehand.usecases.ports.stores import Page

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem
    from minutehand.domain.calendar import Calendar, CalendarKey

# A calendar that was deleted and created again starts at revision 1 again; updated_at tells the two apart.
_AS_READ = "revision = :read_revision AND updated_at = :read_at"


class DynamoCalendars:
    """The port `Calendars`.

    Args:
        table: name of the Jobs table.
    """

    def __init__(self, client: DynamoDBClient, table: str, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._table = Table(client=client, name=table, sleep=sleep)

    def get(self, calendars: Sequence[CalendarKey]) -> Mapping[CalendarKey, Calendar]:
        """See `Calendars.get`.

        Raises:
            Unavailable: also if one was written by a later version and cannot be read. Without it, jobs would run that it blocks.
        """
        stored = [keys.calendar(calendar) for calendar in dict.fromkeys(calendars)]
        found = map(self._decode, self._table.get_many(stored))
        return {calendar.key: calendar for calendar in found}

    def _decode(self, item: ReadItem) -> Calendar:
        from minutehand.adapters.dynamodb.codecs import calendar_codec  # noqa: PLC0415 - 3 ms with the domain, and most jobs name no calendar

        return self._table.decoded(item, calendar_codec.decode)

    def save(self, before: Calendar | None, after: Calendar) -> bool:
        """See `Calendars.save`."""
        from minutehand.adapters.dynamodb.codecs import calendar_codec  # noqa: PLC0415 - 3 ms with the domain, and most jobs name no calendar

        item = calendar_codec.encode(after)
        if before is None:
            return self._table.put_new(item, key="pk")
        key = keys.calendar(after.key)
        changed = [name for name in item if name not in key]
        values: Item = {f":{name}": item[name] for name in changed}
        refused = self._table.update_if(
            Key=key,
            UpdateExpression="SET " + ", ".join(f"#{name} = :{name}" for name in changed),
            ConditionExpression=_AS_READ,
            ExpressionAttributeNames={f"#{name}": name for name in changed},  # a later version's may be reserved words
            ExpressionAttributeValues=values | _as_read(before),
        )
        return refused is None

    def delete(self, calendar: Calendar) -> bool:
        """See `Calendars.delete`."""
        from minutehand.adapters.dynamodb.codecs.calendar_codec import USED_BY  # noqa: PLC0415 - 3 ms with the domain, and most jobs name no calendar

        unused = f"(attribute_not_exists({USED_BY}) OR {USED_BY} = :none)"
        return self._table.delete_if(
            keys.calendar(calendar.key),
            condition=f"{_AS_READ} AND {unused}",
            values=_as_read(calendar) | {":none": number(0)},
        )

    def page(self, namespace: str, limit: int, cursor: str | None) -> Page[Calendar]:
        """See `Calendars.page`."""
        from minutehand.domain.calendar import CalendarKey  # noqa: PLC0415 - 3 ms with the domain, and most jobs name no calendar

        request: dict[str, object] = {}
        if cursor is not None:
            name = cursors.decode(cursor, listing="calendars", of=namespace)
            request["ExclusiveStartKey"] = keys.calendar(CalendarKey(namespace=namespace, name=name))
        items, last = self._table.query_once(
            KeyConditionExpression="pk = :pk AND begins_with(sk, :calendar)",
            ExpressionAttributeValues={":pk": {"S": f"NAMESPACE#{namespace}"}, ":calendar": {"S": keys.CALENDAR}},
            ConsistentRead=True,
            Limit=limit + 1,  # one more, to know whether there is a next page
            **request,
        )
        found = tuple(map(self._decode, items[:limit]))
        more = found and (len(items) > limit or last is not None)
        return Page(
            items=found,
            next=cursors.encode(listing="calendars", of=namespace, last=found[-1].key.name) if more else None,
        )


def _as_read(calendar: Calendar) -> Item:
    return {":read_revision": number(calendar.revision), ":read_at": instant(calendar.updated_at)}
