"""Calls to one table: errors are raised as `Unavailable`, conflicts are retried. Transactions return the conditions that failed."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from botocore.exceptions import BotoCoreError, ClientError

from minutehand.adapters.backoff import GROWS_UNTIL, TRIES, pause_after
from minutehand.adapters.dynamodb.codecs.values import NeedsNewer
from minutehand.domain.errors import NeedsNewerVersion, Unavailable, Unreadable

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem

T = TypeVar("T")

CONDITION_FAILED = "ConditionalCheckFailed"
"""DynamoDB's error code for a condition that does not hold."""

MOST_PER_GET = 100
"""Keys in one BatchGetItem request; a limit of DynamoDB."""

TRANSIENT = frozenset(
    {
        "InternalServerError",
        "ProvisionedThroughputExceeded",
        "RequestLimitExceeded",
        "Throttling",
        "ThrottlingError",
        "TransactionConflict",
        "TransactionInProgress",
    }
)
"""Error codes of requests that may succeed a moment later."""


def error_code(error: ClientError) -> str:
    """DynamoDB's error code, without the suffix `Exception` that only some operations add."""
    return error.response["Error"]["Code"].removesuffix("Exception")


def update_expression(changed: Sequence[str], new: Collection[str]) -> str:
    """The UpdateExpression that sets the changed attributes in `new` and removes the others; it has `#name` and `:name` for
    each."""
    sets = ", ".join(f"#{name} = :{name}" for name in changed if name in new)
    removes = ", ".join(f"#{name}" for name in changed if name not in new)
    return " ".join(f"{verb} {clauses}" for verb, clauses in (("SET", sets), ("REMOVE", removes)) if clauses)


def _is_conflict(error: ClientError) -> bool:
    return error_code(error) == "TransactionConflict"


