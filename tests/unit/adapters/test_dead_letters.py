"""The dead-letter queue, in moto's imitation of SQS."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from moto import mock_aws

from minutehand.adapters.dead_letters import Letter, SqsDeadLetters
from minutehand.domain.errors import Unavailable
from tests.unit.adapters.fakes import Scripted, client_error


@pytest.fixture
def client() -> Iterator[Any]:
    with mock_aws():
        yield boto3.client(
            "sqs", region_name="us-east-1", aws_access_key_id="test", aws_secret_access_key="test", endpoint_url=None
        )


@pytest.mark.thorough
def test_messages_are_counted_received_in_tens_and_deleted(client: Any) -> None:
    url = client.create_queue(QueueName="dead")["QueueUrl"]
    queue = SqsDeadLetters(client, url)
    assert (queue.waiting(), queue.receive()) == (0, [])
    for number in range(12):
        client.send_message(QueueUrl=url, MessageBody=f"body {number}")
    assert queue.waiting() == 12
    first, rest = queue.receive(), queue.receive()
    assert (len(first), len(rest)) == (10, 2)
    assert sorted(letter.body for letter in [*first, *rest]) == sorted(f"body {number}" for number in range(12))
    assert queue.waiting() == 0, "what was received is hidden"
    for letter in rest:
        queue.delete(letter)
    for letter in first:
        client.change_message_visibility(QueueUrl=url, ReceiptHandle=letter.receipt, VisibilityTimeout=0)
    assert {letter.message_id for letter in queue.receive()} == {letter.message_id for letter in first}


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda queue: queue.waiting(), "GetQueueAttributes"),
        (lambda queue: queue.receive(), "ReceiveMessage"),
        (lambda queue: queue.delete(Letter("id", "body", "receipt")), "DeleteMessage"),
    ],
    ids=["waiting", "receive", "delete"],
)
def test_a_queue_that_does_not_answer_is_an_error_with_the_call_and_the_queue(call: Any, name: str) -> None:
    denied: Any = Scripted(client_error("AccessDenied"))
    with pytest.raises(Unavailable, match=f"{name} on queue dead failed: .*AccessDenied"):
        call(SqsDeadLetters(denied, "dead"))
