"""A meter on boto3's clients: every call, and the capacity units that its answer says it consumed.

Two kinds of call are not counted index by index by any local server. For a batch of statements the same writes are made
once more, one by one, from the same items before to the same items after, by operations that are. Reads are weighed by
size (see `sizes`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from benchmarks.sizes import read_singly, read_together

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_KEYS = {"JobsTable": ("pk", "sk"), "RunsTable": ("job", "run_id")}
_NAMED_PARAMETER = re.compile(r"""['"]?(\w+)['"]?\s*[:=]\s*\?""")
_TABLE_NAME = re.compile(r'^(?:INSERT INTO|UPDATE|DELETE FROM) "(\w+)"')
_STATEMENTS = {"INSERT": "claim", "UPDATE": "advance", "DELETE": "removal"}

Item = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Usage:
    """What was used, by step of a run's life."""

    writes: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    reads: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    calls: Counter[str] = field(default_factory=Counter)


class Meter:
    """Counts what watched clients do, from one `take` to the next.

    Args:
        plain: a client of the same server that is not watched.
        operations: how often each operation was called, added to for as long as the meter is.
    """

    def __init__(self, plain: DynamoDBClient, operations: Counter[str]) -> None:
        self._plain = plain
        self._usage = Usage()
        self._operations = operations
        self.failures: list[str] = []

    def watch(self, client: Any) -> None:
        """Count this client's calls from now on."""
        service = client.meta.service_model.service_id.hyphenize()
        client.meta.events.register(f"provide-client-params.{service}", self._before)
        client.meta.events.register(f"after-call.{service}", self._after)

    def take(self) -> Usage:
        """What was used since the last time."""
        taken, self._usage = self._usage, Usage()
        return taken

    def _before(self, params: Item, model: Any, context: Item, **_: Any) -> Item | None:
        context["asked"] = params
        if model.name == "BatchExecuteStatement":
            context["stood"] = self._items(params["Statements"])
        if "ReturnConsumedCapacity" in model.input_shape.members:
            return params | {"ReturnConsumedCapacity": "INDEXES"}
        return None

    def _after(self, parsed: Item, model: Any, context: Item, **_: Any) -> None:
        asked, operation = context["asked"], model.name
        step = step_of(operation, asked)
        self._operations[operation] += 1
        self._usage.calls[step] += 1
        refused = [parsed, *parsed.get("Responses", ())] if operation == "BatchExecuteStatement" else [parsed]
        self.failures += [f"{operation}: {one['Error']}" for one in refused if "Error" in one]
        if any("Error" in one for one in refused):
            return
        match operation:
            case "BatchExecuteStatement":
                self._usage.writes[step] += self._once_more(asked["Statements"], context["stood"])
            case "Query":
                self._usage.reads[step] += read_together(
                    self._read(asked, parsed), consistent=asked.get("ConsistentRead", False)
                )
            case "GetItem":
                items = [parsed["Item"]] if "Item" in parsed else []
                self._usage.reads[step] += read_singly(items, asked=1, consistent=asked.get("ConsistentRead", False))
            case "BatchGetItem":
                for table, wanted in asked["RequestItems"].items():
                    self._usage.reads[step] += read_singly(
                        parsed["Responses"].get(table, ()),
                        asked=len(wanted["Keys"]),
                        consistent=wanted.get("ConsistentRead", False),
                    )
            case _ if "ConsumedCapacity" in parsed:
                self._usage.writes[step] += _units(parsed["ConsumedCapacity"])

    def _read(self, asked: Item, answered: Item) -> Sequence[Item]:
        """The items that a query has read: more than it answers, where it filters them, and whole."""
        if not asked.keys() & {"FilterExpression", "ProjectionExpression"}:
            items: Sequence[Item] = answered["Items"]
            return items
        keys = asked["KeyConditionExpression"]
        values = {name: value for name, value in asked["ExpressionAttributeValues"].items() if name in keys}
        left = ("FilterExpression", "ProjectionExpression", "ExpressionAttributeNames", "ReturnConsumedCapacity")
        request = {name: value for name, value in asked.items() if name not in left}
        return self._plain.query(**request | {"ExpressionAttributeValues": values})["Items"]

    def _items(self, statements: Sequence[Mapping[str, Any]]) -> list[Item | None]:
        """The items that the statements of a batch are about, as they stand."""
        table, keys = _target(statements)
        asked: Any = {table: {"Keys": keys, "ConsistentRead": True}}
        found: list[Item] = [*self._plain.batch_get_item(RequestItems=asked)["Responses"][table]]
        by_key = {_identity(table, item): item for item in found}
        return [by_key.get(_identity(table, key)) for key in keys]

    def _once_more(self, statements: Sequence[Mapping[str, Any]], stood: Sequence[Item | None]) -> float:
        """Put back what the statements changed, and change it again by writes whose units are told."""
        table, keys = _target(statements)
        stands = self._items(statements)
        back: list[Any] = [
            {"DeleteRequest": {"Key": key}} if item is None else {"PutRequest": {"Item": item}}
            for key, item in zip(keys, stood, strict=True)
        ]
        self._plain.batch_write_item(RequestItems={table: back})
        units = 0.0
        for key, item in zip(keys, stands, strict=True):
            told: Any
            if item is None:
                told = self._plain.delete_item(TableName=table, Key=key, ReturnConsumedCapacity="INDEXES")
            else:
                told = self._plain.put_item(TableName=table, Item=item, ReturnConsumedCapacity="INDEXES")
            units += _units(told["ConsumedCapacity"])
        return units


def _target(statements: Sequence[Mapping[str, Any]]) -> tuple[str, list[Item]]:
    """The table of a batch of the adapters' statements, and the key of each one's item."""
    keys = []
    table = ""
    for statement in statements:
        text = statement["Statement"]
        found = _TABLE_NAME.match(text)
        if found is None or table not in ("", found[1]):
            raise ValueError(f"{text} is not the INSERT, UPDATE or DELETE of one table that the adapters write")
        table = found[1]
        values = dict(zip(_NAMED_PARAMETER.findall(text), statement["Parameters"], strict=True))
        keys.append({name: values[name] for name in _KEYS[table]})
    return table, keys


def _identity(table: str, item: Item) -> tuple[str, ...]:
    return tuple(item[name]["S"] for name in _KEYS[table])


def _units(consumed: Any) -> float:
    told = consumed if isinstance(consumed, list) else [consumed]
    return sum(float(one["CapacityUnits"]) for one in told)


def step_of(operation: str, asked: Mapping[str, Any]) -> str:
    """The step of a run's life that a call belongs to."""
    match operation:
        case "BatchExecuteStatement":
            text: str = asked["Statements"][0]["Statement"]
            return _STATEMENTS[text.partition(" ")[0]]
        case "UpdateItem" if asked["TableName"] == "RunsTable":
            running = asked["ExpressionAttributeValues"].get(":state") == {"S": "running"}
            return "start" if running else "report"
        case "PutItem" if asked["Item"].get("pk", {}).get("S", "").startswith("TICKS#"):
            return "tick's row"
        case "Query" if asked.get("IndexName") == "due":
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
