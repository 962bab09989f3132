"""Transaction that triggers a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.codecs import keys, payload_codec, run_codec, timer_codec
from minutehand.adapters.dynamodb.codecs.values import EXPIRES_AT, epoch, number, text
from minutehand.adapters.stored_runs import KEY_REMEMBERED, as_stored

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    from minutehand.domain.run import Run
    from minutehand.domain.timer import Deadline
    from minutehand.usecases.ports.stores import Payload


def triggering(
    table: str,
    jobs_table: str,
    run: Run,
    idempotency_key: str,
    deadline: Deadline,
    *,
    payload: Payload | None,
    since: int,
    shards: int,
) -> Sequence[TransactWriteItemTypeDef]:
    """The actions: the run, the record of the idempotency key (always second), the deadline and the run's own payload, if any.

    A record written by an earlier version has no revision and counts until it expires.
    """
    used = keys.idempotency(run.key.job, idempotency_key)
    until = min(run.claimed_at + KEY_REMEMBERED, run.expires_at)
    actions: list[TransactWriteItemTypeDef] = [
        {
            "Put": {
                "TableName": table,
                "Item": run_codec.encode(run),
                "ConditionExpression": "attribute_not_exists(job)",
            }
        },
        {
            "Put": {
                "TableName": jobs_table,
                "Item": {
                    **used,
                    "run_id": text(run.key.run_id),
                    "revision": number(run.revision),
                    EXPIRES_AT: epoch(until),
                },
                # DynamoDB deletes expired items hours later
                "ConditionExpression": f"attribute_not_exists(pk) OR {EXPIRES_AT} <= :now OR revision < :since",
                "ExpressionAttributeValues": {
                    ":now": number(int(run.claimed_at.timestamp())),
                    ":since": number(since),
                },
                "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
            }
        },
        {"Put": {"TableName": jobs_table, "Item": timer_codec.encode_deadline(deadline, shards=shards)}},
    ]
    if payload is not None:
        kept = payload_codec.encode(run.key, payload, as_stored(run).expires_at)
        actions.append({"Put": {"TableName": table, "Item": kept}})
    return actions
