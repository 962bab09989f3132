"""Who depends on whom, as parts of the transaction that saves a job: each parent's definition keeps the set of its children."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.codecs import keys
from minutehand.adapters.dynamodb.codecs.definition_codec import CHILDREN
from minutehand.adapters.dynamodb.codecs.values import number
from minutehand.domain.job import Definition
from minutehand.usecases.ports.job_change import Change

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    from minutehand.adapters.dynamodb.codecs.values import Item


def as_read(definition: Definition) -> tuple[str, Item]:
    """The condition that a definition still has the children that it had when it was read, for what writes it whole."""
    if not definition.children:
        return f"attribute_not_exists({CHILDREN})", {}
    return f"{CHILDREN} = :children", {":children": {"SS": sorted(map(str, definition.children))}}


def actions(table: str, change: Change) -> Iterator[TransactWriteItemTypeDef]:
    """What a change writes besides the job's own items."""
    child: Item = {":child": {"SS": [str(change.after.job.key)]}}
    for parent, revision in change.parents.items():
        yield {
            "Update": {
                "TableName": table,
                "Key": keys.definition(parent),
                "UpdateExpression": f"ADD {CHILDREN} :child",
                "ConditionExpression": "revision = :revision",
                "ExpressionAttributeValues": {**child, ":revision": number(revision)},
            }
        }
    for parent in change.parents_removed:
        yield {
            "Update": {
                "TableName": table,
                "Key": keys.definition(parent),
                "UpdateExpression": f"DELETE {CHILDREN} :child",
                "ConditionExpression": "attribute_exists(pk)",
                "ExpressionAttributeValues": child,
            }
        }
    if change.graph is not None:
        unchanged = "version = :read" if change.graph else "attribute_not_exists(pk)"
        yield {
            "Update": {
                "TableName": table,
                "Key": keys.graph(),
                "UpdateExpression": "SET version = :next",
                "ConditionExpression": unchanged,
                "ExpressionAttributeValues": {
                    ":next": number(change.graph + 1),
                    **({":read": number(change.graph)} if change.graph else {}),
                },
            }
        }
