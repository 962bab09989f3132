"""The depths of SQS queues."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import boto3
import pytest
from moto import mock_aws

from minutehand.adapters.queue_depths import SqsQueues
from minutehand.domain.errors import Unavailable
from minutehand.usecases.ports.queues import Depth

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient


@pytest.fixture
def sqs() -> Iterator[SQSClient]:
    with mock_aws():
        yield boto3.client("sqs", region_name="us-east-1", aws_access_key_id="test", aws_secret_access_key="test")


def test_messages_are_counted_by_what_they_wait_for(sqs: SQSClient) -> None:
    url = sqs.create_queue(QueueName="q")["QueueUrl"]
    for delay in (0, 0, 300):
        sqs.send_message(QueueUrl=url, MessageBody="x", DelaySeconds=delay)
    sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=1)
    queues = SqsQueues(sqs, {"http": url})
    assert queues.names() == ["http"]
    assert queues.depth("http") == Depth("http", waiting=1, delayed=1, in_flight=1)


def test_a_queue_that_does_not_answer_is_named(sqs: SQSClient) -> None:
    with pytest.raises(Unavailable, match="GetQueueAttributes on queue aws failed"):
        SqsQueues(sqs, {"aws": "https://sqs.us-east-1.amazonaws.com/1/none"}).depth("aws")
