"""Trim: remove the oldest runs of a job with `retention_count`, and their outputs."""

from __future__ import annotations

from datetime import timedelta
from itertools import takewhile
from zlib import crc32

from minutehand.domain.definition import Definition
from minutehand.domain.errors import Unavailable
from minutehand.domain.run import Run, RunKey
from minutehand.usecases.ports.bundle import Ports

SETTLED = timedelta(days=1)
"""Every run is kept this long, the shortest `retention` there is: idempotency keys, repeated messages, joins of parents and occurrences
that a tick claims again still read it."""
STRIDE = 16
"""A job is trimmed after about this many runs. One that keeps more than 1,000 runs is trimmed less often, since each time all kept runs
are read."""


def trim(run: Run, definition: Definition, ports: Ports) -> None:
    """Remove the oldest runs of a job beyond its `retention_count`, now and then: the id of the run that has ended decides whether now.

    Removes in order, up to the first run that is not finished or not a day old, so that the history has no holes. Leaves the rest
    for the next time when a store does not answer.
    """
    most = definition.job.retention_count
    if most is None:
        return
    stride = max(STRIDE, most // 64)
    if not chosen(run.key, stride):
        return
    settled = ports.clock() - SETTLED
    try:
        found = ports.runs.oldest(run.key.job, beyond=most, limit=4 * stride)
        old = list(takewhile(lambda one: one.state.finished and one.claimed_at < settled, found))
        if old:
            ports.outputs.forget([one.key for one in old])
            ports.runs.forget(old)
    except Unavailable:
        return


def chosen(run: RunKey, stride: int) -> bool:
    """Whether a job is trimmed after this run: one run in `stride`, always the same ones."""
    return crc32(f"{run.job} {run.run_id}".encode()) % stride == 0
