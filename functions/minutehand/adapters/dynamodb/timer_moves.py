"""The updates that move a timer, each conditional on the place, the instant and the revision that were read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.codecs import keys
from minutehand.adapters.dynamodb.codecs.values import number, seconds, whole

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    from minutehand.adapters.dynamodb.codecs.values import Item
    from minutehand.usecases.ports.stores import Move


def changed(move: Move) -> Item:
    """The attributes of a timer that a move sets."""
    attributes: Item = {}
    if move.new is not None:
        attributes["next_at"] = whole(move.new)
    if move.offset is not None:
        attributes["utc_offset"] = seconds(move.offset)
    if move.runs_left is not None:
        attributes["runs_left"] = number(move.runs_left)
    if move.ahead is not None:
        attributes["ahead_from"] = whole(move.ahead.first)
        attributes["ahead_until"] = whole(move.ahead.until)
    return attributes


def expected(move: Move) -> Item:
    """The attributes of a timer that must be as they were read for a move to be made.

    Unreadable attributes of a broken timer are not compared, so that it can be advanced too.
    """
    attributes: Item = {}
    if move.old is not None:
        attributes["next_at"] = whole(move.old)
    if move.revision is not None:
        attributes["revision"] = number(move.revision)
    return attributes


def removed(move: Move) -> tuple[str, ...]:
    """The attributes of a timer that a move removes: at the end of the schedule, those by which it is found to be due."""
    if move.new is not None:
        return ()
    return ("next_at",) if move.packed else ("next_at", "due_shard")


def update_action(table: str, move: Move) -> TransactWriteItemTypeDef:
    """The transaction action that updates a timer if it exists and is as it was read."""
    read, new = expected(move), changed(move)
    update = f"SET {', '.join(f'{name} = :new_{name}' for name in new)}" if new else ""
    if removes := removed(move):
        update += f" REMOVE {', '.join(removes)}"
    values = {f":old_{name}": value for name, value in read.items()}
    values |= {f":new_{name}": value for name, value in new.items()}
    return {
        "Update": {
            "TableName": table,
            "Key": keys.timer(move.job, packed=move.packed),
            "UpdateExpression": update.strip(),
            "ConditionExpression": " AND ".join(("attribute_exists(pk)", *(f"{name} = :old_{name}" for name in read))),
            "ExpressionAttributeValues": values,
        }
    }
