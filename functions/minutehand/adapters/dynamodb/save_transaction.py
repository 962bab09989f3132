"""The DynamoDB transaction that saves a job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.codecs import audit_codec, calendar_codec, definition_codec, keys, timer_codec
from minutehand.adapters.dynamodb.codecs.definition_codec import CHILDREN
from minutehand.adapters.dynamodb.codecs.values import number, whole
from minutehand.adapters.dynamodb.quota_use import counting
from minutehand.domain.timer import BrokenTimer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mypy_boto3_dynamodb.type_defs import DeleteTypeDef, PutTypeDef, TransactWriteItemTypeDef

    from minutehand.adapters.dynamodb.codecs.values import Item
    from minutehand.domain.timer import Timer
    from minutehand.usecases.ports.job_change import Change

_ABSENT = "attribute_not_exists(pk)"


def saving(table: str, change: Change, *, shards: int) -> Sequence[TransactWriteItemTypeDef]:
    """The actions of the transaction that saves a job: they write its definition, its timer, its entries in its namespace's list
    and in its history, the record for the audit, the number of users of its calendars, the `children` of its parents, the number of jobs that a quota limits, and the recheck, if any.

    The transaction fails if the definition, the timer, a new parent or the dependency graph is not as it was read, or the quota is reached.
    """
    job = change.after.job.key
    listed: TransactWriteItemTypeDef = {"Delete": {"TableName": table, "Key": keys.listed(job)}}
    if not change.after.deleted:
        listed = _put(table, definition_codec.encode_listed(change.after))
    actions = [
        _definition(table, change),
        *_timer(table, change, shards),
        listed,
        _put(table, definition_codec.encode_past(change.past, change.after)),
        *audit_codec.recording(table, change.audit),
    ]
    counted = [(key, +1) for key in change.calendars_added] + [(key, -1) for key in change.calendars_removed]
    for key, more in counted:
        add = f"ADD {calendar_codec.USED_BY} :more"
        actions.append(_update(table, keys.calendar(key), add, "attribute_exists(pk)", {":more": number(more)}))
    if change.most_jobs is not None:
        actions.append(counting(table, job.namespace, change.most_jobs))
    actions += _graph(table, change)
    if change.recheck is not None:
        actions.append(_put(table, timer_codec.encode_recheck(change.recheck, shards=shards)))
    return actions


def _put(table: str, item: Item, condition: str = "", values: Item | None = None) -> TransactWriteItemTypeDef:
    put: PutTypeDef = {"TableName": table, "Item": item}
    if condition:
        put["ConditionExpression"] = condition
    if values:
        put["ExpressionAttributeValues"] = values
    return {"Put": put}


def _update(table: str, key: Item, expression: str, condition: str, values: Item) -> TransactWriteItemTypeDef:
    return {
        "Update": {
            "TableName": table,
            "Key": key,
            "UpdateExpression": expression,
            "ConditionExpression": condition,
            "ExpressionAttributeValues": values,
        }
    }


def _definition(table: str, change: Change) -> TransactWriteItemTypeDef:
    item = definition_codec.encode(change.after)
    if change.before is None:
        return _put(table, item, _ABSENT)
    values: Item = {":revision": number(change.before.revision)}
    if not change.before.children:
        return _put(table, item, f"revision = :revision AND attribute_not_exists({CHILDREN})", values)
    values[":children"] = {"SS": sorted(map(str, change.before.children))}
    return _put(table, item, f"revision = :revision AND {CHILDREN} = :children", values)


def _timer(table: str, change: Change, shards: int) -> Iterator[TransactWriteItemTypeDef]:
    """The actions that replace the timer.

    ◆ A timer that changes its place is deleted at the old one and stored at the new one in the same transaction, so that there is always
    exactly one. A job without a timer must have none at either place: while a transaction moves one, a read may miss it at both.
    """
    before, after = change.timer_before, change.timer_after
    if before is None:
        for packed in (False, True):
            if after is not None and after.packed == packed:
                yield _put(table, timer_codec.encode(after, shards=shards), _ABSENT)
            elif change.before is not None:  # a new job never had a timer
                key = keys.timer(change.after.job.key, packed=packed)
                yield {"ConditionCheck": {"TableName": table, "Key": key, "ConditionExpression": _ABSENT}}
        return
    condition, values = _as_read(before)
    if after is not None and after.packed == before.packed:
        yield _put(table, timer_codec.encode(after, shards=shards), condition, values)
        return
    key = keys.timer(change.after.job.key, packed=before.packed)
    delete: DeleteTypeDef = {"TableName": table, "Key": key, "ConditionExpression": condition}
    if values:
        delete["ExpressionAttributeValues"] = values
    yield {"Delete": delete}
    if after is not None:
        yield _put(table, timer_codec.encode(after, shards=shards), _ABSENT)


def _as_read(timer: Timer | BrokenTimer) -> tuple[str, Item]:
    """The condition that a timer is as it was read."""
    if timer.next_at is None and isinstance(timer, BrokenTimer):
        return "attribute_exists(pk)", {}  # no process moves a timer whose next_at cannot be read
    if timer.next_at is None:
        return "attribute_exists(pk) AND attribute_not_exists(next_at)", {}
    return "next_at = :next_at", {":next_at": whole(timer.next_at)}


def _graph(table: str, change: Change) -> Iterator[TransactWriteItemTypeDef]:
    """The actions that change the dependency graph: each parent's definition holds the set of its children."""
    child: Item = {":child": {"SS": [str(change.after.job.key)]}}
    for parent, revision in change.parents.items():
        values = child | {":revision": number(revision)}
        yield _update(table, keys.definition(parent), f"ADD {CHILDREN} :child", "revision = :revision", values)
    for parent in change.parents_removed:
        yield _update(table, keys.definition(parent), f"DELETE {CHILDREN} :child", "attribute_exists(pk)", child)
    if change.graph is not None:
        values = {":next": number(change.graph + 1)}
        if change.graph:
            values[":read"] = number(change.graph)
        unchanged = "version = :read" if change.graph else _ABSENT
        yield _update(table, keys.graph(), "SET version = :next", unchanged, values)
