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
    Settings(tick_memory=1_024, worker_concurrency=500, jobs=8_000, runs=24_000),
)
LARGE = Stage(
    "300 k a minute",
    300_000,
    Settings(tick_fan_out=16, tick_memory=1_536, worker_concurrency=750, jobs=12_000, runs=32_000),
)
STAGES = (SMALL, MIDDLE, LARGE)
STORED = 100_000_000
"""Jobs of the fourth stage; their load is that of one of the other three."""
AMPLE = replace(
    LARGE.settings,
    worker_concurrency=1_000,
    account=3_000,
    quota=400_000,
    jobs=128_000,
    runs=400_000,
    read_quota=400_000,
    jobs_reads=400_000,
    runs_reads=400_000,
)
"""Only the tick is short."""
