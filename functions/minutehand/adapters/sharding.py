"""Assign jobs to shards of the due index, in the same way for every store."""

from __future__ import annotations

from zlib import crc32

from minutehand.domain.job_key import JobKey


def shard_of(job: JobKey | str, shards: int) -> int:
    """The shard of a job's timers, 0 to `shards` - 1; the same in every process and every version.

    A stored timer keeps its shard until it is stored again, or moved after the number of shards has changed.
    """
    return crc32(str(job).encode()) % shards
