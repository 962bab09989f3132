"""A worker without Lambda: receives messages, runs the use case, deletes messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import count
from typing import TYPE_CHECKING, Any

from benchmarks.workload import Stack
from minutehand.adapters.sqs import SqsInbox, received
from minutehand.domain.run import Result, RunState
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.target import Outcome
from minutehand.usecases.running.cancel_watch import Watch
from minutehand.usecases.running.execute import execute
from minutehand.usecases.running.worker import Worker

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

BATCH = 10
"""Messages a worker receives at a time, as in the template; and its threads."""
SUCCEEDED = Outcome(RunState.SUCCEEDED, result=Result(type="http", status=200, body='{"closed":true}'))

Target = Callable[..., Outcome]


def make_worker(stack: Stack, sqs: Any, call: Target, *, threads: ThreadPoolExecutor | None = None) -> Worker:
    """The worker of a stack. Without threads it handles one run after another."""
    return Worker(
        inbox=SqsInbox(sqs, stack.queue),
        call=call,
        token=map("{:032x}".format, count()).__next__,
        parallel=threads.map if threads else map,
        time_left=lambda: timedelta(minutes=15),
        watch=Watch(stack.ports.runs, stack.ports.clock, threads.submit if threads else lambda look: look()),
        sleep=lambda _: None,
        meter=stack.meter,
    )


def receive(stack: Stack, sqs: SQSClient) -> Sequence[Received]:
    """The next batch of messages.

    Raises:
        RuntimeError: when the queue is empty.
    """
    found = sqs.receive_message(QueueUrl=stack.queue, MaxNumberOfMessages=BATCH).get("Messages", [])
    if not found:
        raise RuntimeError("a message did not arrive")
    return [received(message["Body"], message["ReceiptHandle"]) for message in found]


def work(
    stack: Stack, sqs: SQSClient, *, messages: int, target: Target = lambda *_: SUCCEEDED, may_keep: bool = False
) -> None:
    """Receive, execute and delete messages, as Lambda's poller and a worker do.

    Args:
        may_keep: whether the worker may leave a message in the queue.

    Raises:
        RuntimeError: when messages are missing, or the worker leaves one that it may not.
    """
    worker = make_worker(stack, sqs, target)
    done = 0
    while done < messages:
        batch = receive(stack, sqs)
        handled = execute(batch, ports=stack.ports, worker=worker)
        unfinished = [one for one in handled if not one.deletable]
        if unfinished and not may_keep:
            raise RuntimeError(f"{len(unfinished)} runs were not finished, the first: {unfinished[0]}")
        finished = [one.received.receipt for one in handled if one.deletable]
        if finished:
            entries: Any = [{"Id": str(n), "ReceiptHandle": receipt} for n, receipt in enumerate(finished)]
            sqs.delete_message_batch(QueueUrl=stack.queue, Entries=entries)
        done += len(batch)


def without_delay(sqs: SQSClient) -> None:
    """Send this client's messages without delay: the benchmark sets its clock instead of waiting."""

    def at_once(params: dict[str, Any], **_: Any) -> Any:
        return params | {"Entries": [{**entry, "DelaySeconds": 0} for entry in params["Entries"]]}

    sqs.meta.events.register("provide-client-params.sqs.SendMessageBatch", at_once)
