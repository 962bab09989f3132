"""Updates of timers: attributes, conditions and transaction actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.codecs import keys
from minutehand.adapters.dynamodb.codecs.values import number, seconds, whole
from minutehand.usecases.ports.stores import Move

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    from minutehand.adapters.dynamodb.codecs.values import Item


def changed_attributes(move: Move) -> Item:
    """The attributes that an update sets."""
    attributes: Item = {}
    if move.new is not None:
        attributes["next_at"] = whole(move.new)
    if move.offset is not None:
        attributes["utc_offset"] = seconds(move.offset)
    if move.runs_left is not None:
        attributes["runs_left"] = number(move.runs_left)
    return attributes


def expected_attributes(move: Move) -> Item:
    """The attributes that must be as they were read.

    Unreadable attributes of a broken timer are not compared, so that it can be advanced too.
    """
    attributes: Item = {}
    if move.old is not None:
        attributes["next_at"] = whole(move.old)
    if move.revision is not None:
        attributes["revision"] = number(move.revision)
    return attributes


def update_action(table: str, move: Move) -> TransactWriteItemTypeDef:
    """The transaction action that updates a timer if it exists and is as it was read."""
    expected, changed = expected_attributes(move), changed_attributes(move)
    update = f"SET {', '.join(f'{name} = :new_{name}' for name in changed)}" if changed else ""
    if move.new is None:
        update += " REMOVE next_at, due_shard"
    values = {f":old_{name}": value for name, value in expected.items()}
    values |= {f":new_{name}": value for name, value in changed.items()}
    return {
        "Update": {
            "TableName": table,
            "Key": keys.timer(move.job),
            "UpdateExpression": update.strip(),
            "ConditionExpression": " AND ".join(
                ("attribute_exists(pk)", *(f"{name} = :old_{name}" for name in expected))
            ),
            "ExpressionAttributeValues": values,
        }
    }
