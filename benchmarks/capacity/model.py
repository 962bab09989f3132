"""The model of an occurrence: counted units, measured processor time, and assumptions about what AWS does not publish."""

from __future__ import annotations

from minutehand.adapters import sharding
from minutehand.tools.costs import batch_shares, features
from minutehand.tools.costs import model as costs

# Counted by `python -m benchmarks cost`; a test compares them with docs/reference/benchmarks.md, "Capacity units per occurrence".
CLAIM = 1
"""Write units of the Runs table for a claim."""
NAMED = batch_shares.NAMED
"""Claims of a namespace and minute that share an entry, which is one write unit of the Runs table, in the partition of its namespace
and hour. Claims are as many as that in a group: only runs that are alone in theirs are in the index `by_time`."""
ENTRY = 1 / NAMED
"""Write units of the Runs table for the entry of a claim."""
ADVANCE = 1
"""Of the Jobs table for an advance of a packed timer, in the partition of its bucket."""
ADVANCE_IN_INDEX = 2
"""More, of the index `due`, for a timer that is not packed: the entry is removed and added again, both in the partition of its shard."""
START, REPORT = 1, 1
"""Of the Runs table."""
WRITTEN = CLAIM + ENTRY + ADVANCE + START + REPORT
OF_RUNS = CLAIM + ENTRY + START + REPORT
"""Of the Runs table without its indexes."""
READ_RUN = 1
"""Read units of the Runs table, by a run's worker."""
READ_DEFINITION, READ_NAMESPACE = 1, 1
"""Of the Jobs table, by a worker: once for each job and each namespace of a batch."""
READ_PACKED = features.LOOK_READS
"""Of the Jobs table, by each tick, for each packed timer, due or not."""
PACKED_BYTES = READ_PACKED * 2 * 4096
"""Of a typical packed timer: half a read unit is 4 KB."""
READ_LOOK = 0.5
"""Of the Runs table, by the sweep, for each run it checks."""

# Constants of the code; a test compares them.
BUCKETS = sharding.BUCKETS
"""Buckets of packed timers."""
TICK_SHARE = 4_000
"""Timers that one invocation dispatches without sharing, an equal part in each bucket."""
LOOKS = 8
"""A query of a bucket in which few timers are due reads as many times a bucket's part of `TICK_SHARE`."""
GROUP = 50
"""Timers that are claimed, sent and advanced together, at least: later groups of a tick are larger, and need fewer calls."""
TICK_EVERY, TICK_TIME, TICK_RESERVE = 60.0, 60.0, 15.0
"""Seconds between ticks, of a tick's time limit, and of its reserve for what it has started."""
WORKING = TICK_TIME - TICK_RESERVE
"""Seconds in which a tick starts groups."""
TRIES, FIRST_PAUSE = 7, 0.1
"""Tries of a throttled statement, and the longest first pause in seconds, which doubles each time. Then the timer stays due."""
THREADS = 4
"""Concurrent groups of a tick, and buckets that it reads at once."""
BATCH = 10
"""Messages of a worker's batch."""
SWEEP_EVERY, SWEEP_TIME = 60.0, 40.0
"""Seconds between sweeps, and seconds in which a sweep checks runs."""
SWEEP_PAGE = 100
"""Runs that the sweep reads in one call."""

# Measured on the machine of docs/reference/benchmarks.md, in seconds of one of its processors, as in the cost model. A Lambda's processor is assumed to be as fast.
TICK_CPU = costs.CLAIM_SECONDS * costs.PROCESSOR
"""Of an occurrence, from reading to advancing: the highest row of `python -m benchmarks dispatch`."""
WORKER_CPU = costs.RUN_PROCESSOR_SECONDS
"""Of a run with the call of its target: `python -m benchmarks end_to_end`. Only its first table includes log lines and metrics, and also
the emulator's runtime."""
SWEEP_CPU = 0.0005
"""Of a run that the sweep checks: `python -m benchmarks capacity`."""

# Assumed. AWS publishes only "single-digit milliseconds" for DynamoDB items and "tens of milliseconds" for SQS. These are on the
# slow side; one simulation triples them.
QUERY, STATEMENT_BATCH, ITEM, SEND = 0.010, 0.020, 0.006, 0.020
"""Median seconds of a query of a few timers, a batch of 25 statements, one item, and a batch of ten messages."""
READING = 0.2
"""Seconds more of a query for each MB that it reads and filters. A blog measured 0.45 s for a MB of smaller items, from outside AWS's
network; at most 3,000 units a second of a partition are 0.04 s."""
SPREAD = 0.5
"""Sigma of the lognormal distribution of all latencies: p99 is 3.2 times the median, the mean 1.13 times."""
GROUP_CALLS = 5 * STATEMENT_BATCH + 5 * SEND
"""Median seconds of all calls for a group, one after another: its entries, two batches of claims, five of messages, two of advances."""
DELIVERY = 0.05
"""Median seconds from when a message is visible until a worker has it."""
ROUNDING = 1.0
"""SQS delays by whole seconds, so messages are up to this late; where a schedule names the second, up to this early, and workers wait."""
COLD_START = 1.0
"""Seconds until a new environment starts its first batch."""
HANDING_OVER = 0.1
"""Seconds from a tick's call of another tick to its start, without a cold start."""
POLLERS_KEPT = 60.0
"""Seconds without a message after which an event source mapping returns to five batches."""
CALL = 0.3
"""Seconds of a target's answer."""
