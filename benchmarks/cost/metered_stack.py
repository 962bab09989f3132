"""Stacks whose calls are counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks import emulators
from benchmarks.cost.meter import Meter, Usage
from benchmarks.emulators import DYNAMODB_LOCAL, MINISTACK
from benchmarks.table import Table, missing
from benchmarks.worker import without_delay
from benchmarks.workload import Stack, connect, store
from minutehand.adapters.s3 import S3Texts

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

    from minutehand.domain.job import Job


@dataclass(frozen=True, kw_only=True)
class Metered:
    """A stack and the meter of its clients."""

    stack: Stack
    meter: Meter
    sqs: SQSClient

    def take(self) -> Usage:
        """The usage since the last call of this method.

        Raises:
            RuntimeError: when a call failed; nothing competes here, so none may.
        """
        if self.meter.failures:
            raise RuntimeError(f"calls failed: {self.meter.failures[:3]}")
        return self.meter.take()


class Emulators:
    """Running emulators, on which metered stacks are made.

    Attributes:
        servers: URLs of DynamoDB servers, by name; MiniStack has the queues and objects too.
        notes: names what is not installed.
        operations: calls of all stacks, by operation.
    """

    def __init__(self, servers: Mapping[str, str], notes: Sequence[str] = ()) -> None:
        self.servers = servers
        self.notes = tuple(notes)
        self.operations: Counter[str] = Counter()
        self._made = 0

    def make(self, jobs: Sequence[Job], server: str = MINISTACK) -> Metered:
        """A stack with empty tables, these jobs, and a queue and bucket of its own."""
        url, ministack = self.servers[server], self.servers[MINISTACK]
        unwatched = emulators.dynamodb(url)
        jobs_table, runs_table = emulators.empty_tables(unwatched)
        store(unwatched, jobs_table, jobs)
        dynamodb, sqs, s3 = emulators.dynamodb(url), emulators.sqs(ministack), emulators.s3(ministack)
        without_delay(sqs)
        self._made += 1
        name = f"benchmark-{self._made}"
        queue = sqs.create_queue(QueueName=name)["QueueUrl"]
        s3.create_bucket(Bucket=name)
        meter = Meter(unwatched, self.operations)
        for client in (dynamodb, sqs, s3):
            meter.watch(client)
        texts = S3Texts(lambda: s3, name)
        stack = connect(dynamodb, sqs, jobs_table=jobs_table, runs_table=runs_table, queue=queue, texts=texts)
        return Metered(stack=stack, meter=meter, sqs=sqs)

    def scans(self, title: str) -> Table:
        """A table of all operations that were called; its goal is that none was a Scan."""
        return Table(
            title=title,
            goal="no Scan",
            holds=self.operations["Scan"] == 0,
            columns=("operation", "calls"),
            rows=tuple(sorted(self.operations.items())),
        )


@contextmanager
def running() -> Iterator[Emulators]:
    """MiniStack, and DynamoDB Local where it is installed."""
    with emulators.ministack() as url, ExitStack() as servers:
        try:
            local = servers.enter_context(emulators.dynamodb_local())
        except emulators.AbsentError as absent:
            yield Emulators({MINISTACK: url}, [missing(f"{absent}")])
        else:
            yield Emulators({MINISTACK: url, DYNAMODB_LOCAL: local})
