"""Store of services whose endpoints register themselves, in the Jobs table: one item for each service."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.calls.table import Store
from minutehand.adapters.dynamodb.codecs import keys
from minutehand.adapters.dynamodb.codecs.items import typed, untyped
from minutehand.adapters.dynamodb.codecs.values import EXPIRES_AT, epoch, number, read_number, read_text, text
from minutehand.adapters.dynamodb.namespaces import listed_page
from minutehand.domain.endpoint import Endpoint
from minutehand.domain.instants import from_text, to_text
from minutehand.domain.service import LONGEST_TTL, Registration, Service, ServiceKey

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem, Value
    from minutehand.usecases.ports.stores import Page

_CHANGES = "changes"
_REGISTERED = "registered "
_KEPT = LONGEST_TTL + timedelta(days=1)
"""How long the item is kept after its last change: longer than any registration counts."""


class DynamoServices(Store):
    """DynamoDB implementation of the port `Services`, over the Jobs table."""

    def get(self, key: ServiceKey) -> Service | None:
        item = next(iter(self._table.get_many([keys.service(key)])), None)
        return None if item is None else self._table.decoded(item, partial(_decode, key))

    def renew(self, key: ServiceKey, registration: Registration, now: datetime) -> bool:
        found = self._table.update_if(
            Key=keys.service(key),
            UpdateExpression="SET #registered = :registered, #expires = :expires",
            ConditionExpression="attribute_exists(#registered)",
            ExpressionAttributeNames={"#registered": _REGISTERED + registration.name, "#expires": EXPIRES_AT},
            ExpressionAttributeValues={":registered": _encoded(registration), ":expires": epoch(now + _KEPT)},
        )
        return found is None

    def add(self, before: Service, registration: Registration, now: datetime) -> bool:
        over = [each for each in before.registrations if each.until <= now and each.name != registration.name]
        names = {"#registered": _REGISTERED + registration.name, "#expires": EXPIRES_AT, "#changes": _CHANGES}
        names |= {f"#over{place}": _REGISTERED + each.name for place, each in enumerate(over)}
        # A renewal does not change `changes`.
        conditions = ["#changes = :changes" if before.changes else "attribute_not_exists(#changes)"]
        conditions += [f"#over{place}.#until = :over{place}" for place in range(len(over))]
        removes = f" REMOVE {', '.join(f'#over{place}' for place in range(len(over)))}" if over else ""
        values: Item = {":registered": _encoded(registration), ":expires": epoch(now + _KEPT), ":one": number(1)}
        values |= {f":over{place}": text(to_text(each.until)) for place, each in enumerate(over)}
        if over:
            names["#until"] = "until"
        if before.changes:
            values[":changes"] = number(before.changes)
        found = self._table.update_if(
            Key=keys.service(before.key),
            UpdateExpression=f"SET #registered = :registered, #expires = :expires ADD #changes :one{removes}",
            ConditionExpression=" AND ".join(conditions),
            ExpressionAttributeNames=names,
            ExpressionAttributeValues=values,
        )
        return found is None

    def remove(self, key: ServiceKey, name: str) -> bool:
        found = self._table.update_if(
            Key=keys.service(key),
            UpdateExpression="REMOVE #registered",
            ConditionExpression="attribute_exists(#registered)",
            ExpressionAttributeNames={"#registered": _REGISTERED + name},
        )
        return found is None

    def page(self, namespace: str, limit: int, cursor: str | None) -> Page[Service]:
        return listed_page(
            self._table,
            lambda item: _decode(ServiceKey(namespace, read_text(item, "sk").removeprefix(keys.SERVICE)), item),
            listing="services",
            prefix=keys.SERVICE,
            namespace=namespace,
            limit=limit,
            cursor=cursor,
        )


def _encoded(registration: Registration) -> Value:
    url, weight = registration.endpoint
    return typed({"url": url, "weight": weight, "until": to_text(registration.until)})


def _decode(key: ServiceKey, item: ReadItem) -> Service:
    return Service(
        key=key,
        changes=read_number(item, _CHANGES) if _CHANGES in item else 0,
        registrations=tuple(sorted(_registration(name, item[name]) for name in item if name.startswith(_REGISTERED))),
    )


def _registration(name: str, value: object) -> Registration:
    stored = untyped(value)
    endpoint = Endpoint(stored["url"], stored["weight"])
    return Registration(name.removeprefix(_REGISTERED), endpoint, from_text(stored["until"]))
