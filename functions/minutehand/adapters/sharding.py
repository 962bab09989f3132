"""Assign jobs to shards of the due index, and to buckets of packed timers, in the same way for every store."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    from minutehand.domain.job_key import JobKey

BUCKETS = 16
"""Number of buckets of packed timers. It is part of the stored layout and never changes: functions of all versions must agree on the
bucket of a job. An idle tick pays for a query of each."""


def shard_of(job: JobKey | str, shards: int) -> int:
    """The shard of a job's timers, 0 to `shards` - 1; the same in every process and every version.

    A stored timer keeps its shard until it is stored again, or moved after the number of shards has changed.
    """
    return crc32(str(job).encode()) % shards


def bucket_of(job: JobKey | str) -> int:
    """The bucket of a job's packed timer, 0 to `BUCKETS` - 1."""
    return crc32(str(job).encode()) % BUCKETS
