"""Metering of DynamoDB calls by thread."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any, NamedTuple

import boto3
import pytest
from botocore.exceptions import ClientError

from minutehand.adapters.dynamodb.calls.metering import DynamoCount, DynamoMeter
from minutehand.domain.run import Usage


class Line(NamedTuple):
    """A client without a server: the requests it sent, and its scripted answers."""

    client: Any
    meter: DynamoMeter
    sent: list[dict[str, Any]]
    answers: list[dict[str, Any]]

    def get(self) -> None:
        key = {"job": {"S": "demo/heartbeat"}, "run_id": {"S": "20261120T090000Z"}}
        self.client.get_item(TableName="runs", Key=key)

    def asked(self) -> list[str]:
        """The `ReturnConsumedCapacity` of each call."""
        return [sent.get("ReturnConsumedCapacity", "") for sent in self.sent]


@pytest.fixture
def line() -> Line:
    client = boto3.client("dynamodb", region_name="us-east-1", aws_access_key_id="test", aws_secret_access_key="test")
    line = Line(client, DynamoMeter(client), [], [])

    def reply(params: dict[str, Any], **_: Any) -> Any:
        line.sent.append(json.loads(params["body"]))
        said = line.answers.pop(0)
        return SimpleNamespace(status_code=400 if "Error" in said else 200), said

    client.meta.events.register("before-call.dynamodb", reply)
    return line


def answer(units: float) -> dict[str, Any]:
    return {"ConsumedCapacity": {"TableName": "runs", "CapacityUnits": units}}


def counted(operation: str, answer: dict[str, Any]) -> Usage:
    count = DynamoCount()
    count.add(operation, answer)
    return count.used()


def test_a_call_requests_its_consumed_capacity_only_while_its_thread_counts(line: Line) -> None:
    line.answers.extend([answer(1.5)] * 4)
    line.get()
    with line.meter.counting() as count:
        line.get()
        line.get()
    line.get()
    assert count.used() == Usage(read=3, calls=2)
    assert line.asked() == ["", "TOTAL", "TOTAL", ""]


def test_calls_of_other_threads_are_not_counted(line: Line) -> None:
    line.answers.append(answer(1))
    with line.meter.counting() as count, ThreadPoolExecutor(1) as other:
        other.submit(line.get).result()
    assert (count.used(), line.asked()) == (Usage(), [""])


def test_an_error_while_counting_ends_the_count(line: Line) -> None:
    line.answers.extend([{"Error": {"Code": "AccessDenied", "Message": ""}}, answer(1)])
    with pytest.raises(ClientError), line.meter.counting():
        line.get()
    line.get()
    assert line.asked() == ["TOTAL", ""]


@pytest.mark.parametrize(
    ("operation", "answer", "used"),
    [
        ("UpdateItem", answer(2), Usage(write=2, calls=1)),
        ("TransactWriteItems", {"ConsumedCapacity": [{"CapacityUnits": 2}, {"CapacityUnits": 4}]}, Usage(write=6, calls=1)),
        ("BatchGetItem", {"ConsumedCapacity": [{"CapacityUnits": 2.5}]}, Usage(read=2.5, calls=1)),
        ("Query", {}, Usage(calls=1)),
        ("UpdateItem", {"Error": {"Code": "ConditionalCheckFailedException"}}, Usage(write=1, calls=1)),
        (
            "TransactWriteItems",
            {"Error": {"Code": "TransactionCanceledException"}, "CancellationReasons": [{}, {}]},
            Usage(write=4, calls=1),
        ),
        ("UpdateItem", {"Error": {"Code": "ThrottlingException"}}, Usage(calls=1)),
    ],
)  # fmt: skip
def test_an_answer_is_counted_by_its_consumed_capacity(operation: str, answer: dict[str, Any], used: Usage) -> None:
    assert counted(operation, answer) == used
