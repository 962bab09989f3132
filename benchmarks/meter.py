"""A meter on boto3's clients: every call, and the capacity units that its answer says it consumed.

Two kinds of call are not counted index by index by any local server. For a batch of statements the same writes are made
once more, one by one, from the same items before to the same items after, by operations that are. Reads are weighed by
size (see `sizes`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from benchmarks.sizes import read_singly, read_together

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_KEYS = {"JobsTable": ("pk", "sk"), "RunsTable": ("job", "run_id")}
_NAMED_PARAMETER = re.compile(r"'?(\w+)'?\s*[:=]\s*\?")
_TABLE_NAME = re.compile(r'^(?:INSERT INTO|UPDATE) "(\w+)"')

Item = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Usage:
    """What was used, by step of a run's life."""

    writes: Counter[str] = field(default_factory=Counter)
    reads: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)


class Meter:
    """Counts what watched clients do, from one `take` to the next.

    Args:
        plain: a client of the same server that is not watched.
    """

    def __init__(self, plain: DynamoDBClient) -> None:
        self._plain = plain
        self._usage = Usage()
        self.operations: Counter[str] = Counter()
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
            context["stood"] = [self._item(*_target(statement)) for statement in params["Statements"]]
        if "ReturnConsumedCapacity" in model.input_shape.members:
            return params | {"ReturnConsumedCapacity": "INDEXES"}
        return None

    def _after(self, parsed: Item, model: Any, context: Item, **_: Any) -> None:
        asked, operation = context["asked"], model.name
        step = step_of(operation, asked)
        self.operations[operation] += 1
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
                    parsed["Items"], consistent=asked.get("ConsistentRead", False)
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

    def _item(self, table: str, key: Item) -> Item | None:
        return self._plain.get_item(TableName=table, Key=key, ConsistentRead=True).get("Item")

    def _once_more(self, statements: Sequence[Mapping[str, Any]], stood: Sequence[Item | None]) -> float:
        """Put back what the statements changed, and change it again by writes whose units are told."""
        units = 0.0
        for statement, before in zip(statements, stood, strict=True):
            table, key = _target(statement)
            after = self._item(table, key)
            if after is None:
                raise ValueError(f"{statement['Statement']} left nothing behind; the meter knows INSERT and UPDATE")
            if before is None:
                self._plain.delete_item(TableName=table, Key=key)
            else:
                self._plain.put_item(TableName=table, Item=before)
            answer = self._plain.put_item(TableName=table, Item=after, ReturnConsumedCapacity="INDEXES")
            units += _units(answer["ConsumedCapacity"])
        return units


def _target(statement: Mapping[str, Any]) -> tuple[str, Item]:
    """The table and the key of the item that a statement of the adapters' writes."""
    text = statement["Statement"]
    found = _TABLE_NAME.match(text)
    if found is None:
        raise ValueError(f"{text} is neither an INSERT nor an UPDATE as the adapters write them")
    values = dict(zip(_NAMED_PARAMETER.findall(text), statement["Parameters"], strict=True))
    return found[1], {name: values[name] for name in _KEYS[found[1]]}


def _units(consumed: Any) -> float:
    told = consumed if isinstance(consumed, list) else [consumed]
    return sum(float(one["CapacityUnits"]) for one in told)


def step_of(operation: str, asked: Mapping[str, Any]) -> str:
    """The step of a run's life that a call belongs to."""
    match operation:
        case "BatchExecuteStatement":
            return "claim" if asked["Statements"][0]["Statement"].startswith("INSERT") else "advance"
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
