"""Store of backfills, in the partitions of their jobs in the Jobs table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minutehand.adapters.cursors import page_of_backfills
from minutehand.adapters.dynamodb.calls.table import TimerStore, update_expression
from minutehand.adapters.dynamodb.codecs import keys, timer_codec
from minutehand.adapters.dynamodb.codecs.items import item_of, thing_of
from minutehand.adapters.dynamodb.codecs.values import EXPIRES_AT, epoch, number, read_instant, read_text, text
from minutehand.domain.errors import Unavailable
from minutehand.domain.retention import DEFAULT_RETENTION

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import PutTypeDef

    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem
    from minutehand.domain.audit import AuditRecord
    from minutehand.domain.backfill import Backfill
    from minutehand.domain.job_key import JobKey
    from minutehand.usecases.ports.stores import Page


class DynamoBackfills(TimerStore):
    """DynamoDB implementation of the port `Backfills`."""

    def create(self, backfill: Backfill, audit: AuditRecord | None = None) -> Backfill:
        from minutehand.adapters.dynamodb.codecs.audit_codec import recording  # noqa: PLC0415 - only the API starts backfills

        put: PutTypeDef = {
            "TableName": self._table.name,
            "Item": self._encode(backfill),
            "ConditionExpression": "attribute_not_exists(pk)",
        }
        if self._table.write_all([{"Put": put}, *recording(self._table.name, audit)]) is None:
            return backfill
        stored = self.get(backfill.job, backfill.id)
        if stored is None:
            raise Unavailable(
                f"backfill {backfill.id} of {backfill.job} disappeared while it was being created; try again"
            )
        return stored

    def get(self, job: JobKey, backfill: str) -> Backfill | None:
        """One backfill of a job, or None. Reads with BatchGetItem, so that it needs no permission for GetItem."""
        items = self._table.get_many([keys.backfill(job, backfill)])
        return next((self._table.decoded(item, _decode) for item in items), None)

    def _encode(self, backfill: Backfill) -> Item:
        """The item of a backfill. It is in the index `due` while the backfill is active, and expires 30 days after the end."""
        item = item_of(backfill, keys.backfill(backfill.job, backfill.id))
        if backfill.finished_at is not None:
            item[EXPIRES_AT] = epoch(backfill.finished_at + DEFAULT_RETENTION)
        if backfill.next_at is not None:
            item |= timer_codec.due(backfill.job, backfill.next_at, self._shards)
        return item

    def save(self, before: Backfill, after: Backfill, audit: AuditRecord | None = None) -> bool:
        old, new = self._encode(before), self._encode(after)
        changed = [name for name in {**old, **new} if old.get(name) != new.get(name)]
        update: Any = {
            "Key": keys.backfill(before.job, before.id),
            "UpdateExpression": update_expression(changed, new),
            "ConditionExpression": "#version = :read_version",
            "ExpressionAttributeNames": {f"#{name}": name for name in {*changed, "version"}},
            "ExpressionAttributeValues": {
                ":read_version": number(before.version),
                **{f":{name}": new[name] for name in changed if name in new},
            },
        }
        if audit is None:
            return self._table.update_if(**update) is None
        from minutehand.adapters.dynamodb.codecs.audit_codec import recording  # noqa: PLC0415 - nobody asks for a worker's steps

        update["TableName"] = self._table.name
        return self._table.write_all([{"Update": update}, *recording(self._table.name, audit)]) is None

    def page(self, job: JobKey, limit: int, cursor: str | None) -> Page[Backfill]:
        pages = self._table.query(
            KeyConditionExpression="pk = :pk AND begins_with(sk, :backfill)",
            ExpressionAttributeValues={":pk": text(f"{keys.JOB}{job}"), ":backfill": text(keys.BACKFILL)},
            ConsistentRead=True,
        )
        return page_of_backfills(
            [self._table.decoded(item, _decode) for page in pages for item in page], job, limit, cursor
        )


def _decode(item: ReadItem) -> Backfill:
    from minutehand.domain.backfill import Backfill  # noqa: PLC0415 - 14 ms, and most ticks and batches meet no backfill

    return thing_of(
        Backfill,
        item,
        besides=(EXPIRES_AT, *timer_codec.DUE),
        job=keys.read_job(item),
        id=read_text(item, "sk").removeprefix(keys.BACKFILL),
        next_at=read_instant(item, "next_at") if "next_at" in item else None,
    )
