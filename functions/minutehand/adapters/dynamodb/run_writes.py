"""Conditional writes of runs: updates, and the transaction that triggers a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from minutehand.adapters.dynamodb.calls.table import update_expression
from minutehand.adapters.dynamodb.codecs import keys, run_codec
from minutehand.adapters.dynamodb.codecs.values import EXPIRES_AT, epoch, number, text
from minutehand.adapters.stored_runs import FENCE, KEY_REMEMBERED, as_stored
from minutehand.domain.run import Run
from minutehand.domain.transitions import check

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem
    from minutehand.usecases.ports.stores import Payload


class RunUpdate(NamedTuple):
    """An update of a run, and its condition.

    Attributes:
        after: the run as it will be stored.
        old, new: the attributes that differ, and the compared ones.
        changed: the attributes that the update sets or removes.
        compared: the attributes that must be as they were read.
    """

    before: Run
    after: Run
    old: Item
    new: Item
    changed: Sequence[str]
    compared: Sequence[str]

    @classmethod
    def of(cls, before: Run, after: Run) -> RunUpdate:
        """The update from `before` to `after`; raises IllegalMove for a transition that does not exist."""
        check(before, after)
        after = as_stored(after)
        old, new = run_codec.encode_change(before, after, FENCE)
        changed = [name for name in {**old, **new} if old.get(name) != new.get(name)]
        return cls(before, after, old, new, changed, list(dict.fromkeys((*FENCE, *changed))))

    def request(self) -> dict[str, Any]:
        """The arguments of UpdateItem."""
        known = tuple([name for name in self.compared if name in self.old])
        written = tuple([name for name in self.changed if name in self.new])
        return {
            "Key": run_codec.key(self.before.key),
            **_expressions(tuple(self.compared), tuple(self.changed), known, written),
            "ExpressionAttributeValues": {
                **{f":old_{name}": self.old[name] for name in known},
                **{f":{name}": self.new[name] for name in written},
            },
        }

    def is_made(self, found: ReadItem) -> bool:
        """Whether an item is as the update leaves it: an earlier try of this call has succeeded."""
        return all(found.get(name) == self.new.get(name) for name in self.compared)


@lru_cache(maxsize=256)
def _expressions(
    compared: tuple[str, ...], changed: tuple[str, ...], known: tuple[str, ...], written: tuple[str, ...]
) -> Mapping[str, Any]:
    """The expressions of an update, which are the same for most runs.

    Args:
        known: those of the compared attributes that the item has.
        written: those of the changed attributes that the update sets; it removes the others.
    """
    return {
        "UpdateExpression": update_expression(changed, written),
        "ConditionExpression": " AND ".join(
            f"#{name} = :old_{name}" if name in known else f"attribute_not_exists(#{name})" for name in compared
        ),
        "ExpressionAttributeNames": {f"#{name}": name for name in compared},
    }


def triggering(
    table: str,
    jobs_table: str,
    run: Run,
    idempotency_key: str,
    put_deadline: TransactWriteItemTypeDef,
    *,
    payload: Payload | None,
    since: int,
) -> Sequence[TransactWriteItemTypeDef]:
    """The actions of the transaction that triggers a run. They store the run, the record of its idempotency key (always the second
    action), a deadline and the run's own payload, if any.

    The record of an earlier version of Minutehand has no revision, so it counts until it expires.
    """
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
                    **keys.idempotency(run.key.job, idempotency_key),
                    "run_id": text(run.key.run_id),
                    "revision": number(run.revision),
                    EXPIRES_AT: epoch(until),
                },
                # an expired record may still exist: DynamoDB deletes items hours after they expire
                "ConditionExpression": f"attribute_not_exists(pk) OR {EXPIRES_AT} <= :now OR revision < :since",
                "ExpressionAttributeValues": {":now": number(int(run.claimed_at.timestamp())), ":since": number(since)},
                "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
            }
        },
        put_deadline,
    ]
    if payload is not None:
        kept = run_codec.encode_payload(run.key, payload, as_stored(run).expires_at)
        actions.append({"Put": {"TableName": table, "Item": kept}})
    return actions
