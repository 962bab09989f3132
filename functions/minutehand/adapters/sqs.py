"""Messages to workers through SQS. A message contains only a job, a run and an attempt, and of a retry its start."""

from __future__ import annotations

import json
import math
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from minutehand.adapters.backoff import pause_after
from minutehand.domain.declaration.checks import NAME
from minutehand.domain.errors import Unavailable
from minutehand.domain.instants import SECOND, from_compact, from_text, to_text
from minutehand.domain.job_key import JobKey
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.messages import Message, Received
from minutehand.usecases.ports.stores import Clock

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import SendMessageBatchRequestEntryTypeDef

MOST_PER_BATCH = 10
"""Entries in one SendMessageBatch or ChangeMessageVisibilityBatch request; a limit of SQS."""

LONGEST_DELAY = 900
"""Longest delay of a message, in seconds; a limit of SQS."""

LONGEST_HIDING = 42_000
"""Most seconds for which a message is hidden. SQS allows 12 hours from the receive, and refuses more; a worker may have had the message for
up to 15 minutes."""

_TRIES = 5
"""Most tries to send a message that a busy queue refuses."""

_written = json.JSONEncoder(separators=(",", ":")).encode


class SqsOutbox:
    """SQS implementation of the port `Outbox`.

    Args:
        queue_of: the URL of the queue for a type of target; None if this function sends nothing to it.
        slow_queue_of: that of the slow lane; None if this function sends only to the quick lane, whose workers move slow runs.
        clock: gives the time from which the delay of a message counts.
    """

    def __init__(
        self,
        client: SQSClient,
        queue_of: Callable[[str], str | None],
        *,
        clock: Clock,
        slow_queue_of: Callable[[str], str | None] = lambda _: None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._client = client
        self._queue_of = queue_of
        self._slow_queue_of = slow_queue_of
        self._clock = clock
        self._sleep = sleep

    def send(self, messages: Sequence[Message]) -> Sequence[bool]:
        """Send messages, delayed to their instants, and say which SQS accepted. Does not raise. A message that SQS did not confirm
        counts as not accepted, but may still arrive.

        A message for an instant more than 15 minutes ahead arrives after 15 minutes, and its worker returns it to the queue.
        """
        accepted = [False] * len(messages)
        by_queue = defaultdict(list)
        for index, message in enumerate(messages):
            queue = (message.slow and self._slow_queue_of(message.target)) or self._queue_of(message.target)
            if queue is not None:
                by_queue[queue].append(index)
        for queue, indexes in by_queue.items():
            for start in range(0, len(indexes), MOST_PER_BATCH):
                for index in self._send(queue, messages, indexes[start : start + MOST_PER_BATCH]):
                    accepted[index] = True
        return accepted

    def _send(self, queue: str, messages: Sequence[Message], indexes: Sequence[int]) -> set[int]:
        """Send one batch; return the indexes that were accepted."""
        pending = {str(index): index for index in indexes}
        for turn in range(_TRIES):
            entries = [self._entry(name, messages[index]) for name, index in pending.items()]
            try:
                answer = self._client.send_message_batch(QueueUrl=queue, Entries=entries)
            except (BotoCoreError, ClientError):
                break
            for sent in answer.get("Successful", ()):
                pending.pop(sent["Id"], None)
            refused = {entry["Id"] for entry in answer.get("Failed", ()) if entry["SenderFault"]}
            if pending.keys() <= refused or turn + 1 == _TRIES:
                break
            self._sleep(pause_after(turn))
        return set(indexes) - set(pending.values())

    def _entry(self, name: str, message: Message) -> SendMessageBatchRequestEntryTypeDef:
        delay = message.whole_seconds(self._clock())
        entry: SendMessageBatchRequestEntryTypeDef = {
            "Id": name,
            "MessageBody": message_body(message),
            "DelaySeconds": min(max(delay, 0), LONGEST_DELAY),
        }
        if message.slow:
            # Fair queues: SQS delivers the messages of other namespaces first while one has a large part of those in flight.
            entry["MessageGroupId"] = message.run.job.namespace
        return entry


def message_body(message: Message) -> str:
    """The body of a message, as `received` parses it."""
    body = {"job": str(message.run.job), "run_id": message.run.run_id, "attempt": message.attempt}
    if message.retries:
        body["not_before"] = to_text(message.not_before)
    return _written(body)


class SqsInbox:
    """SQS implementation of the port `Inbox`.

    Args:
        queue: URL of the worker's queue.
    """

    def __init__(self, client: SQSClient, queue: str) -> None:
        self._client = client
        self._queue = queue

    def hide(self, received: Sequence[Received], duration: timedelta) -> None:
        """Hide received messages for a time, at most `LONGEST_HIDING`. A message that no longer exists is no error."""
        timeout = min(max(math.ceil(duration / SECOND), 0), LONGEST_HIDING)
        for start in range(0, len(received), MOST_PER_BATCH):
            batch = received[start : start + MOST_PER_BATCH]
            try:
                answer = self._client.change_message_visibility_batch(
                    QueueUrl=self._queue,
                    Entries=[
                        {"Id": str(index), "ReceiptHandle": message.receipt, "VisibilityTimeout": timeout}
                        for index, message in enumerate(batch)
                    ],
                )
            except (BotoCoreError, ClientError) as error:
                raise Unavailable(f"ChangeMessageVisibilityBatch on queue {self._queue} failed: {error}") from error
            failed = [entry for entry in answer.get("Failed", ()) if not entry["SenderFault"]]
            if failed:
                codes = ", ".join(sorted({entry["Code"] for entry in failed}))
                raise Unavailable(f"{len(failed)} of the messages on queue {self._queue} could not be hidden: {codes}")


def received(body: str, receipt: str, receives: int = 1) -> Received:
    """Parse the body of a message that `SqsOutbox` sent, and that the queue has delivered so often.

    Raises:
        ValueError: with what is wrong with the body.
    """
    try:
        stored = json.loads(body)
    except ValueError as error:
        raise ValueError(f"the message's body is not JSON: {error}") from None
    if not isinstance(stored, dict) or not {"job", "run_id", "attempt"} <= stored.keys():
        raise ValueError("the message's body is not an object with job, run_id and attempt")
    job, run_id, attempt = stored["job"], stored["run_id"], stored["attempt"]
    if not isinstance(job, str) or not all(NAME.fullmatch(part) for part in job.partition("/")[::2]):
        raise ValueError(f"job: {job!r} is not namespace/name")
    try:
        from_compact(str(run_id).partition("~")[0])
    except ValueError:
        raise ValueError(f"run_id: {run_id!r} does not start with an instant such as 20261120T090000Z") from None
    if not isinstance(attempt, int) or isinstance(attempt, bool) or attempt < 0:
        raise ValueError(f"attempt: {attempt!r} is not a whole number of 0 or more")
    try:
        not_before = from_text(stored["not_before"]) if "not_before" in stored else None
    except (ValueError, TypeError):
        raise ValueError(
            f"not_before: {stored['not_before']!r} is not an instant such as 2026-11-20T09:00:00Z"
        ) from None
    run = RunKey(job=JobKey.of(job), run_id=str(run_id))
    return Received(run, attempt, receipt, receives=receives, not_before=not_before)
