"""Ticks of a stack among timers that are not due, and what they take."""

from __future__ import annotations

import gc
from dataclasses import dataclass, field
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from benchmarks import read_units
from benchmarks.workload import MINUTE, Stack, connect
from minutehand.entrypoints.tick import AT_A_TIME, Threads

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_sqs import SQSClient

DUE = 100
"""Jobs that are due in each tick."""


@dataclass(frozen=True, kw_only=True)
class Ticks:
    """The ticks among so many jobs: seconds, calls and read units of each."""

    jobs: int
    processor: list[float] = field(default_factory=list)
    elapsed: list[float] = field(default_factory=list)
    calls: list[int] = field(default_factory=list)
    units: list[float] = field(default_factory=list)


class Ticker:
    """A stack with so many jobs, ticked again and again. Its tables have the number in their names."""

    def __init__(self, dynamodb: DynamoDBClient, sqs: SQSClient, size: int) -> None:
        self.ticks = Ticks(jobs=size)
        self._sqs = sqs
        self._threads = Threads(AT_A_TIME)
        self._answers: list[tuple[str, Any]] = []
        self._stack = self._connect(dynamodb, size)

    def _connect(self, dynamodb: DynamoDBClient, size: int) -> Stack:
        queue = self._sqs.create_queue(QueueName=f"growth-{size}")["QueueUrl"]
        for client in (dynamodb, self._sqs):
            client.meta.events.register("after-call", self._record)
        return connect(dynamodb, self._sqs, jobs_table=f"JobsTable{size}", runs_table=f"RunsTable{size}", queue=queue)

    def _record(self, model: Any, parsed: Any, **_: Any) -> None:
        self._answers.append((model.name, parsed))

    def tick(self) -> None:
        """Tick once, a minute after the last time."""
        self._answers.clear()
        gc.collect()
        began = perf_counter(), process_time()
        self._stack.tick(sends=DUE, advances=DUE, time_left=MINUTE, parallel=self._threads)
        self.ticks.processor.append(process_time() - began[1])
        self.ticks.elapsed.append(perf_counter() - began[0])
        self.ticks.calls.append(len(self._answers))
        self.ticks.units.append(
            sum(
                read_units.of_query(found["Items"], consistent=False)
                for name, found in self._answers
                if name == "Query"
            )
        )
        self._stack.clock.now += MINUTE
        self._sqs.purge_queue(QueueUrl=self._stack.queue)

    def forget(self) -> None:
        """Count from here on: the ticks before warmed connections and caches."""
        self.ticks = Ticks(jobs=self.ticks.jobs)
