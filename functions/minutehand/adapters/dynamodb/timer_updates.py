"""Moves of timers, as attributes and as an action of a transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.codecs import keys
from minutehand.adapters.dynamodb.codecs.values import number, seconds, whole
from minutehand.usecases.ports.stores import Move

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    from minutehand.adapters.dynamodb.codecs.values import Item


def goes_on(move: Move) -> Item:
    """The attributes that a move gives a timer."""
    attributes: Item = {}
    if move.new is not None:
        attributes["next_at"] = whole(move.new)
    if move.offset is not None:
        attributes["utc_offset"] = seconds(move.offset)
    if move.runs_left is not None:
        attributes["runs_left"] = number(move.runs_left)
    return attributes


def stands_at(move: Move) -> Item:
    """The attributes by which a timer is known not to have moved.

    What could not be read of a broken timer is not compared, so that it too can be pushed forward.
    """
    attributes: Item = {}
    if move.old is not None:
        attributes["next_at"] = whole(move.old)
    if move.revision is not None:
        attributes["revision"] = number(move.revision)
    return attributes


def moving(table: str, move: Move) -> TransactWriteItemTypeDef:
    """The action that makes a move of a timer that exists and stands as it was read."""
    expected, changed = stands_at(move), goes_on(move)
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
