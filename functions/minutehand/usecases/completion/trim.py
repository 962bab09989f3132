"""Trim: remove the oldest runs of a job with `retention_count`, and their outputs."""

from __future__ import annotations

from datetime import timedelta
from itertools import takewhile
from zlib import crc32

from minutehand.domain.definition import Definition
from minutehand.domain.errors import Unavailable
from minutehand.domain.run import Run
from minutehand.domain.run_key import RunKey
from minutehand.usecases.completion.forget import forget
from minutehand.usecases.ports.bundle import Ports

SETTLED = timedelta(days=1)
"""Trimming removes no run younger than this, the shortest `retention` there is. Such runs may still be read: by repeated messages
and requests, by joins of parents, and by ticks that claim an occurrence again."""
STRIDE = 16
"""A job is trimmed after about this many runs. One that keeps more than 1,000 runs is trimmed less often, since each trim reads all
runs that it keeps."""


def trim(run: Run, definition: Definition, ports: Ports) -> None:
    """Remove a job's oldest runs beyond its `retention_count`, if the run that has ended is one of those that trim (see `chosen`).

    Begins with the oldest run and stops at the first that is not finished or not a day old, so that the history has no holes. When
    a store does not answer, the rest stays for the next trim.
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
            forget(ports, old)
    except Unavailable:
        return


def chosen(run: RunKey, stride: int) -> bool:
    """Whether the end of this run trims its job. A hash of the run's id chooses one run in `stride`, always the same ones."""
    return crc32(f"{run.job} {run.run_id}".encode()) % stride == 0
