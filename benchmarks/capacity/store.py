"""DynamoDB's throttling: a token bucket for each partition, table and index."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from benchmarks.capacity import limits, model, sweep
from benchmarks.capacity.settings import Settings
from benchmarks.capacity.token_bucket import TokenBucket


class Store:
    """The two tables that each occurrence writes and its worker reads.

    The sweep's reads are subtracted from Runs. The tick's reads of buckets are a fortieth of the worker's and ignored.

    The keys of tables are hashed jobs, so many that their partitions are evenly loaded: a table is one token bucket. Buckets of packed
    timers are few; each has the throughput of its partition, which it may share. All entries of an hour are in one partition,
    since all jobs are in one namespace.
    """

    def __init__(self, settings: Settings, dice: Random) -> None:
        def bucket(warm: int) -> TokenBucket:
            return TokenBucket(min(settings.quota, warm))

        self.jobs, self.runs = bucket(settings.jobs), bucket(settings.runs)
        self._buckets = _placed(settings, dice)
        self._entries = TokenBucket(limits.PARTITION_WRITES.value)
        self._jobs_reads, self._runs_reads = (
            TokenBucket(settings.jobs_read),
            TokenBucket(settings.runs_read - sweep.read()),
        )
        self._settings_reads = TokenBucket(limits.PARTITION_READS.value)
        self.refused = {"claims": 0, "advances": 0}

    def claim(self, claims: int, now: float) -> int:
        """Claim runs, with their entries; the number that was not throttled."""
        allowed = self._entries.take(claims, model.ENTRY, now)
        written = self.runs.take(allowed, model.CLAIM + model.ENTRY, now)
        self.refused["claims"] += claims - written
        return written

    def claim_again(self, claims: int, now: float) -> None:
        """Claim what exists already: a failed condition costs the same."""
        self.runs.take(claims, model.CLAIM, now)

    def advance(self, bucket: int, advances: int, now: float) -> int:
        """Advance timers of a bucket; the number that was not throttled."""
        allowed = self.jobs.take(advances, model.ADVANCE, now)
        written = self._buckets[bucket].take(allowed, model.ADVANCE, now)
        self.refused["advances"] += advances - written
        return written

    def worker_reads(self, runs: int, now: float) -> float:
        """Seconds that a batch waits to read its runs, then their definitions and their namespace's settings."""
        namespace = self._settings_reads.wait(model.READ_NAMESPACE, now)
        jobs = self._jobs_reads.wait(runs * model.READ_DEFINITION + model.READ_NAMESPACE, now)
        return self._runs_reads.wait(runs * model.READ_RUN, now) + max(jobs, namespace)

    def worker_writes(self, runs: int, now: float) -> float:
        """Seconds that starts or reports wait."""
        return self.runs.wait(runs * model.START, now)


def _placed(settings: Settings, dice: Random) -> Sequence[TokenBucket]:
    """The partition of each bucket."""
    apart = model.BUCKETS if settings.settled else max(1, round(settings.jobs / limits.PARTITION_WRITES.value))
    partitions = [TokenBucket(limits.PARTITION_WRITES.value) for _ in range(apart)]
    return partitions if settings.settled else [dice.choice(partitions) for _ in range(model.BUCKETS)]
