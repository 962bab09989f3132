"""What one occurrence takes: counted units and calls, measured processor time, and what is assumed because nobody publishes it."""

from __future__ import annotations

from minutehand.costs import model as costs

# Counted by `python -m benchmarks cost` (docs/benchmarks.md, "Capacity units per occurrence"); a test compares them with that page.
CLAIM = 1
"""Write units of the Runs table for a claim."""
CLAIM_IN_INDEX = 1
"""Of its index `by_time`, in a partition of the namespace and the hour."""
ADVANCE = 1
"""Of the Jobs table for an advance."""
ADVANCE_IN_INDEX = 2
"""Of its index `due`: the entry is removed and put back, both in the partition of its shard."""
START, REPORT = 1, 1
"""Of the Runs table."""
WRITTEN = CLAIM + CLAIM_IN_INDEX + ADVANCE + ADVANCE_IN_INDEX + START + REPORT
OF_RUNS = CLAIM + START + REPORT
"""Of the Runs table itself, without its indexes."""
READ_RUN = 1
"""Read units of the Runs table, by a run's worker."""
READ_DEFINITION, READ_NAMESPACE = 1, 1
"""Of the Jobs table, by a worker: of each job that a batch has runs of, and of each namespace, whose settings all of them share."""
READ_LOOK = 0.5
"""Of the Runs table, by the sweep, each time that it looks at a run."""

# The code's own numbers.
TICK_SHARE = 4_000
"""Timers that a tick takes on alone, an equal part of them in each shard."""
GROUP = 50
"""Timers whose claims, messages and advances go together."""
BY_TIME_BUCKETS = 4
"""Partitions of `by_time` for a namespace and hour."""
TICK_EVERY, TICK_TIME, TICK_RESERVE = 60.0, 60.0, 15.0
"""Seconds between ticks, of a tick's limit, and that it keeps for what it has begun."""
WORKING = TICK_TIME - TICK_RESERVE
"""Seconds for which a tick begins groups."""
TRIES, FIRST_PAUSE = 7, 0.1
"""How often a statement is tried that a busy partition refuses, and the seconds of the first pause, at most; each further one may be
twice as long. What is refused at last stays due."""
THREADS = 4
"""Groups that a tick has under way side by side."""
BATCH = 10
"""Messages in a worker's hands at a time."""
SWEEP_EVERY, SWEEP_TIME, SWEPT_MINUTES = 120.0, 290.0, 3
"""Seconds between sweeps and in which one begins something, and how many minutes of runs it looks at."""
SWEEP_PAGE = 100
"""Runs that a sweep reads in one call."""

# Measured on the machine of docs/benchmarks.md, in seconds of one of its processors, and the same that runs are priced with. A Lambda's is taken to be as quick.
TICK_CPU = costs.CLAIM_SECONDS * costs.PROCESSOR
"""For each occurrence: reading, planning, claiming, sending and advancing; `python -m benchmarks dispatch`, the dearer of its rows."""
WORKER_CPU = costs.RUN_PROCESSOR_SECONDS
"""For each run, the call of its target included: `python -m benchmarks end_to_end`. Log lines and metrics are in its first table alone, beside the
emulator's own runtime."""
SWEEP_CPU = 0.0005
"""For each run that a sweep looks at: `python -m benchmarks capacity`."""

# Assumed. DynamoDB promises single-digit milliseconds for single items and SQS tens of milliseconds, and nobody publishes more, so
# these are on the slow side; `pessimistic` runs of the simulation treble them.
QUERY, STATEMENT_BATCH, ITEM, SEND = 0.010, 0.020, 0.006, 0.020
"""Medians, in seconds, of a page of the index, a batch of 25 statements, one item, and a batch of ten messages."""
SPREAD = 0.5
"""Sigma of the lognormal law that all latencies follow: the 99th percentile is 3.2 times the median."""
DELIVERY = 0.05
"""From when a message may be seen until a worker has it, the median."""
ROUNDING = 1.0
"""SQS delays by whole seconds, and messages are up to this much late; up to this much early where a schedule names the second, for which
their workers wait."""
COLD_START = 1.0
"""Seconds until an environment that is new begins its first batch."""
HAND_OVER_LIMIT = 0.1
"""Seconds from a tick's call of another tick until that begins, a cold start apart."""
POLLERS_KEPT = 60.0
"""Seconds without a message after which an event source mapping is back at five batches."""
CALL = 0.3
"""Seconds that a target takes to answer."""
