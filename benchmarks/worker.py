"""A worker whose target is a stub, and what on AWS hands it its messages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from itertools import count
from typing import TYPE_CHECKING, Any

from benchmarks.scene import Scene
from minutehand.adapters.sqs import SqsInbox, received
from minutehand.domain.run import Result, RunState
from minutehand.usecases.ports.target import Outcome
from minutehand.usecases.running.cancel_watch import Watch
from minutehand.usecases.running.execute import execute
from minutehand.usecases.running.worker import Worker

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

BATCH = 10
"""Messages in the hands of a worker at a time, as the template has it."""


def answers(outcome: Outcome) -> Callable[..., Outcome]:
    """A target that always ends like this."""
    return lambda _target, _call: outcome


WELL = answers(Outcome(state=RunState.SUCCEEDED, result=Result(type="http", status=200, body='{"closed":true}')))


def work(
    scene: Scene, sqs: SQSClient, *, messages: int, target: Callable[..., Outcome] = WELL, may_stay: bool = False
) -> None:
    """Receive, execute and delete so many messages, as Lambda's poller and a worker do.

    Args:
        may_stay: whether a worker may hand messages back.

    Raises:
        RuntimeError: when they do not come, or a message cannot be deleted that may not stay.
    """
    tokens = count()
    worker = Worker(
        inbox=SqsInbox(sqs, scene.queue),
        call=target,
        token=lambda: f"{next(tokens):032x}",
        parallel=map,
        time_left=lambda: timedelta(minutes=15),
        meter=scene.meter,
        watch=Watch(scene.ports.runs, scene.ports.clock, lambda look: look()),
        sleep=lambda _: None,
    )
    done = 0
    while done < messages:
        batch = sqs.receive_message(QueueUrl=scene.queue, MaxNumberOfMessages=BATCH).get("Messages", [])
        if not batch:
            raise RuntimeError(f"{messages - done} of {messages} messages did not arrive")
        handled = execute(
            [received(message["Body"], message["ReceiptHandle"]) for message in batch], ports=scene.ports, worker=worker
        )
        unfinished = [one for one in handled if not one.deletable]
        if unfinished and not may_stay:
            raise RuntimeError(f"{len(unfinished)} runs were not finished, the first: {unfinished[0]}")
        done_with = [one.received.receipt for one in handled if one.deletable]
        if done_with:
            entries: Any = [{"Id": str(n), "ReceiptHandle": receipt} for n, receipt in enumerate(done_with)]
            sqs.delete_message_batch(QueueUrl=scene.queue, Entries=entries)
        done += len(batch)


def without_delay(sqs: SQSClient) -> None:
    """Have this client's messages arrive at once: a benchmark's clock need not be waited for."""

    def at_once(params: dict[str, Any], **_: Any) -> Any:
        return params | {"Entries": [{**entry, "DelaySeconds": 0} for entry in params["Entries"]]}

    sqs.meta.events.register("provide-client-params.sqs.SendMessageBatch", at_once)
