"""A scene whose calls are counted, ticked and worked at by the real use cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from benchmarks import stack
from benchmarks.meter import Meter, Usage
from benchmarks.scene import LOOK_AHEAD, MINUTE, NINE, SECOND, SHARDS, Scene, scene, store
from benchmarks.worker import without_delay, work
from minutehand.adapters.s3 import S3Texts
from minutehand.usecases.dispatching.tick import tick

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

    from minutehand.domain.job import Job

MINISTACK, LOCAL = "MiniStack", "DynamoDB Local"


@dataclass(frozen=True, kw_only=True)
class Metered:
    """A scene whose clients are watched."""

    scene: Scene
    meter: Meter
    sqs: SQSClient

    def tick(self) -> int:
        """Tick once; how many messages it sent."""
        dispatched = tick(self.scene.ports, shards=range(SHARDS), time_left=lambda: timedelta(minutes=1))
        if dispatched.problems or dispatched.claimed != dispatched.sent:
            raise RuntimeError(f"the tick did not go as it should: {dispatched}")
        return dispatched.sent

    def take(self) -> Usage:
        """What was used since the last time.

        Raises:
            RuntimeError: when a call or a statement failed; nobody competes here, so none may.
        """
        if self.meter.failures:
            raise RuntimeError(f"calls failed: {self.meter.failures[:3]}")
        return self.meter.take()


class Scenes:
    """Makes scenes, each in empty tables and with a queue and a bucket of its own.

    Args:
        ministack: URL of the server of queues and objects.
        servers: URLs of DynamoDB servers, by name.
    """

    def __init__(self, ministack: str, servers: Mapping[str, str]) -> None:
        self.servers = servers
        self.operations: Counter[str] = Counter()
        self._ministack = ministack
        self._made = 0

    def make(self, jobs: Sequence[Job], server: str) -> Metered:
        """A scene with these jobs."""
        url = self.servers[server]
        plain = stack.dynamodb(url)
        jobs_table, runs_table = stack.empty_tables(plain)
        store(plain, jobs_table, jobs)
        dynamodb, sqs, s3 = stack.dynamodb(url), stack.sqs(self._ministack), stack.s3(self._ministack)
        without_delay(sqs)
        self._made += 1
        queue = sqs.create_queue(QueueName=f"benchmark-{self._made}")["QueueUrl"]
        bucket = f"benchmark-{self._made}"
        s3.create_bucket(Bucket=bucket)
        meter = Meter(plain, self.operations)
        for client in (dynamodb, sqs, s3):
            meter.watch(client)
        texts = S3Texts(lambda: s3, bucket)
        given = scene(dynamodb, sqs, jobs_table=jobs_table, runs_table=runs_table, queue=queue, texts=texts)
        return Metered(scene=given, meter=meter, sqs=sqs)


def worked(metered: Metered, *, occurrences: int, ticks: int) -> list[Usage]:
    """What each of some ticks, a minute apart, and the work that follows it use."""
    usages = []
    for minute in range(ticks):
        metered.scene.clock.now = NINE + minute * MINUTE
        sent = metered.tick()
        if sent != occurrences:
            raise RuntimeError(f"{sent} occurrences were sent instead of {occurrences}")
        metered.scene.clock.now += LOOK_AHEAD + SECOND
        work(metered.scene, metered.sqs, messages=sent)
        usages.append(metered.take())
    return usages
