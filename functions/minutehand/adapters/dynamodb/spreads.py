"""Store of spreads, in the Runs table: an item for each attempt of a run on several nodes."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.calls.statements import execute, insertion
from minutehand.adapters.dynamodb.calls.table import Store
from minutehand.adapters.dynamodb.codecs.items import item_of, thing_of
from minutehand.adapters.dynamodb.codecs.values import EXPIRES_AT, epoch, number, text
from minutehand.domain.errors import Unavailable

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem
    from minutehand.domain.run_key import RunKey
    from minutehand.domain.spread import Spread

_WRITTEN = (None, "DuplicateItem")


class DynamoSpreads(Store):
    """DynamoDB implementation of the port `Spreads`. It writes as claims of runs do, and needs no other permission."""

    def create(self, spread: Spread, expires_at: datetime) -> Spread:
        item = item_of(spread, _key(spread.parent, spread.attempt)) | {EXPIRES_AT: epoch(expires_at)}
        [code] = execute(self._table, [insertion(self._table, item)])
        if code is None:
            return spread
        stored = self.get(spread.parent, spread.attempt) if code in _WRITTEN else None
        if stored is None:
            raise Unavailable(
                f"the nodes of run {spread.parent.run_id} of {spread.parent.job} could not be stored: {code}"
            )
        return stored

    def get(self, parent: RunKey, attempt: int) -> Spread | None:
        items = self._table.get_many([_key(parent, attempt)])
        return next((self._table.decoded(item, lambda one: _decode(one, parent, attempt)) for item in items), None)

    def save(self, before: Spread, after: Spread) -> bool:
        changes = {"taken": number(after.taken), "closed": {"BOOL": after.closed}, "version": number(after.version)}
        refused = self._table.update_if(
            Key=_key(before.parent, before.attempt),
            UpdateExpression="SET #taken = :taken, #closed = :closed, #version = :version",
            ConditionExpression="#version = :read",
            ExpressionAttributeNames={f"#{name}": name for name in changes},
            ExpressionAttributeValues={
                ":read": number(before.version),
                **{f":{name}": value for name, value in changes.items()},
            },
        )
        return refused is None


def _key(parent: RunKey, attempt: int) -> Item:
    """The key of a spread, in a partition apart, so that listing runs does not read it; no job name contains a `#`."""
    return {"job": text(f"{parent.job}#nodes"), "run_id": text(f"{parent.run_id}#{attempt}")}


def _decode(item: ReadItem, parent: RunKey, attempt: int) -> Spread:
    from minutehand.domain.spread import Spread  # noqa: PLC0415 - few runs are on several nodes

    return thing_of(Spread, item, besides=(EXPIRES_AT, "job", "run_id"), parent=parent, attempt=attempt)
