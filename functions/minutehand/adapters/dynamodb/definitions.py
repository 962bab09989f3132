"""Definitions in the Jobs table, with their timers and their namespaces' lists."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from minutehand.adapters import cursors
from minutehand.adapters.dynamodb import (
    calendar_codec,
    definition_codec,
    history_codec,
    keys,
    lineage,
    namespace_codec,
    timer_codec,
)
from minutehand.adapters.dynamodb.table import Table
from minutehand.adapters.dynamodb.transactions import write_all
from minutehand.adapters.dynamodb.values import number, read_text, text, whole
from minutehand.domain.history import PastRevision
from minutehand.domain.job import Definition, JobKey
from minutehand.domain.timer import BrokenTimer, Timer
from minutehand.usecases.change import Change, Governing
from minutehand.usecases.ports import Page

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import DeleteTypeDef, PutTypeDef, TransactWriteItemTypeDef

    from minutehand.adapters.dynamodb.values import Item
    from minutehand.domain.calendar import CalendarKey


PAST_AT_ONCE = 50
"""Revisions of a history that are read in one query: most questions are about the newest."""


class DynamoDefinitions:
    """The port `Definitions`.

    Args:
        table: name of the Jobs table.
        shards: over how many shards of the index `due` jobs are spread.
    """

    def __init__(
        self, client: DynamoDBClient, table: str, *, shards: int = 8, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._table = Table(client=client, name=table, sleep=sleep)
        self._shards = shards

    def get(self, jobs: Sequence[JobKey]) -> Mapping[JobKey, Definition]:
        """See `Definitions.get`.

        Raises:
            Unavailable: also when one of them cannot be read, being of a later version: to leave it out would be to say
                that it was never there.
        """
        stored = [keys.definition(job) for job in dict.fromkeys(jobs)]
        found = (self._table.reading(item, definition_codec.decode) for item in self._table.get_many(stored))
        return {definition.job.key: definition for definition in found}

    def governing(self, jobs: Sequence[JobKey]) -> Governing:
        """See `Definitions.governing`; raises as `get` does."""
        unique = dict.fromkeys(jobs)
        namespaces = dict.fromkeys(job.namespace for job in unique)
        stored = [*map(keys.definition, unique), *map(keys.settings, namespaces)]
        found = list(self._table.get_many(stored))
        settings = [item for item in found if item["sk"]["S"] == keys.SETTINGS]
        definitions = [item for item in found if item["sk"]["S"] != keys.SETTINGS]
        return Governing(
            {d.job.key: d for d in (self._table.reading(item, definition_codec.decode) for item in definitions)},
            {n.name: n for n in (self._table.reading(item, namespace_codec.decode) for item in settings)},
        )

    def save(self, change: Change) -> bool:
        """See `Definitions.save`."""
        job = change.after.job.key
        if change.before is None:
            # Not in the transaction: saves of the namespace's other jobs would conflict with it.
            self._table.put_new(keys.namespace(job.namespace), key="pk")
        actions = [self._definition(change), self._timer(change), self._listed(change)]
        actions.append(self._put(history_codec.encode(job, change.past)))
        actions += [self._users(key, +1) for key in change.calendars_added]
        actions += [self._users(key, -1) for key in change.calendars_removed]
        actions += lineage.actions(self._table.name, change)
        if change.recheck is not None:
            actions.append(self._put(timer_codec.encode_recheck(change.recheck, shards=self._shards)))
        return write_all(self._table, [action for action in actions if action is not None]) is None

    def _put(self, item: Item) -> TransactWriteItemTypeDef:
        return {"Put": {"TableName": self._table.name, "Item": item}}

    def _definition(self, change: Change) -> TransactWriteItemTypeDef:
        item = definition_codec.encode(change.after)
        if change.before is None:
            return self._if_absent(item)
        condition, values = lineage.as_read(change.before)
        return {
            "Put": {
                "TableName": self._table.name,
                "Item": item,
                "ConditionExpression": f"revision = :revision AND {condition}",
                "ExpressionAttributeValues": {":revision": number(change.before.revision), **values},
            }
        }

    def graph(self) -> int:
        """See `Definitions.graph`."""
        return lineage.version(self._table.get(keys.graph()))

    def _if_absent(self, item: Item) -> TransactWriteItemTypeDef:
        return {
            "Put": {
                "TableName": self._table.name,
                "Item": item,
                "ConditionExpression": "attribute_not_exists(pk)",
            }
        }

    def _timer(self, change: Change) -> TransactWriteItemTypeDef:
        key = keys.timer(change.after.job.key)
        item = None
        if change.timer_after is not None:
            item = timer_codec.encode(change.timer_after, shards=self._shards)
        if change.timer_before is None:
            if item is not None:
                return self._if_absent(item)
            absent = "attribute_not_exists(pk)"
            return {"ConditionCheck": {"TableName": self._table.name, "Key": key, "ConditionExpression": absent}}
        condition, values = _stands_at(change.timer_before)
        if item is None:
            delete: DeleteTypeDef = {"TableName": self._table.name, "Key": key, "ConditionExpression": condition}
            if values:
                delete["ExpressionAttributeValues"] = values
            return {"Delete": delete}
        put: PutTypeDef = {"TableName": self._table.name, "Item": item, "ConditionExpression": condition}
        if values:
            put["ExpressionAttributeValues"] = values
        return {"Put": put}

    def _users(self, calendar: CalendarKey, more: int) -> TransactWriteItemTypeDef:
        """Count the jobs that use a calendar, which must exist."""
        return {
            "Update": {
                "TableName": self._table.name,
                "Key": keys.calendar(calendar),
                "UpdateExpression": f"ADD {calendar_codec.USED_BY} :more",
                "ConditionExpression": "attribute_exists(pk)",
                "ExpressionAttributeValues": {":more": number(more)},
            }
        }

    def _listed(self, change: Change) -> TransactWriteItemTypeDef:
        if change.after.deleted:
            return {"Delete": {"TableName": self._table.name, "Key": keys.listed(change.after.job.key)}}
        return self._put(definition_codec.encode_listed(change.after))

    def history(self, job: JobKey) -> Iterator[Sequence[PastRevision]]:
        """See `Definitions.history`."""
        pages = self._table.query(
            KeyConditionExpression="pk = :pk AND begins_with(sk, :revision)",
            ExpressionAttributeValues={":pk": keys.definition(job)["pk"], ":revision": text(keys.REVISION)},
            ConsistentRead=True,
            ScanIndexForward=False,
            Limit=PAST_AT_ONCE,
        )
        for page in pages:
            yield [self._table.reading(item, history_codec.decode) for item in page]

    def page(self, namespace: str, limit: int, cursor: str | None) -> Page[Definition]:
        """See `Definitions.page`. Of the revisions, the last alone is given; a deleted job is not."""
        request: dict[str, object] = {}
        if cursor is not None:
            name = cursors.decode(cursor, listing="jobs", of=namespace)
            request["ExclusiveStartKey"] = keys.listed(JobKey(namespace=namespace, name=name))
        items, last = self._table.query_once(
            KeyConditionExpression="pk = :pk AND begins_with(sk, :job)",
            ExpressionAttributeValues={":pk": {"S": f"NAMESPACE#{namespace}"}, ":job": {"S": keys.JOB}},
            ConsistentRead=True,
            Limit=limit + 1,  # one more, to know whether anything follows
            **request,
        )
        found = tuple(self._table.reading(item, definition_codec.decode) for item in items[:limit])
        more = found and (len(items) > limit or last is not None)
        return Page(
            items=found,
            next=cursors.encode(listing="jobs", of=namespace, last=found[-1].job.key.name) if more else None,
        )

    def namespaces(self) -> Sequence[str]:
        """See `Definitions.namespaces`. By name."""
        pages = self._table.query(
            KeyConditionExpression="pk = :pk",
            ExpressionAttributeValues={":pk": keys.namespace("")["pk"]},
            ConsistentRead=True,
        )
        return [read_text(item, "sk") for page in pages for item in page]


def _stands_at(timer: Timer | BrokenTimer) -> tuple[str, Item]:
    """The condition that a timer has not moved since it was read."""
    if timer.next_at is None:
        return "attribute_exists(pk) AND attribute_not_exists(next_at)", {}
    if timer.next_at == timer_codec.UNREADABLE_NEXT_AT:
        return "attribute_exists(pk)", {}  # nobody moves a timer whose next_at cannot be read
    return "next_at = :next_at", {":next_at": whole(timer.next_at)}