class ErrorsOf:
    """A block whose errors of boto3 become `Unavailable`. A class, since a generator takes four times as long, at each call of DynamoDB."""

    __slots__ = ("_operation", "_table")

    def __init__(self, operation: str, table: str) -> None:
        self._operation, self._table = operation, table

    def __enter__(self) -> None: ...

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if not isinstance(error, ClientError | BotoCoreError):
            return
        why = str(error)
        if isinstance(error, ClientError):
            detail = error.response["Error"]
            why = f"{detail['Code']}: {detail.get('Message', '')}"
        raise Unavailable(f"{self._operation} on table {self._table} failed: {why}") from error


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """A table by name. boto3 retries throttled calls and lost connections; `sleep` is for the retries made here."""

    client: DynamoDBClient
    name: str
    sleep: Callable[[float], None] = time.sleep

    def errors_of(self, operation: str) -> ErrorsOf:
        """Raise errors of boto3 as `Unavailable`, with the table and the operation."""
        return ErrorsOf(operation, self.name)

    def decoded(self, item: ReadItem, decode: Callable[[ReadItem], T]) -> T:
        """Decode an item; raises `Unreadable` if it cannot be read, `NeedsNewerVersion` if a later version can read it."""
        try:
            return decode(item)
        except (LookupError, ValueError, TypeError, OverflowError, RecursionError) as error:
            names = ("pk", "sk") if "pk" in item else ("job", "run_id")
            key = " ".join(item[name]["S"] for name in names)
            if isinstance(error, NeedsNewer):
                raise NeedsNewerVersion(f"item {key} needs a newer version of the functions: {error}") from error
            raise Unreadable(f"item {key} of table {self.name} cannot be read by this version: {error!r}") from error

    def get(self, key: ReadItem) -> ReadItem | None:
        """The item of a key, read consistently."""
        with self.errors_of("GetItem"):
            return self.client.get_item(TableName=self.name, Key=key, ConsistentRead=True).get("Item")

    def get_many(self, keys: Sequence[Item], *, consistent: bool = True) -> Iterator[ReadItem]:
        """The items that exist, in any order; `keys` must be distinct.

        Raises:
            Unavailable: also if the table leaves keys unread at every try.
        """
        for start in range(0, len(keys), MOST_PER_GET):
            pending: Sequence[Item] = keys[start : start + MOST_PER_GET]
            for turn in range(TRIES):
                with self.errors_of("BatchGetItem"):
                    answer = self.client.batch_get_item(
                        RequestItems={self.name: {"Keys": pending, "ConsistentRead": consistent}}
                    )
                yield from answer["Responses"].get(self.name, ())
                unread = answer.get("UnprocessedKeys", {})
                if self.name not in unread:
                    break
                pending = unread[self.name]["Keys"]
                if turn + 1 == TRIES:
                    raise Unavailable(f"BatchGetItem on table {self.name} left {len(pending)} of its keys unread")
                self.sleep(pause_after(turn))

    def query(self, **request: Any) -> Iterator[Sequence[ReadItem]]:
        """All pages of a query that are not empty."""
        while True:
            items, last = self.query_once(**request)
            if items:
                yield items
            if last is None:
                return
            request["ExclusiveStartKey"] = last

    def query_once(self, **request: Any) -> tuple[Sequence[ReadItem], ReadItem | None]:
        """One page of a query, and the start key of the next one; None for the last."""
        with self.errors_of("Query"):
            answer = self.client.query(TableName=self.name, **request)
        return answer["Items"], answer.get("LastEvaluatedKey")

    def update(self, **request: Any) -> None:
        """Update an item; create it if it does not exist."""
        with self.errors_of("UpdateItem"):
            self._retried(lambda: self.client.update_item(TableName=self.name, **request))

    def updated(self, **request: Any) -> ReadItem:
        """As `update`; returns what the request's `ReturnValues` ask for."""
        found: list[ReadItem] = []
        with self.errors_of("UpdateItem"):
            self._retried(
                lambda: found.append(self.client.update_item(TableName=self.name, **request).get("Attributes", {}))
            )
        return found[-1]

    def put(self, item: Item) -> None:
        """Write an item; replace an existing one."""
        with self.errors_of("PutItem"):
            self._retried(lambda: self.client.put_item(TableName=self.name, Item=item))

    def put_new(self, item: Item, *, key: str) -> bool:
        """Write an item unless it exists; `key` names the partition key. Return whether it was written."""
        absent = f"attribute_not_exists({key})"
        return self._if_condition_holds(
            "PutItem", lambda: self.client.put_item(TableName=self.name, Item=item, ConditionExpression=absent)
        )

    def put_if(self, item: Item, *, condition: str, values: Item) -> bool:
        """Write an item if the condition holds for the existing one. Return whether it was written."""
        return self._if_condition_holds(
            "PutItem",
            lambda: self.client.put_item(
                TableName=self.name, Item=item, ConditionExpression=condition, ExpressionAttributeValues=values
            ),
        )

    def delete_if(self, key: Item, *, condition: str, values: Item) -> bool:
        """Delete an item if the condition holds for it. Return whether it was deleted."""
        return self._if_condition_holds(
            "DeleteItem",
            lambda: self.client.delete_item(
                TableName=self.name, Key=key, ConditionExpression=condition, ExpressionAttributeValues=values
            ),
        )

    def _if_condition_holds(self, operation: str, call: Callable[[], object]) -> bool:
        with self.errors_of(operation):
            try:
                self._retried(call)
            except ClientError as error:
                if error_code(error) != CONDITION_FAILED:
                    raise
                return False
        return True

    def update_where(self, **request: Any) -> bool:
        """Update an item if the request's condition holds. Return whether it was updated; unlike `update_if`, this reads nothing."""
        return self._if_condition_holds("UpdateItem", lambda: self.client.update_item(TableName=self.name, **request))

    def update_if(self, **request: Any) -> ReadItem | None:
        """Update an item if the request's condition holds.

        Returns:
            None if it was updated; otherwise the existing item, empty if there is none.
        """
        with self.errors_of("UpdateItem"):
            try:
                self._retried(
                    lambda: self.client.update_item(
                        TableName=self.name, ReturnValuesOnConditionCheckFailure="ALL_OLD", **request
                    )
                )
            except ClientError as error:
                if error_code(error) != CONDITION_FAILED:
                    raise
                response: Any = error.response
                found: ReadItem = response.get("Item", {})
                return found
        return None

    def write_all(
        self, actions: Sequence[TransactWriteItemTypeDef], *, tries: int = TRIES
    ) -> Sequence[ReadItem | None] | None:
        """Make all the writes of a transaction, or none. Conflicts with other writes are retried, up to `tries` tries in all.

        Returns:
            None if all were made. If conditions failed, one entry for each action: the existing item if the action's condition failed
            and it set `ReturnValuesOnConditionCheckFailure` (without that, empty); None for the other actions.

        Raises:
            Unavailable: if the transaction failed for another reason.
        """
        with self.errors_of("TransactWriteItems"):
            try:
                self._retried(lambda: self.client.transact_write_items(TransactItems=actions), busy=_busy, tries=tries)
            except ClientError as error:
                if CONDITION_FAILED not in _codes(error):
                    raise
                return [
                    reason.get("Item", {}) if code == CONDITION_FAILED else None
                    for code, reason in zip(_codes(error), _reasons(error), strict=True)
                ]
        return None

    def _retried(
        self, call: Callable[[], object], *, busy: Callable[[ClientError], bool] = _is_conflict, tries: int = TRIES
    ) -> None:
        """Make a call, up to `tries` times while it fails with errors that `busy` accepts. Raises any other error, and the last one."""
        for turn in range(tries):
            try:
                call()
            except ClientError as error:
                if turn + 1 == tries or not busy(error):
                    raise
                self.sleep(pause_after(min(turn, GROWS_UNTIL)))
            else:
                return


def _busy(error: ClientError) -> bool:
    codes = _codes(error)
    return CONDITION_FAILED not in codes and not TRANSIENT.isdisjoint(codes)


def _codes(error: ClientError) -> Sequence[str]:
    """The error code of each action of a cancelled transaction; otherwise the single code of the error."""
    return [str(reason.get("Code")).removesuffix("Exception") for reason in _reasons(error)] or [error_code(error)]


def _reasons(error: ClientError) -> Sequence[dict[str, Any]]:
    response: Any = error.response
    reasons: Sequence[dict[str, Any]] = response.get("CancellationReasons", ())
    return reasons


class Store:
    """A store whose items are all in one table."""

    def __init__(self, client: DynamoDBClient, table: str, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._table = Table(client=client, name=table, sleep=sleep)


class TimerStore(Store):
    """A store in the Jobs table of timers, or of things that are stored with timers.

    Args:
        shards: number of shards of the index `due` for new timers.
    """

    def __init__(
        self, client: DynamoDBClient, table: str, *, shards: int = 8, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        super().__init__(client, table, sleep=sleep)
        self._shards = shards
