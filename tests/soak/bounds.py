"""What the soak demands, in seconds and megabytes. The report prints each beside the worst value measured."""

from __future__ import annotations

OVERDUE = 60.0
"""A run is overdue this long after a worker should have started or checked it."""
FOUND = 60.0
"""An overdue run is found within this time while the stack lives."""
RETURN = 120.0
"""An overdue run is found within this time of the end of an outage."""
SLACK = 20.0
"""Between finding a run and its start, or planning an occurrence and its claim: the way to a free worker, on a machine whose few cores
start many processes."""

LEASE = 15.0
"""By how much an attempt's lease exceeds its limit; see "Overlap" in docs/reference/runs.md."""
TICK = 60.0
"""Time between two ticks. Missed occurrences start spread over the minute after the tick that finds them."""

EARLY = 0.0
"""How much earlier than its time a call may come. Receiver and workers share one clock."""
WAITS = 300.0
"""Longest wait of a run, beyond its own limits, for runs that its job's policies put before it."""

WORKER_GROWTH = 24.0
"""Megabytes by which the largest process of a function may grow between the second and the last quarter."""
EMULATOR_GROWTH = 64.0
"""Megabytes by which the emulator may grow in that time, besides what it stores."""
STORED_PER_RUN = 0.06
"""Megabytes that the emulator, which keeps tables and logs in memory, may keep for each run."""
BACKLOG = 60
"""Messages that may be ready for a worker, at the end of the soak, beyond those of the second quarter."""
