"""The settings and quotas that the capacity of a stack depends on."""

from __future__ import annotations

import math
from dataclasses import dataclass

from benchmarks.capacity import limits, model


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings and quotas.

    Attributes:
        tick_fan_out, look_ahead, worker_concurrency: parameters of the template; the look-ahead in seconds.
        tick_share: timers that one invocation dispatches without sharing; a bucket with more than its part of them is busy.
        tick_memory, worker_memory: MB.
        jobs, runs: warm throughput of each table, in write units a second.
        quota: the account's write units a second of a table.
        jobs_reads, runs_reads: warm throughput of each table, in read units a second.
        read_quota: the account's read units a second of a table.
        settled: whether DynamoDB has split the table Jobs for heat, so that each bucket of packed timers has its own partition.
            Otherwise their hash decides.
        resting: packed timers that are not due.
        pollers: provisioned pollers of the workers' queue; 0 if Lambda scales them.
        account: concurrent functions of the account.
        slower: the factor by which latencies exceed the assumed ones.
        call: seconds of a target's answer.
    """

    tick_fan_out: int = 8
    tick_share: int = model.TICK_SHARE
    tick_memory: int = 512
    look_ahead: int = 120
    worker_memory: int = 512
    worker_concurrency: int = 100
    jobs: int = int(limits.NEW_WRITES.value)
    runs: int = int(limits.NEW_WRITES.value)
    quota: int = int(limits.TABLE_WRITES.value)
    jobs_reads: int = int(limits.NEW_READS.value)
    runs_reads: int = int(limits.NEW_READS.value)
    read_quota: int = int(limits.TABLE_READS.value)
    settled: bool = True
    resting: int = 0
    pollers: int = 0
    account: int = int(limits.CONCURRENCY.value)
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
        """Concurrent invocations of the tick when all buckets are busy."""
        return max(1, min(self.tick_fan_out, model.BUCKETS))

    @property
    def tick_pace(self) -> float:
        """Timers a second that one invocation of the tick dispatches: its threads wait for calls, and in turn for its processor.

        This is mean value analysis of a closed queueing network; a test compares it with the simulation.
        """
        calls = model.GROUP_CALLS * math.exp(model.SPREAD**2 / 2) * self.slower
        processor = model.GROUP * model.TICK_CPU / self.tick_processor
        pace = waiting = 0.0
        for threads in range(1, model.THREADS + 1):
            at_processor = processor * (1 + waiting)
            pace = threads / (calls + at_processor)
            waiting = pace * at_processor
        return pace * model.GROUP

    @property
    def look_time(self) -> float:
        """Seconds that a tick needs to read a packed timer that is not due: its buckets are read at the same time by several threads."""
        most = limits.QUERY_SIZE.value * 2**20 / model.PACKED_BYTES
        page = min(model.LOOKS * self.tick_share / model.BUCKETS, most)
        query = model.QUERY + model.READING * page / most
        return query / page / model.THREADS * self.slower

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
