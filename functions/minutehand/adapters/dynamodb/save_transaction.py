"""Transaction that saves a job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.codecs import calendar_codec, definition_codec, keys, timer_codec
from minutehand.adapters.dynamodb.codecs.definition_codec import CHILDREN
from minutehand.adapters.dynamodb.codecs.values import number, whole
from minutehand.domain.timer import BrokenTimer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mypy_boto3_dynamodb.type_defs import DeleteTypeDef, PutTypeDef, TransactWriteItemTypeDef

    from minutehand.adapters.dynamodb.codecs.values import Item
    from minutehand.domain.calendar import CalendarKey
    from minutehand.domain.definition import Definition
    from minutehand.domain.timer import Timer
    from minutehand.usecases.ports.job_change import Change


def saving(table: str, change: Change, *, shards: int) -> Sequence[TransactWriteItemTypeDef]:
    """The actions: definition, timer, list entry and history; users of its calendars and children of its parents; the recheck, if any.

    The transaction fails if what it replaces is not as it was read.
    """
    actions = [
        _definition(table, change),
        _timer(table, change, shards),
        _listed(table, change),
        _put(table, definition_codec.encode_past(change.after.job.key, change.past)),
    ]
    actions += [_users(table, key, +1) for key in change.calendars_added]
    actions += [_users(table, key, -1) for key in change.calendars_removed]
    actions += _graph(table, change)
    if change.recheck is not None:
        actions.append(_put(table, timer_codec.encode_recheck(change.recheck, shards=shards)))
    return actions


def _put(table: str, item: Item) -> TransactWriteItemTypeDef:
    return {"Put": {"TableName": table, "Item": item}}


def _if_absent(table: str, item: Item) -> TransactWriteItemTypeDef:
    return {"Put": {"TableName": table, "Item": item, "ConditionExpression": "attribute_not_exists(pk)"}}


def _definition(table: str, change: Change) -> TransactWriteItemTypeDef:
    item = definition_codec.encode(change.after)
    if change.before is None:
        return _if_absent(table, item)
    condition, values = _children_as_read(change.before)
    return {
        "Put": {
            "TableName": table,
            "Item": item,
            "ConditionExpression": f"revision = :revision AND {condition}",
            "ExpressionAttributeValues": {":revision": number(change.before.revision), **values},
        }
    }


def _timer(table: str, change: Change, shards: int) -> TransactWriteItemTypeDef:
    key = keys.timer(change.after.job.key)
    item = None if change.timer_after is None else timer_codec.encode(change.timer_after, shards=shards)
    if change.timer_before is None:
        if item is not None:
            return _if_absent(table, item)
        absent = "attribute_not_exists(pk)"
        return {"ConditionCheck": {"TableName": table, "Key": key, "ConditionExpression": absent}}
    condition, values = _as_read(change.timer_before)
    if item is None:
        delete: DeleteTypeDef = {"TableName": table, "Key": key, "ConditionExpression": condition}
        if values:
            delete["ExpressionAttributeValues"] = values
        return {"Delete": delete}
    put: PutTypeDef = {"TableName": table, "Item": item, "ConditionExpression": condition}
    if values:
        put["ExpressionAttributeValues"] = values
    return {"Put": put}


def _as_read(timer: Timer | BrokenTimer) -> tuple[str, Item]:
    """The condition that a timer is as it was read."""
    if timer.next_at is None and isinstance(timer, BrokenTimer):
        return "attribute_exists(pk)", {}  # no process moves a timer whose next_at cannot be read
    if timer.next_at is None:
        return "attribute_exists(pk) AND attribute_not_exists(next_at)", {}
    return "next_at = :next_at", {":next_at": whole(timer.next_at)}


def _users(table: str, calendar: CalendarKey, more: int) -> TransactWriteItemTypeDef:
    """Add to the number of jobs that use a calendar, which must exist."""
    return {
        "Update": {
            "TableName": table,
            "Key": keys.calendar(calendar),
            "UpdateExpression": f"ADD {calendar_codec.USED_BY} :more",
            "ConditionExpression": "attribute_exists(pk)",
            "ExpressionAttributeValues": {":more": number(more)},
        }
    }


def _listed(table: str, change: Change) -> TransactWriteItemTypeDef:
    if change.after.deleted:
        return {"Delete": {"TableName": table, "Key": keys.listed(change.after.job.key)}}
    return _put(table, definition_codec.encode_listed(change.after))


def _children_as_read(definition: Definition) -> tuple[str, Item]:
    """The condition that a definition has the same children as when it was read."""
    if not definition.children:
        return f"attribute_not_exists({CHILDREN})", {}
    return f"{CHILDREN} = :children", {":children": {"SS": sorted(map(str, definition.children))}}


def _graph(table: str, change: Change) -> Iterator[TransactWriteItemTypeDef]:
    """The changes of the dependency graph: a parent's definition keeps the set of its children."""
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
