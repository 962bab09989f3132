"""The depths of SQS queues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from minutehand.domain.errors import Unavailable
from minutehand.usecases.ports.queues import Depth

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient


class SqsQueues:
    """SQS implementation of the port `Queues`.

    Args:
        urls: the URL of each queue, by its name.
    """

    def __init__(self, client: SQSClient, urls: Mapping[str, str]) -> None:
        self._client = client
        self._urls = urls

    def names(self) -> Sequence[str]:
        return sorted(self._urls)

    def depth(self, name: str) -> Depth:
        try:
            found = self._client.get_queue_attributes(
                QueueUrl=self._urls[name],
                AttributeNames=[
                    "ApproximateNumberOfMessages",
                    "ApproximateNumberOfMessagesDelayed",
                    "ApproximateNumberOfMessagesNotVisible",
                ],
            )["Attributes"]
        except (BotoCoreError, ClientError) as error:
            raise Unavailable(f"GetQueueAttributes on queue {name} failed: {error}") from error
        return Depth(
            name,
            waiting=int(found["ApproximateNumberOfMessages"]),
            delayed=int(found["ApproximateNumberOfMessagesDelayed"]),
            in_flight=int(found["ApproximateNumberOfMessagesNotVisible"]),
        )
