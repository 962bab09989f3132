"""What every store of timers agrees on: which shard a job's timers are in."""

from __future__ import annotations

from zlib import crc32

from minutehand.domain.job import JobKey


def shard_of(job: JobKey | str, shards: int) -> int:
    """The shard, 0 to `shards` - 1, of a job's timers (or of `namespace/name`'s): the same in every process, today and tomorrow.

    A timer keeps the shard it was stored with until it is stored anew, or moved for another number of them.
    """
    return crc32(str(job).encode()) % shards
