"""Store of permits (overlap locks and concurrency slots), in the Jobs table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.calls.table import Store
from minutehand.adapters.dynamodb.codecs import keys
from minutehand.adapters.dynamodb.codecs.values import number, read_number, read_text, text
from minutehand.domain.job_key import JobKey
from minutehand.domain.run_key import RunKey

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem
    from minutehand.domain.overlap_lock import Permit, PermitKey
    from minutehand.domain.run import Run


class DynamoPermits(Store):
    """DynamoDB implementation of the port `Permits`, over the Jobs table."""

    def get(self, keys_: Sequence[PermitKey]) -> Mapping[PermitKey, Permit]:
        found = {
            (item["pk"]["S"], item["sk"]["S"]): item
            for item in self._table.get_many([keys.permit(key) for key in dict.fromkeys(keys_)])
        }
        permits = {}
        for key in keys_:
            stored = keys.permit(key)
            item = found.get((stored["pk"]["S"], stored["sk"]["S"]), {})
            permits[key] = self._table.decoded(item, partial(_permit, key))
        return permits

    def wait(self, key: PermitKey, run_id: str) -> None:
        self._update(key, "ADD", [run_id])

    def forget(self, key: PermitKey, run_ids: Sequence[str]) -> None:
        if run_ids:
            self._update(key, "DELETE", run_ids)

    def _update(self, key: PermitKey, verb: str, run_ids: Sequence[str]) -> None:
        self._table.update(
            Key=keys.permit(key),
            UpdateExpression=f"{verb} waiting :runs",
            ExpressionAttributeValues={":runs": {"SS": list(run_ids)}},
        )


def _permit(key: PermitKey, item: ReadItem) -> Permit:
    from minutehand.domain.overlap_lock import Permit  # noqa: PLC0415 - 2 ms, and no tick reads a permit

    holder = None
    if "holder" in item:
        holder = RunKey(JobKey.of(read_text(item, "holder_job")), read_text(item, "holder"))
    return Permit(
        key=key,
        holder=holder,
        attempt=read_number(item, "attempt") if "attempt" in item else 0,
        waiting=tuple(sorted(item["waiting"]["SS"])) if "waiting" in item else (),
    )


def taking(table: str, permit: Permit, run: Run) -> TransactWriteItemTypeDef:
    """The transaction action that takes a permit for a run, if its holder is as it was read."""
    values: Item = {
        ":job": text(str(run.key.job)),
        ":run": text(run.key.run_id),
        ":attempt": number(run.attempt),
        ":runs": {"SS": [run.key.run_id]},
    }
    condition = "attribute_not_exists(holder)"
    if permit.holder is not None:
        values |= {
            ":old_job": text(str(permit.holder.job)),
            ":old_run": text(permit.holder.run_id),
            ":old_attempt": number(permit.attempt),
        }
        condition = "holder_job = :old_job AND holder = :old_run AND attempt = :old_attempt"
    return {
        "Update": {
            "TableName": table,
            "Key": keys.permit(permit.key),
            "UpdateExpression": "SET holder_job = :job, holder = :run, attempt = :attempt DELETE waiting :runs",
            "ConditionExpression": condition,
            "ExpressionAttributeValues": values,
        }
    }
