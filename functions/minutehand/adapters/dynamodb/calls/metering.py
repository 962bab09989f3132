"""Metering: the capacity that DynamoDB reports for the calls of a thread, and the sizes of items by its published rules."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from minutehand.adapters.dynamodb.codecs import run_codec
from minutehand.domain.run import Run, Usage

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

WRITE_UNIT = 1024
"""Bytes of an item that one write unit covers."""
_READS = frozenset(("BatchGetItem", "GetItem", "Query"))


class DynamoCount:
    """DynamoDB implementation of the port `Count`, for one thread."""

    def __init__(self) -> None:
        self._write = self._read = 0.0
        self._calls = 0

    def used(self) -> Usage:
        return Usage(write=self._write, read=self._read, calls=self._calls)

    def add(self, operation: str, answer: Any) -> None:
        """Count a call, and the capacity units that its answer reports."""
        self._calls += 1
        reported = answer.get("ConsumedCapacity", ())
        units = math.fsum(
            one.get("CapacityUnits", 0) for one in (reported if isinstance(reported, list) else [reported]) if one
        )
        if operation in _READS:
            self._read += units
        else:
            self._write += units + _refused(answer)


def _refused(answer: Any) -> int:
    """Write units of a refused write, which DynamoDB bills but does not report; for items below 1 KB."""
    match answer.get("Error", {}).get("Code", "").removesuffix("Exception"):
        case "ConditionalCheckFailed":
            return 1
        case "TransactionCanceled":
            return 2 * len(answer.get("CancellationReasons", ()))
    return 0


_COUNT: ContextVar[DynamoCount | None] = ContextVar("count", default=None)


class DynamoMeter:
    """DynamoDB implementation of the port `Meter`, by hooks on the events of a boto3 client.

    While a thread counts, its calls ask DynamoDB to report their consumed capacity, which is free and adds no call. Create it while
    no other thread uses the client.
    """

    def __init__(self, client: DynamoDBClient) -> None:
        client.meta.events.register("before-parameter-build.dynamodb", _request_capacity)
        client.meta.events.register("after-call.dynamodb", _count)

    @contextmanager
    def counting(self) -> Iterator[DynamoCount]:
        count = DynamoCount()
        before = _COUNT.set(count)
        try:
            yield count
        finally:
            _COUNT.reset(before)

    def weight(self, run: Run) -> int:
        return math.ceil(item_size(run_codec.encode(run)) / WRITE_UNIT)


def _request_capacity(params: dict[str, Any], model: Any, **_: Any) -> None:
    if _COUNT.get() is not None and "ReturnConsumedCapacity" in model.input_shape.members:
        params.setdefault("ReturnConsumedCapacity", "TOTAL")


def _count(parsed: Any, model: Any, **_: Any) -> None:
    count = _COUNT.get()
    if count is not None:
        count.add(model.name, parsed)


def item_size(item: Mapping[str, Any]) -> int:
    """Bytes of an item of typed values: its attributes' names and values (Developer Guide, "Item sizes and formats")."""
    return sum(len(name.encode()) + _value_size(value) for name, value in item.items())


def _value_size(typed: Mapping[str, Any]) -> int:
    ((kind, value),) = typed.items()
    match kind:
        case "S":
            return len(value.encode())
        case "N":
            return math.ceil(len(value.lstrip("-").replace(".", "").strip("0") or "0") / 2) + 1
        case "BOOL" | "NULL":
            return 1
        case "SS":
            return sum(len(element.encode()) for element in value)
        case "L":
            return 3 + sum(1 + _value_size(element) for element in value)
        case "M":
            return 3 + len(value) + item_size(value)
    raise ValueError(f"no size is known for values of type {kind}")
