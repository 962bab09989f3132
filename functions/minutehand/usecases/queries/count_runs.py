"""Count runs: statistics of the runs of a job or of a namespace, from a bounded number of them, the newest."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from minutehand.domain.errors import Unread, ignored
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Run
from minutehand.domain.run_stats import Bucket, Tally, by_bucket
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.run_lists import RunLists
from minutehand.usecases.queries.find_runs import FoundRuns, Place, RunQuery, find_runs

MOST_COUNTED = 5_000
"""Most runs that are read for statistics."""
MOST_PAGES = 12
"""Most pages of a namespace's runs that are read for statistics. Each looks at `MOST_LOOKED_AT` runs at most."""
MOST_SPARSE_PAGES = 3
"""Most of these pages that end after `MOST_HOURS` hours, with few runs for many queries: about a week in all."""


class Counted(NamedTuple):
    """Statistics of runs.

    Attributes:
        since: every run of a later instant in the interval is counted.
        complete: whether every run of the interval is.
    """

    total: Tally
    buckets: Sequence[tuple[datetime, Tally]]
    since: datetime
    complete: bool


def count_runs_of_job(
    lists: RunLists, job: JobKey, start: datetime, end: datetime, bucket: Bucket, *, unreadable: Unread = ignored
) -> Counted:
    """Statistics of a job's runs of instants in [start, end), whole seconds."""
    found = lists.of_job(job, start, end, MOST_COUNTED + 1, unreadable)
    runs = found[:MOST_COUNTED]
    complete = len(found) == len(runs)
    return _counted(runs, bucket, start if complete else runs[-1].scheduled_for, complete=complete)


def count_runs_of_namespace(
    ports: Ports, lists: RunLists, query: RunQuery, bucket: Bucket, unreadable: Unread = ignored
) -> Counted:
    """Statistics of the runs that a query finds.

    Raises:
        Invalid: as `find_runs` does.
    """
    runs: list[Run] = []
    after: Place | None = None
    sparse = 0
    for _ in range(MOST_PAGES):
        left = MOST_COUNTED - len(runs)
        page: FoundRuns = find_runs(ports, lists, query, after=after, limit=left, unreadable=unreadable)
        runs += page.runs
        after = page.after
        sparse += after is not None and after.run is None
        if after is None or len(runs) == MOST_COUNTED or sparse == MOST_SPARSE_PAGES:
            break
    return _counted(runs, bucket, page.looked_until, complete=after is None)


def _counted(runs: Sequence[Run], bucket: Bucket, since: datetime, *, complete: bool) -> Counted:
    return Counted(Tally.of(runs), by_bucket(runs, bucket), since, complete)
