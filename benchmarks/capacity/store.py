"""DynamoDB as far as it says no: partitions, tables and their indexes, each with a bucket."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from benchmarks.capacity import limits, model, sweep
from benchmarks.capacity.buckets import Bucket
from benchmarks.capacity.settings import Settings

_CLAIMED_IN = 8
"""Partitions over which the claims of one group are taken to be spread at most."""


class Store:
    """The two tables and the two indexes that every occurrence writes to, and the tables as its worker reads them.

    What the sweep reads at most is taken from Runs beforehand. What a tick reads of `due` is little: half a unit for each 4 KB of timers.

    Keys of the tables themselves are hashed jobs, so many that their partitions are evenly loaded: a table is one bucket. Shards of
    `due` and buckets of `by_time` are few, and each is no better than the partition that it lies in, which others may lie in too.
    """

    def __init__(self, settings: Settings, dice: Random) -> None:
        def most(warm: int) -> Bucket:
            return Bucket(min(settings.quota, warm))

        self.jobs, self._due, self.runs, self._by_time = map(
            most, (settings.jobs, settings.due, settings.runs, settings.by_time)
        )
        self._shards = _placed(
            settings.due_shards, settings.due_shards if settings.settled else settings.due, dice, apart=settings.settled
        )
        self._keys = _placed(model.BY_TIME_BUCKETS * settings.namespaces, settings.by_time, dice)
        self._jobs_reads, self._runs_reads = Bucket(settings.jobs_read), Bucket(settings.runs_read - sweep.read())
        self._settings_reads = [Bucket(limits.PARTITION_READS.value) for _ in range(settings.namespaces)]
        self._turn = 0
        self.refused = {"claims": 0, "advances": 0}

    def claim(self, claims: int, now: float) -> int:
        """Claim; how many were let through, the rest being throttled."""
        allowed = self.runs.whole(claims, model.CLAIM, now)
        allowed = self._by_time.whole(allowed, model.CLAIM_IN_INDEX, now)
        keys = self._keys
        parts = min(len(keys), _CLAIMED_IN)
        each, rest = divmod(allowed, parts)
        let = 0
        for part in range(parts if each else rest):
            let += keys[(self._turn + part) % len(keys)].whole(each + (part < rest), model.CLAIM_IN_INDEX, now)
        self._turn += parts if each else rest
        self.refused["claims"] += claims - let
        return let

    def claim_again(self, claims: int, now: float) -> None:
        """What is there already: a condition that does not hold is paid for."""
        self.runs.whole(claims, model.CLAIM, now)

    def advance(self, shard: int, advances: int, now: float) -> int:
        """Advance timers of a shard; how many were let through."""
        allowed = self.jobs.whole(advances, model.ADVANCE, now)
        allowed = self._due.whole(allowed, model.ADVANCE_IN_INDEX, now)
        let = self._shards[shard].whole(allowed, model.ADVANCE_IN_INDEX, now)
        self.refused["advances"] += advances - let
        return let

    def worker_reads(self, runs: int, now: float) -> float:
        """A batch reads its runs, and then their definitions and their namespace's settings; seconds that these have to wait."""
        self._turn += 1
        namespace = self._settings_reads[self._turn % len(self._settings_reads)].wait(model.READ_NAMESPACE, now)
        jobs = self._jobs_reads.wait(runs * model.READ_DEFINITION + model.READ_NAMESPACE, now)
        return self._runs_reads.wait(runs * model.READ_RUN, now) + max(jobs, namespace)

    def worker_writes(self, runs: int, now: float) -> float:
        """Starts or reports; seconds that they have to wait."""
        return self.runs.wait(runs * model.START, now)


def _placed(keys: int, warm: int, dice: Random, *, apart: bool = False) -> Sequence[Bucket]:
    """The partition of each key."""
    if apart:
        return [Bucket(limits.PARTITION_WRITES.value) for _ in range(keys)]
    partitions = [
        Bucket(limits.PARTITION_WRITES.value) for _ in range(max(1, round(warm / limits.PARTITION_WRITES.value)))
    ]
    return [dice.choice(partitions) for _ in range(keys)]
