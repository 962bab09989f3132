"""What a month costs, in orders of magnitude: the same prices as docs/deploy.md, list prices of us-east-1 and arm64, free tiers left out."""

from __future__ import annotations

from typing import NamedTuple

from benchmarks.capacity import model
from benchmarks.capacity.settings import Settings

MINUTES = 43_200
"""Of a month of 30 days."""
WRITE, READ, QUEUE, REQUEST, COMPUTE = 0.625e-6, 0.125e-6, 0.40e-6, 0.20e-6, 13.3334e-6
"""Dollars for a write unit, a read unit, a call of SQS, of Lambda, and a GB-second of it."""
LOGS, STORAGE = 0.50, 0.25
"""Dollars for a GB of log lines, and for a GB in DynamoDB and month."""

READS = 5.5
"""Read units of a run at most: the run, its definition and its namespace by the worker, and the sweep's looks at it."""
QUEUE_CALLS = 0.4
"""Of SQS for a run, in full batches: sent, received, deleted and hidden."""
LOGGED = 1_000
"""Bytes that a worker logs of a run."""

PER_ITEM = 100
"""Bytes that DynamoDB adds to each item, in a table and in an index, when it charges for storage."""
RUN, RUN_IN_INDEX = 395, 76
DEFINITION, LISTED, REVISION, TIMER = 746, 697, 147, 221
"""Bytes of a plain run's record and of a job's items, as the adapters store those of `benchmarks/scene.py`; the timer is in the index too."""
RUN_STORED = RUN + RUN_IN_INDEX + 2 * PER_ITEM
JOB_STORED = DEFINITION + LISTED + REVISION + 2 * TIMER + 5 * PER_ITEM
NEW_JOB = 10
"""Write units of a new job: definition 2, timer 3, list 2, history 2, and the look whether its namespace is there."""

DAYS_KEPT = 30
X = "\N{MULTIPLICATION SIGN}"


class Cost(NamedTuple):
    """A line of the bill, in dollars a month, and how it comes about."""

    what: str
    dollars: float
    arithmetic: str


def month(settings: Settings, each_minute: int) -> list[Cost]:
    """So many plain runs a minute, all day, of jobs no quicker than once a minute; what sleeps is in `stored`."""
    runs = each_minute * MINUTES
    millions = f"{runs / 1e6:,.1f} M runs"
    worker = settings.batch_time / model.BATCH * settings.worker_memory / 1024
    tick = model.TICK_CPU / settings.tick_processor * settings.tick_memory / 1024
    kept = each_minute * 1440 * DAYS_KEPT * RUN_STORED / 1e9
    return [
        Cost(
            "write units",
            runs * model.WRITTEN * WRITE,
            f"{millions} {X} {model.WRITTEN} {X} ${WRITE * 1e6:g} a million",
        ),
        Cost("read units", runs * READS * READ, f"{millions} {X} {READS} {X} ${READ * 1e6:g} a million"),
        Cost("SQS", runs * QUEUE_CALLS * QUEUE, f"{millions} {X} {QUEUE_CALLS} {X} ${QUEUE * 1e6:g} a million"),
        Cost(
            "Lambda: requests",
            runs / model.BATCH * REQUEST,
            f"{millions} ÷ {model.BATCH} {X} ${REQUEST * 1e6:g} a million",
        ),
        Cost(
            "Lambda: workers",
            runs * worker * COMPUTE,
            f"{millions} {X} {worker:.3f} GB-s {X} ${COMPUTE * 1e6:g} a million",
        ),
        Cost(
            "Lambda: ticks", runs * tick * COMPUTE, f"{millions} {X} {tick:.5f} GB-s {X} ${COMPUTE * 1e6:g} a million"
        ),
        Cost("logs", runs * LOGGED / 1e9 * LOGS, f"{millions} {X} {LOGGED / 1000:g} KB {X} ${LOGS:.2f} a GB"),
        Cost("runs kept 30 days", kept * STORAGE, f"{kept:,.0f} GB {X} ${STORAGE:.2f}, at {RUN_STORED} bytes a run"),
    ]


def stored(jobs: int) -> list[Cost]:
    """So many jobs, whether they are ever due or not: their storage each month, and what saving them costs once."""
    size = jobs * JOB_STORED / 1e9
    return [
        Cost(
            "storage, each month",
            size * STORAGE,
            f"{jobs / 1e6:,.0f} M jobs {X} {JOB_STORED:,} bytes = {size:,.0f} GB {X} ${STORAGE:.2f}",
        ),
        Cost(
            "saving them, once",
            jobs * NEW_JOB * WRITE,
            f"{jobs / 1e6:,.0f} M jobs {X} {NEW_JOB} {X} ${WRITE * 1e6:g} a million",
        ),
    ]
