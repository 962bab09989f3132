"""Trim: a job's oldest runs go, with what they left, where it says how many are kept."""

from __future__ import annotations

from datetime import timedelta
from itertools import takewhile
from zlib import crc32

from minutehand.domain.errors import Unavailable
from minutehand.domain.job import Definition
from minutehand.domain.run import Run, RunKey
from minutehand.usecases.ports.bundle import Ports

SETTLED = timedelta(days=1)
"""For how long every run is kept, as with the shortest `retention` there is: idempotency keys, repeated messages, joins of parents and
occurrences that a tick claims again still ask for it."""
STRIDE = 16
"""After about so many runs of a job it is trimmed; of one that keeps more than a thousand, less often, since each time all that are kept
are looked at."""


def trim(run: Run, definition: Definition, ports: Ports) -> None:
    """Remove the oldest runs of a job that keeps so many at most, now and then: by its id, the run that has ended says whether now.

    In order, up to the first that is not finished or not a day old, so that the history has no holes. Nobody waits for it: what a
    store does not answer is for the next time.
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
    """Whether a job is trimmed after this run, one of `stride`; the same whenever it is asked."""
    return crc32(f"{run.job} {run.run_id}".encode()) % stride == 0
