"""DynamoDB's throttling: a token bucket for each partition, table and index."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from benchmarks.capacity import limits, model, sweep
from benchmarks.capacity.settings import Settings
from benchmarks.capacity.token_bucket import TokenBucket


class Store:
    """The two tables and the index that each occurrence writes, and the tables that its worker reads.

    The sweep's reads are subtracted from Runs. The tick's reads of `due` are small (half a unit for each 4 KB of timers) and ignored.

    The keys of tables are hashed jobs, so many that their partitions are evenly loaded: a table is one bucket. Shards of
    `due` are few; each has the throughput of its partition, which it may share. So are the partitions of entries, one for each
    namespace and hour.
    """

    def __init__(self, settings: Settings, dice: Random) -> None:
        def bucket(warm: int) -> TokenBucket:
            return TokenBucket(min(settings.quota, warm))

        self.jobs, self._due, self.runs = map(bucket, (settings.jobs, settings.due, settings.runs))
        self._shards = _placed(
            settings.due_shards, settings.due_shards if settings.settled else settings.due, dice, apart=settings.settled
        )
        self._entries = _placed(settings.namespaces, settings.runs, dice)
        self._jobs_reads, self._runs_reads = (
            TokenBucket(settings.jobs_read),
            TokenBucket(settings.runs_read - sweep.read()),
        )
        self._settings_reads = [TokenBucket(limits.PARTITION_READS.value) for _ in range(settings.namespaces)]
        self._turn = 0
        self.refused = {"claims": 0, "advances": 0}

    def claim(self, claims: int, now: float) -> int:
        """Claim runs of one namespace, with their entries; the number that was not throttled."""
        allowed = self._entries[self._turn % len(self._entries)].take(claims, model.ENTRY, now)
        self._turn += 1
        written = self.runs.take(allowed, model.CLAIM + model.ENTRY, now)
        self.refused["claims"] += claims - written
        return written

    def claim_again(self, claims: int, now: float) -> None:
        """Claim what exists already: a failed condition costs the same."""
        self.runs.take(claims, model.CLAIM, now)

    def advance(self, shard: int, advances: int, now: float) -> int:
        """Advance timers of a shard; the number that was not throttled."""
        allowed = self.jobs.take(advances, model.ADVANCE, now)
        allowed = self._due.take(allowed, model.ADVANCE_IN_INDEX, now)
        written = self._shards[shard].take(allowed, model.ADVANCE_IN_INDEX, now)
        self.refused["advances"] += advances - written
        return written

    def worker_reads(self, runs: int, now: float) -> float:
        """Seconds that a batch waits to read its runs, then their definitions and their namespace's settings."""
        self._turn += 1
        namespace = self._settings_reads[self._turn % len(self._settings_reads)].wait(model.READ_NAMESPACE, now)
        jobs = self._jobs_reads.wait(runs * model.READ_DEFINITION + model.READ_NAMESPACE, now)
        return self._runs_reads.wait(runs * model.READ_RUN, now) + max(jobs, namespace)

    def worker_writes(self, runs: int, now: float) -> float:
        """Seconds that starts or reports wait."""
        return self.runs.wait(runs * model.START, now)


def _placed(keys: int, warm: int, dice: Random, *, apart: bool = False) -> Sequence[TokenBucket]:
    """The partition of each key."""
    if apart:
        return [TokenBucket(limits.PARTITION_WRITES.value) for _ in range(keys)]
    partitions = [
        TokenBucket(limits.PARTITION_WRITES.value) for _ in range(max(1, round(warm / limits.PARTITION_WRITES.value)))
    ]
    return [dice.choice(partitions) for _ in range(keys)]
