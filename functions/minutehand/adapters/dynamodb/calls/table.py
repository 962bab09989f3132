"""One table: the calls that stores make, with errors told as `Unavailable` and conflicts waited out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from botocore.exceptions import BotoCoreError, ClientError

from minutehand.adapters.backoff import pauses
from minutehand.domain.errors import Unavailable

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem

T = TypeVar("T")

TRIES = 5
"""How often a call is made that a busy item or table refuses; about a second in all."""

CONDITION_FAILED = "ConditionalCheckFailed"
"""DynamoDB's code for a condition that does not hold."""

MOST_PER_GET = 100
"""Keys in one BatchGetItem: a limit of DynamoDB."""

_PASSING = frozenset(
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


def error_code(error: ClientError) -> str:
    """DynamoDB's code without `Exception`, which some operations append and others do not."""
    return error.response["Error"]["Code"].removesuffix("Exception")


def passes(code: str) -> bool:
    """Whether an error code means that the same request may succeed in a moment."""
    return code in _PASSING


def conflicts(error: ClientError) -> bool:
    """Whether the item was part of a transaction under way."""
    return error_code(error) == "TransactionConflict"


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """A table by name. boto3's client retries throttled calls and lost connections; `sleep` is for what it does not."""

    client: DynamoDBClient
    name: str
    sleep: Callable[[float], None] = time.sleep

    @contextmanager
    def asking(self, operation: str) -> Iterator[None]:
        """Tell an error of boto3's as `Unavailable`, with the table and the operation."""
        try:
            yield
        except ClientError as error:
            detail = error.response["Error"]
            message = f"{operation} on table {self.name} failed: {detail['Code']}: {detail.get('Message', '')}"
            raise Unavailable(message) from error
        except BotoCoreError as error:
            raise Unavailable(f"{operation} on table {self.name} failed: {error}") from error

    def reading(self, item: ReadItem, decode: Callable[[ReadItem], T]) -> T:
        """What `decode` makes of an item; `Unavailable` when it cannot read it."""
        try:
            return decode(item)
        except (LookupError, ValueError, TypeError, OverflowError) as error:
            names = ("pk", "sk") if "pk" in item else ("job", "run_id")
            key = " ".join(item[name]["S"] for name in names)
            message = f"item {key} of table {self.name} cannot be read by this version: {error!r}"
            raise Unavailable(message) from error

    def get(self, key: ReadItem) -> ReadItem | None:
        """The item of a key, read consistently."""
        with self.asking("GetItem"):
            return self.client.get_item(TableName=self.name, Key=key, ConsistentRead=True).get("Item")

    def get_many(self, keys: Sequence[Item], *, consistent: bool = True) -> Iterator[ReadItem]:
        """The items that exist, in no order. No key may be there twice.

        Raises:
            Unavailable: also when the table leaves keys unread, again and again.
        """
        for start in range(0, len(keys), MOST_PER_GET):
            pending: Sequence[Item] = keys[start : start + MOST_PER_GET]
            for pause in pauses(TRIES):
                with self.asking("BatchGetItem"):
                    answer = self.client.batch_get_item(
                        RequestItems={self.name: {"Keys": pending, "ConsistentRead": consistent}}
                    )
                yield from answer["Responses"].get(self.name, ())
                unread = answer.get("UnprocessedKeys", {})
                if self.name not in unread:
                    break
                pending = unread[self.name]["Keys"]
                if pause is None:
                    raise Unavailable(f"BatchGetItem on table {self.name} left {len(pending)} keys unread")
                self.sleep(pause)

    def query(self, **request: Any) -> Iterator[Sequence[ReadItem]]:
        """Pages of a query, up to its end; pages that are empty are left out."""
        while True:
            items, last = self.query_once(**request)
            if items:
                yield items
            if last is None:
                return
            request["ExclusiveStartKey"] = last

    def query_once(self, **request: Any) -> tuple[Sequence[ReadItem], ReadItem | None]:
        """One page of a query, and the key to go on from, if it is not the last."""
        with self.asking("Query"):
            answer = self.client.query(TableName=self.name, **request)
        return answer["Items"], answer.get("LastEvaluatedKey")

    def update(self, **request: Any) -> None:
        """Update an item, creating it where there is none."""
        with self.asking("UpdateItem"):
            self.patiently(lambda: self.client.update_item(TableName=self.name, **request))

    def put(self, item: Item) -> None:
        """Write an item, replacing what was there."""
        with self.asking("PutItem"):
            self.patiently(lambda: self.client.put_item(TableName=self.name, Item=item))

    def put_new(self, item: Item, *, key: str) -> bool:
        """Write an item unless it is there; `key` names its partition key. Whether it was written."""
        with self.asking("PutItem"):
            return self._if_condition_holds(
                lambda: self.client.put_item(
                    TableName=self.name, Item=item, ConditionExpression=f"attribute_not_exists({key})"
                )
            )

    def put_if(self, item: Item, *, condition: str, values: Item) -> bool:
        """Write an item if the condition holds of what is there. Whether it was written."""
        with self.asking("PutItem"):
            return self._if_condition_holds(
                lambda: self.client.put_item(
                    TableName=self.name, Item=item, ConditionExpression=condition, ExpressionAttributeValues=values
                )
            )

    def delete_if(self, key: Item, *, condition: str, values: Item) -> bool:
        """Delete an item if the condition holds of it. Whether it was deleted."""
        with self.asking("DeleteItem"):
            return self._if_condition_holds(
                lambda: self.client.delete_item(
                    TableName=self.name, Key=key, ConditionExpression=condition, ExpressionAttributeValues=values
                )
            )

    def update_if(self, **request: Any) -> ReadItem | None:
        """Update an item if the request's condition holds.

        Returns:
            None when it was updated; otherwise the item as it is, empty when there is none.
        """
        with self.asking("UpdateItem"):
            try:
                self.patiently(
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

    def patiently(self, call: Callable[[], object], *, busy: Callable[[ClientError], bool] = conflicts) -> None:
        """Call, and call again a little later for as long as it fails as `busy` says, five times in all.

        Raises:
            ClientError: every other one, and the last.
        """
        for pause in pauses(TRIES):
            try:
                call()
            except ClientError as error:
                if pause is None or not busy(error):
                    raise
                self.sleep(pause)
            else:
                return

    def _if_condition_holds(self, call: Callable[[], object]) -> bool:
        try:
            self.patiently(call)
        except ClientError as error:
            if error_code(error) != CONDITION_FAILED:
                raise
            return False
        return True
