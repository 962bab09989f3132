"""Store of the state of jobs' endpoints, in the Jobs table: one item for each job that has several."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.calls.table import Store
from minutehand.adapters.dynamodb.codecs import keys
from minutehand.adapters.dynamodb.codecs.values import (
    EXPIRES_AT,
    epoch,
    instant,
    number,
    read_epoch,
    read_instant,
    read_number,
)
from minutehand.domain.balance import Balance, Hold

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem
    from minutehand.domain.balance import CallEnd
    from minutehand.domain.job_key import JobKey

_TICKETS = "tickets"
# One attribute for each number, so that each changes atomically: `failures URL`, `ejected URL`, `held EPOCH URL`.
_FAILURES, _EJECTED, _HELD = "failures ", "ejected ", "held "
_KEPT = timedelta(days=30)
"""How long the state is kept after the last call."""


class DynamoBalances(Store):
    """DynamoDB implementation of the port `Balances`. The role of a worker allows no more than these calls."""

    def get(self, job: JobKey) -> Balance:
        item = next(iter(self._table.get_many([keys.balance(job)])), None)
        return Balance() if item is None else self._table.decoded(item, _decode)

    def draw(self, job: JobKey, now: datetime) -> Balance:
        update = _Update(now)
        update.add(_TICKETS, 1)
        item = self._table.updated(Key=keys.balance(job), ReturnValues="ALL_NEW", **update.request())
        return self._table.decoded(item, _decode)

    def take(self, job: JobKey, before: Balance, hold: Hold, now: datetime) -> Balance | None:
        update = _Update(now)
        update.add(_TICKETS, 1)
        update.add(_name(hold), 1)
        update.remove(_name(each) for each in before.over(now))
        condition = f"{update.named(_TICKETS)} = :before"
        if not before.tickets:
            condition = f"attribute_not_exists({update.named(_TICKETS)})"
        else:
            update.values[":before"] = number(before.tickets)
        found = self._table.update_if(Key=keys.balance(job), ConditionExpression=condition, **update.request())
        if found is None:
            return None
        return self._table.decoded(found, _decode) if found else Balance()

    def record(self, job: JobKey, end: CallEnd, now: datetime) -> None:
        update, failures = _Update(now), _FAILURES + end.endpoint
        if end.hold is not None:
            update.add(_name(end.hold), -1)
        if end.failed:
            update.add(failures, 1)
            update.remove(kind + url for url in end.gone for kind in (_FAILURES, _EJECTED))
        elif end.failed is False:
            update.remove((failures, _EJECTED + end.endpoint))
        item = self._table.updated(Key=keys.balance(job), ReturnValues="UPDATED_NEW", **update.request())
        if end.failed and read_number(item, failures) >= end.rule.after:
            ejection = _Update(now)
            ejection.set(_EJECTED + end.endpoint, instant(now + end.rule.lasts))
            self._table.update(Key=keys.balance(job), **ejection.request())


class _Update:
    """An update of the item, as it is put together."""

    def __init__(self, now: datetime) -> None:
        self.values: Item = {}
        self._names: dict[str, str] = {}
        self._clauses: dict[str, list[str]] = {}
        self.set(EXPIRES_AT, epoch(now + _KEPT))

    def named(self, attribute: str) -> str:
        """The placeholder of an attribute's name."""
        return self._names.setdefault(attribute, f"#n{len(self._names)}")

    def add(self, attribute: str, change: int) -> None:
        self._clauses.setdefault("ADD", []).append(f"{self.named(attribute)} {self._value(number(change))}")

    def set(self, attribute: str, value: object) -> None:
        self._clauses.setdefault("SET", []).append(f"{self.named(attribute)} = {self._value(value)}")

    def remove(self, attributes: Iterable[str]) -> None:
        for attribute in attributes:
            self._clauses.setdefault("REMOVE", []).append(self.named(attribute))

    def request(self) -> dict[str, object]:
        """The parameters of the update."""
        return {
            "UpdateExpression": " ".join(f"{verb} {', '.join(parts)}" for verb, parts in self._clauses.items()),
            "ExpressionAttributeNames": {placeholder: name for name, placeholder in self._names.items()},
            "ExpressionAttributeValues": self.values,
        }

    def _value(self, value: object) -> str:
        name = f":v{len(self.values)}"
        self.values[name] = value  # type: ignore[assignment]  # a DynamoDB value
        return name


def _name(hold: Hold) -> str:
    return f"{_HELD}{epoch(hold.until)['N']} {hold.endpoint}"


def _decode(item: ReadItem) -> Balance:
    return Balance(
        tickets=read_number(item, _TICKETS) if _TICKETS in item else 0,
        failures={name.removeprefix(_FAILURES): read_number(item, name) for name in item if name.startswith(_FAILURES)},
        ejected={name.removeprefix(_EJECTED): read_instant(item, name) for name in item if name.startswith(_EJECTED)},
        held={_hold(name): read_number(item, name) for name in item if name.startswith(_HELD)},
    )


def _hold(name: str) -> Hold:
    until, _, url = name.removeprefix(_HELD).partition(" ")
    return Hold(url, read_epoch({"until": {"N": until}}, "until"))
