"""The settings and quotas that the capacity of a stack depends on."""

from __future__ import annotations

import math
from dataclasses import dataclass

from benchmarks.capacity import limits, model


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings and quotas.

    Attributes:
        due_shards, tick_fan_out, look_ahead, worker_concurrency: parameters of the template; the look-ahead in seconds.
        tick_share: timers that one invocation dispatches without sharing; a shard with more than its part of them is busy.
        tick_memory, worker_memory: MB.
        jobs, due, runs: warm throughput of each table and index, in write units a second.
        quota: the account's write units a second of a table or an index.
        jobs_reads, runs_reads: warm throughput of each table, in read units a second.
        read_quota: the account's read units a second of a table.
        settled: whether DynamoDB has split the index `due` for heat, so that each shard has its own partition. Otherwise
            their hash decides.
        pollers: provisioned pollers of the workers' queue; 0 if Lambda scales them.
        account: concurrent functions of the account.
        namespaces: the number over which occurrences are spread.
        slower: the factor by which latencies exceed the assumed ones.
        call: seconds of a target's answer.
    """

    due_shards: int = 8
    tick_fan_out: int = 8
    tick_share: int = model.TICK_SHARE
    tick_memory: int = 512
    look_ahead: int = 120
    worker_memory: int = 512
    worker_concurrency: int = 100
    jobs: int = int(limits.NEW_WRITES.value)
    due: int = int(limits.NEW_WRITES.value)
    runs: int = int(limits.NEW_WRITES.value)
    quota: int = int(limits.TABLE_WRITES.value)
    jobs_reads: int = int(limits.NEW_READS.value)
    runs_reads: int = int(limits.NEW_READS.value)
    read_quota: int = int(limits.TABLE_READS.value)
    settled: bool = True
    pollers: int = 0
    account: int = int(limits.CONCURRENCY.value)
    namespaces: int = 1
    slower: float = 1.0
    call: float = model.CALL

    @property
    def tick_processor(self) -> float:
        """The tick's share of a processor; one interpreter uses at most one."""
        return share(self.tick_memory)

    @property
    def worker_processor(self) -> float:
        """A worker's share of a processor."""
        return share(self.worker_memory)

    @property
    def ticks(self) -> int:
        """Concurrent invocations of the tick when all shards are busy."""
        return max(1, min(self.tick_fan_out, self.due_shards))

    @property
    def batch_time(self) -> float:
        """Seconds of a full batch without throttling."""
        return (
            (3 * model.ITEM + model.SEND) * self.slower
            + self.call
            + model.BATCH * model.WORKER_CPU / self.worker_processor
        )

    @property
    def jobs_read(self) -> int:
        """Read units a second of Jobs."""
        return min(self.read_quota, self.jobs_reads)

    @property
    def runs_read(self) -> int:
        """Read units a second of Runs."""
        return min(self.read_quota, self.runs_reads)

    @property
    def batches(self) -> int:
        """Concurrent batches, at most."""
        if self.pollers:
            most = self.pollers * limits.PROVISIONED_BATCHES.value
        else:
            most = min(self.worker_concurrency, limits.POLLERS_MOST.value)
        return int(min(most, self.account - self.ticks))

    @property
    def polls(self) -> float:
        """Batches a second that provisioned pollers receive; infinite if Lambda scales them."""
        return self.pollers * limits.PROVISIONED_POLLS.value if self.pollers else math.inf

    @property
    def batches_a_second(self) -> float:
        """Sustained full batches a second."""
        return min(self.batches / self.batch_time, self.polls)


def share(memory: int) -> float:
    """The share of a processor of a function with so many MB."""
    return min(memory / limits.FULL_CPU.value, 1.0)
