"""A stack's settings, as far as its capacity depends on them, and what AWS was asked for beside them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from benchmarks.capacity import limits, model


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What is chosen.

    Attributes:
        due_shards, tick_fan_out, look_ahead, worker_concurrency: the template's parameters; the look-ahead in seconds.
        tick_share: timers that a tick takes on alone; a shard with more than its part of them is busy.
        tick_memory, worker_memory: in MB.
        jobs, due, runs, by_time: write units a second that each table and index is warm for.
        quota: write units a second that the account may use of a table or an index.
        jobs_reads, runs_reads: read units a second that each table is warm for.
        read_quota: read units a second that the account may use of a table.
        settled: whether DynamoDB has split the index `due` for heat, so that each shard has a partition of its own. Else shards
            lie where their hash puts them.
        pollers: provisioned pollers of the workers' queue, neither more nor fewer; 0 is the mode that Lambda scales itself.
        account: functions that may run at once in the account.
        namespaces: over how many of them the occurrences are spread.
        slower: by how much all latencies are longer than assumed.
        call: seconds that a target takes.
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
    by_time: int = int(limits.NEW_WRITES.value)
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
        """Of a processor, that a tick has. One interpreter uses one processor and no more, whatever the memory."""
        return share(self.tick_memory)

    @property
    def worker_processor(self) -> float:
        """Of a processor, that a worker has."""
        return share(self.worker_memory)

    @property
    def ticks(self) -> int:
        """Invocations of the tick that work side by side when all shards are busy."""
        return max(1, min(self.tick_fan_out, self.due_shards))

    @property
    def batch_time(self) -> float:
        """Seconds that a worker takes over a full batch, without waiting for anything."""
        return (
            (3 * model.ITEM + model.SEND) * self.slower
            + self.call
            + model.BATCH * model.WORKER_CPU / self.worker_processor
        )

    @property
    def jobs_read(self) -> int:
        """Read units a second of Jobs that are let through."""
        return min(self.read_quota, self.jobs_reads)

    @property
    def runs_read(self) -> int:
        """Read units a second of Runs that are let through."""
        return min(self.read_quota, self.runs_reads)

    @property
    def batches(self) -> int:
        """Batches that may be in work at once."""
        if self.pollers:
            most = self.pollers * limits.PROVISIONED_BATCHES.value
        else:
            most = min(self.worker_concurrency, limits.POLLERS_MOST.value)
        return int(min(most, self.account - self.ticks))

    @property
    def polls(self) -> float:
        """Batches a second that pollers of the queue's own take from it; infinite where Lambda has as many as it needs."""
        return self.pollers * limits.PROVISIONED_POLLS.value if self.pollers else math.inf

    @property
    def batches_a_second(self) -> float:
        """Full batches that are begun in a second, second after second."""
        return min(self.batches / self.batch_time, self.polls)


def share(memory: int) -> float:
    """Of a processor, that a function of so many MB can use."""
    return min(memory / limits.FULL_CPU.value, 1.0)
