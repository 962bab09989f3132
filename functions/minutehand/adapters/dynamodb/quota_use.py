"""Store of the use of namespaces' quotas, in the Jobs table: a number of jobs, and the places in minutes that were given out."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.calls.table import Store
from minutehand.adapters.dynamodb.codecs import keys
from minutehand.adapters.dynamodb.codecs.values import instant, number, read_instant, read_number, text

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    from minutehand.adapters.dynamodb.codecs.values import ReadItem
    from minutehand.domain.quota import JobCount, Pace


class DynamoQuotaUse(Store):
    """DynamoDB implementation of the port `QuotaUse`, over the Jobs table."""

    def job_count(self, namespace: str) -> JobCount | None:
        found = list(self._table.get_many([keys.job_count(namespace)]))
        return self._table.decoded(found[0], _job_count) if found else None

    def count_jobs(self, namespace: str) -> int:
        pages = self._table.query(
            KeyConditionExpression="pk = :pk AND begins_with(sk, :job)",
            ExpressionAttributeValues={":pk": text(f"{keys.NAMESPACE}{namespace}"), ":job": text(keys.JOB)},
            ProjectionExpression="sk",
            ConsistentRead=True,
        )
        return sum(map(len, pages))

    def save_job_count(self, namespace: str, before: JobCount | None, after: JobCount) -> bool:
        written = {"jobs": number(after.jobs), "counted_at": instant(after.at), "version": number(after.version)}
        item = {**keys.job_count(namespace), **written}
        if before is None:
            return self._table.put_new(item, key="pk")
        return self._table.put_if(item, condition="version = :read", values={":read": number(before.version)})

    def pace(self, namespace: str) -> Pace:
        from minutehand.domain.quota import NO_PACE  # noqa: PLC0415 - most namespaces have no quota

        found = list(self._table.get_many([keys.pace(namespace)]))
        return self._table.decoded(found[0], _pace) if found else NO_PACE

    def take_place(self, namespace: str) -> Pace:
        taken = self._table.updated(
            Key=keys.pace(namespace),
            UpdateExpression="ADD taken :one",
            ExpressionAttributeValues={":one": number(1)},
            ReturnValues="ALL_NEW",
        )
        return self._table.decoded(taken, _pace)

    def restart_pace(
        self, namespace: str, since: datetime | None, minute: datetime, *, most_taken: int | None = None
    ) -> bool:
        values = {":minute": instant(minute), ":one": number(1)}
        condition = "attribute_not_exists(since)" if since is None else "since = :since"
        if since is not None:
            values[":since"] = instant(since)
        if most_taken is not None:
            values[":most"] = number(most_taken)
            condition += " AND taken <= :most"
        return self._table.update_where(
            Key=keys.pace(namespace),
            UpdateExpression="SET since = :minute, taken = :one",
            ConditionExpression=condition,
            ExpressionAttributeValues=values,
        )


def counting(table: str, namespace: str, most: int) -> TransactWriteItemTypeDef:
    """The transaction action that adds a job to the stored number, if that is less than `most`."""
    return {
        "Update": {
            "TableName": table,
            "Key": keys.job_count(namespace),
            "UpdateExpression": "ADD jobs :one, version :one",
            "ConditionExpression": "jobs < :most",
            "ExpressionAttributeValues": {":one": number(1), ":most": number(most)},
        }
    }


def _job_count(item: ReadItem) -> JobCount:
    from minutehand.domain.quota import JobCount  # noqa: PLC0415 - most namespaces have no quota

    return JobCount(read_number(item, "jobs"), read_instant(item, "counted_at"), read_number(item, "version"))


def _pace(item: ReadItem) -> Pace:
    from minutehand.domain.quota import Pace  # noqa: PLC0415 - most namespaces have no quota

    return Pace(read_instant(item, "since") if "since" in item else None, read_number(item, "taken"))
