"""Dead letters: messages that workers received too often, in an SQS queue that no event source mapping polls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from botocore.exceptions import BotoCoreError, ClientError

from minutehand.domain.errors import Unavailable

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

MOST_AT_ONCE = 10
"""Messages in one ReceiveMessage request; a limit of SQS."""
WAIT_SECONDS = 1
"""Seconds that a request waits for a message. One that does not wait asks only some of SQS's servers, and may find nothing."""


class Letter(NamedTuple):
    """A message of a dead-letter queue, as it was received."""

    message_id: str
    body: str
    receipt: str


class SqsDeadLetters:
    """A dead-letter queue, by its URL."""

    def __init__(self, client: SQSClient, queue: str) -> None:
        self._client = client
        self._queue = queue

    def waiting(self) -> int:
        """The number of messages that can be received, approximately.

        Raises:
            Unavailable: if SQS does not answer.
        """
        try:
            found = self._client.get_queue_attributes(
                QueueUrl=self._queue, AttributeNames=["ApproximateNumberOfMessages"]
            )
        except (BotoCoreError, ClientError) as error:
            raise self._unavailable("GetQueueAttributes", error) from error
        return int(found["Attributes"]["ApproximateNumberOfMessages"])

    def receive(self) -> Sequence[Letter]:
        """Receive up to ten messages, which the queue then hides for its visibility timeout; none if the queue is empty.

        Raises:
            Unavailable: if SQS does not answer.
        """
        try:
            found = self._client.receive_message(
                QueueUrl=self._queue, MaxNumberOfMessages=MOST_AT_ONCE, WaitTimeSeconds=WAIT_SECONDS
            )
        except (BotoCoreError, ClientError) as error:
            raise self._unavailable("ReceiveMessage", error) from error
        return [Letter(one["MessageId"], one["Body"], one["ReceiptHandle"]) for one in found.get("Messages", ())]

    def delete(self, letter: Letter) -> None:
        """Delete a message that was received.

        Raises:
            Unavailable: if SQS does not answer. The message may be received again.
        """
        try:
            self._client.delete_message(QueueUrl=self._queue, ReceiptHandle=letter.receipt)
        except (BotoCoreError, ClientError) as error:
            raise self._unavailable("DeleteMessage", error) from error

    def _unavailable(self, call: str, error: Exception) -> Unavailable:
        return Unavailable(f"{call} on queue {self._queue} failed: {error}")
