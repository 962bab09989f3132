"""Usage of boto3 clients: every call, and the capacity units that it consumes.

The emulators do not count batches of statements index by index. Their writes are repeated one by one, from the same
items before to the same items after, by operations that are counted. Reads are computed (see `read_units`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from benchmarks import read_units

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_KEYS = {"JobsTable": ("pk", "sk"), "RunsTable": ("job", "run_id")}
_NAMED_PARAMETER = re.compile(r"""['"]?(\w+)['"]?\s*[:=]\s*\?""")
_TABLE_NAME = re.compile(r'^(?:INSERT INTO|UPDATE|DELETE FROM) "(\w+)"')
_STATEMENTS = {"INSERT": "claim", "UPDATE": "advance", "DELETE": "removal"}
_QUERY_FILTERS = {"FilterExpression", "ProjectionExpression", "ExpressionAttributeNames", "ReturnConsumedCapacity"}
_NOT_OF_RUNS = ("tick's row", "due", "receive", "delete")
"""Steps of the tick and of Lambda's poller, whatever the runs do."""

Item = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Usage:
    """Write units, read units and calls, by step of a run's life."""

    writes: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    reads: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    calls: Counter[str] = field(default_factory=Counter)

    def of_runs(self) -> Usage:
        """The usage of runs alone, without the tick's own and the poller's."""
        for steps in (self.writes, self.reads, self.calls):
            for step in _NOT_OF_RUNS:
                steps.pop(step, None)
        return self


class Meter:
    """Counts the usage of watched clients.

    Args:
        unwatched: a client of the same server.
        operations: counts calls by operation, over the whole life of the meter.
    """

    def __init__(self, unwatched: DynamoDBClient, operations: Counter[str]) -> None:
        self._unwatched = unwatched
        self._usage = Usage()
        self._operations = operations
        self.failures: list[str] = []

    def watch(self, client: Any) -> None:
        """Count the calls of a client from now on."""
        service = client.meta.service_model.service_id.hyphenize()
        client.meta.events.register(f"provide-client-params.{service}", self._before)
        client.meta.events.register(f"after-call.{service}", self._after)

    def take(self) -> Usage:
        """The usage since the last call of this method."""
        taken, self._usage = self._usage, Usage()
        return taken

    def _before(self, params: Item, model: Any, context: Item, **_: Any) -> Item | None:
        context["request"] = params
        if model.name == "BatchExecuteStatement":
            context["items_before"] = self._items(params["Statements"])
        if "ReturnConsumedCapacity" in model.input_shape.members:
            return params | {"ReturnConsumedCapacity": "INDEXES"}
        return None

    def _after(self, parsed: Item, model: Any, context: Item, **_: Any) -> None:
        request, operation = context["request"], model.name
        step = _step_of(operation, request)
        self._operations[operation] += 1
        self._usage.calls[step] += 1
        answers = [parsed, *parsed.get("Responses", ())] if operation == "BatchExecuteStatement" else [parsed]
        failures = [f"{operation}: {one['Error']}" for one in answers if "Error" in one]
        self.failures += failures
        if failures:
            return
        consistent = request.get("ConsistentRead", False)
        match operation:
            case "BatchExecuteStatement":
                self._usage.writes[step] += self._repeat(request["Statements"], context["items_before"])
            case "Query":
                self._usage.reads[step] += read_units.of_query(self._read(request, parsed), consistent=consistent)
            case "GetItem":
                items = [parsed["Item"]] if "Item" in parsed else []
                self._usage.reads[step] += read_units.of_gets(items, keys=1, consistent=consistent)
            case "BatchGetItem":
                for table, wanted in request["RequestItems"].items():
                    self._usage.reads[step] += read_units.of_gets(
                        parsed["Responses"].get(table, ()),
                        keys=len(wanted["Keys"]),
                        consistent=wanted.get("ConsistentRead", False),
                    )
            case _ if "ConsumedCapacity" in parsed:
                self._usage.writes[step] += _units(parsed["ConsumedCapacity"])

    def _read(self, request: Item, answer: Item) -> Sequence[Item]:
        """The whole items that a query reads, those that its filter drops among them."""
        if not request.keys() & {"FilterExpression", "ProjectionExpression"}:
            items: Sequence[Item] = answer["Items"]
            return items
        condition = request["KeyConditionExpression"]
        values = {name: value for name, value in request["ExpressionAttributeValues"].items() if name in condition}
        unfiltered = {name: value for name, value in request.items() if name not in _QUERY_FILTERS}
        return self._unwatched.query(**unfiltered | {"ExpressionAttributeValues": values})["Items"]

    def _items(self, statements: Sequence[Mapping[str, Any]]) -> list[Item | None]:
        """The current item of each statement of a batch."""
        table, keys = _target(statements)
        request: Any = {table: {"Keys": keys, "ConsistentRead": True}}
        found: list[Item] = [*self._unwatched.batch_get_item(RequestItems=request)["Responses"][table]]
        by_key = {_identity(table, item): item for item in found}
        return [by_key.get(_identity(table, key)) for key in keys]

    def _repeat(self, statements: Sequence[Mapping[str, Any]], before: Sequence[Item | None]) -> float:
        """Undo the writes of a batch, repeat them one by one, and return their units."""
        table, keys = _target(statements)
        after = self._items(statements)
        undo: list[Any] = [
            {"DeleteRequest": {"Key": key}} if item is None else {"PutRequest": {"Item": item}}
            for key, item in zip(keys, before, strict=True)
        ]
        self._unwatched.batch_write_item(RequestItems={table: undo})
        units = 0.0
        for key, item in zip(keys, after, strict=True):
            answer: Any
            if item is None:
                answer = self._unwatched.delete_item(TableName=table, Key=key, ReturnConsumedCapacity="INDEXES")
            else:
                answer = self._unwatched.put_item(TableName=table, Item=item, ReturnConsumedCapacity="INDEXES")
            units += _units(answer["ConsumedCapacity"])
        return units


