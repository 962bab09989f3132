"""The write and read units of each thing that may happen to a run, as counted in costs.md and benchmarks.md in docs/reference.

A test compares each feature with its row on both pages, so a change of what a feature costs is made here, too.
"""

from typing import NamedTuple


class Feature(NamedTuple):
    """A row of the table in docs/reference/costs.md: `what` it says, and the write and read units that it counts."""

    what: str
    writes: float
    reads: float


CLAIM, ADVANCE, START, REPORT, SKIP = 2, 1, 1, 1, 1
"""Write units of each step of a plain run. All occurrences of a job that one tick claims share one advance of the job's timer."""
LISTED = 1
"""The part of a claim that lists the run by time: its place in the index `by_time`. Runs of a namespace and minute that one tick claims
together have an entry of as many units instead, and share it."""

PLAIN = Feature("a plain run", 5, 3)
SELDOM = Feature("… of a job due less than every three hours", 2, 0)
FAILED = Feature("a run that fails, is lost or timed out", 1, 0)
ANSWER = Feature("an answer of more than 256 bytes", 1, 0)
LONG_ANSWER = Feature("an answer of more than 4 KB", 5, 0)
RETRY = Feature("a retry, after an answer", 3, 3)
LATE_RETRY = Feature("a retry more than 13 minutes later", 6, 4)
LATE_START = Feature("a start more than 13 minutes after its claim (`jitter`)", 5, 1)
LOCK = Feature("`overlap` other than `allow`, or `@after`'s", 3, 2)
SKIPPED = Feature("a run skipped for another", 4, 7)
SLOT = Feature("`max_concurrency`, of the job or its namespace", 3, 5)
SLOT_BESIDES = Feature("… with the lock too, or of both", 2, 5)
FIXED_DELAY = Feature("fixed delay (`@after`)", 4, 6)
LONG_DELAY = Feature("… of more than three hours", 4, 0)
MAX_RUNS = Feature("`max_runs`", 7, 0)
TURNS = Feature("several endpoints, by turns", 1, 0)
FEWEST = Feature("… where the fewest calls are in flight", 1, 0)
ANSWERED_LATER = Feature("answered later", 7, 2)
ANSWERED_MUCH_LATER = Feature("… within more than 13 minutes", 10, 2)
HEARTBEAT = Feature("a heartbeat, or progress", 1, 2)
TRIGGERED = Feature("a trigger's run", 16, 5)
CHILD = Feature("a child's run", 4, 6)
BACKFILLED = Feature("a backfilled run", 6, 7.8)
TRIMMED = Feature("an old run removed for `retention_count`", 2, 0.125)

IDLE_TICK_WRITES, IDLE_TICK_READS = 1, 12.2
"""Write and read units of a tick that finds nothing due. It writes one item. It reads half a unit for each of eight shards and sixteen
buckets and, every five minutes, one unit for the item with the number of shards."""
LOOK_READS = 0.026
"""Read units of a packed timer in a tick, which reads whole buckets: half a unit for each 4 KB, and a typical timer has 210 bytes
(`benchmarks/workload.py`)."""
