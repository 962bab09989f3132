"""What every store of timers agrees on: which shard a job's timers are in."""

from __future__ import annotations

from zlib import crc32

from minutehand.domain.job import JobKey


def shard_of(job: JobKey, shards: int) -> int:
    """The shard, 0 to `shards` - 1, of a job's timers: the same in every process, today and tomorrow.

    A timer keeps the shard it was stored with, which is below any higher number, so that raising `shards` strands none.
    """
    return crc32(str(job).encode()) % shards
