"""A worker as it is deployed, but for its queue's poller: batches of messages, the real HTTP caller, ten threads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import count
from typing import TYPE_CHECKING, Any

from benchmarks.scene import Scene
from minutehand.adapters.sqs import SqsInbox, received
from minutehand.domain.run import Result, RunState
from minutehand.targets.callers import CallByType, load_callers
from minutehand.targets.terms import TargetTerms
from minutehand.usecases.ports.target import Outcome
from minutehand.usecases.running.cancel_watch import Watch
from minutehand.usecases.running.execute import execute
from minutehand.usecases.running.worker import Handled, Worker

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

    from minutehand.usecases.ports.messages import Received

BATCH = 10
"""Messages in the hands of a worker at a time, as the template has it; and its threads."""
ANSWER = Outcome(RunState.SUCCEEDED, result=Result(type="http", status=200, body='{"ok":true}'))
"""What `benchmarks.target` answers, as a run records it."""


def worker(scene: Scene, sqs: Any, threads: ThreadPoolExecutor) -> Worker:
    """The worker of this scene, which calls its targets."""

    def parallel(do: Any, what: Sequence[Any]) -> Iterable[Any]:
        return threads.map(do, what)

    return Worker(
        inbox=SqsInbox(sqs, scene.queue),
        call=CallByType(load_callers(), TargetTerms(allow_loopback=True)),
        token=map("{:032x}".format, count()).__next__,
        parallel=parallel,
        time_left=lambda: timedelta(minutes=15),
        watch=Watch(scene.ports.runs, scene.ports.clock, threads.submit),
        sleep=lambda _: None,
        meter=scene.meter,
    )


def messages(scene: Scene, sqs: SQSClient, load: int) -> list[list[Received]]:
    """So many messages off the queue, in batches.

    Raises:
        RuntimeError: when they do not come.
    """
    batches: list[list[Received]] = []
    while sum(map(len, batches)) < load:
        found = sqs.receive_message(QueueUrl=scene.queue, MaxNumberOfMessages=BATCH).get("Messages", [])
        if not found:
            raise RuntimeError(f"of {load} messages {load - sum(map(len, batches))} did not arrive")
        batches.append([received(message["Body"], message["ReceiptHandle"]) for message in found])
    return batches


def work(batches: Sequence[Sequence[Received]], scene: Scene, worker: Worker) -> list[Handled]:
    """Execute batch after batch."""
    return [one for batch in batches for one in execute(batch, ports=scene.ports, worker=worker)]