def _target(statements: Sequence[Mapping[str, Any]]) -> tuple[str, list[Item]]:
    """The table of a batch, and the key of each statement."""
    keys = []
    table = ""
    for statement in statements:
        text = statement["Statement"]
        found = _TABLE_NAME.match(text)
        if found is None or table not in ("", found[1]):
            raise ValueError(f"not an INSERT, UPDATE or DELETE of one table: {text}")
        table = found[1]
        values = dict(zip(_NAMED_PARAMETER.findall(text), statement["Parameters"], strict=True))
        keys.append({name: values[name] for name in _KEYS[table]})
    return table, keys


def _identity(table: str, item: Item) -> tuple[str, ...]:
    return tuple(item[name]["S"] for name in _KEYS[table])


def _units(consumed: Any) -> float:
    return sum(float(one["CapacityUnits"]) for one in (consumed if isinstance(consumed, list) else [consumed]))


def _step_of(operation: str, request: Mapping[str, Any]) -> str:
    """The step of a run's life that a call belongs to; the operation where it is none."""
    match operation:
        case "BatchExecuteStatement":
            text: str = request["Statements"][0]["Statement"]
            return _STATEMENTS[text.partition(" ")[0]]
        case "UpdateItem" if request["TableName"] == "RunsTable":
            running = request["ExpressionAttributeValues"].get(":state") == {"S": "running"}
            return "start" if running else "report"
        case "PutItem" if request["Item"].get("pk", {}).get("S", "").startswith("TICKS#"):
            return "tick's row"
        case "Query" if request.get("IndexName") == "due" or ":bucket" in request["ExpressionAttributeValues"]:
            return "due"
        case "BatchGetItem":
            return "worker's reads"
        case "SendMessageBatch":
            return "send"
        case "ReceiveMessage":
            return "receive"
        case "DeleteMessageBatch":
            return "delete"
        case "ChangeMessageVisibilityBatch":
            return "hide"
    return operation
