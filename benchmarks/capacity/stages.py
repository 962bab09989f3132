"""The four stages of the capacity page, with their settings."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from benchmarks.capacity.settings import Settings


class Stage(NamedTuple):
    """A sustained load in occurrences a minute, and settings for it."""

    name: str
    each_minute: int
    settings: Settings


SMALL = Stage("1 k a minute", 1_000, Settings())
MIDDLE = Stage(
    "100 k a minute",
    100_000,
    Settings(due_shards=16, tick_memory=1_024, worker_concurrency=500, due=12_000, jobs=8_000, runs=24_000),
)
LARGE = Stage(
    "1 M a minute",
    1_000_000,
    Settings(
        due_shards=64,
        tick_fan_out=64,
        tick_memory=1_024,
        worker_memory=1_536,
        worker_concurrency=1_000,
        due=80_000,
        jobs=40_000,
        runs=100_000,
        quota=100_000,
        jobs_reads=40_000,
        runs_reads=40_000,
        account=2_000,
        namespaces=16,
    ),
)
STAGES = (SMALL, MIDDLE, LARGE)
STORED = 100_000_000
"""Jobs of the fourth stage; their load is that of one of the other three."""
AMPLE = replace(
    LARGE.settings,
    account=3_000,
    quota=400_000,
    due=256_000,
    jobs=128_000,
    runs=400_000,
    read_quota=400_000,
    jobs_reads=400_000,
    runs_reads=400_000,
)
"""Only the tick is short."""
