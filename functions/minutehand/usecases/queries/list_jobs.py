"""List jobs: those of one or several namespaces that pass a filter, with a bounded number of reads."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from minutehand.domain.definition import Definition
from minutehand.domain.job_filter import EVERY_JOB, JobFilter
from minutehand.domain.job_key import JobKey
from minutehand.usecases.ports.bundle import Ports

MOST_JOBS = 1_000
"""Most jobs that are read for one page of a filtered list."""
MOST_QUERIES = 50
"""Most queries for one page; each reads jobs of one namespace, 1 MB at most."""


WHOLE = "~"
"""In the place of a name: all jobs of the namespace. No name sorts after it."""


class JobList(NamedTuple):
    """A page of jobs, by namespace and name; `after` is the job after which the next page begins, None on the last page."""

    jobs: tuple[Definition, ...]
    after: JobKey | None


def list_jobs(
    ports: Ports,
    namespaces: Sequence[str],
    *,
    chosen: JobFilter = EVERY_JOB,
    after: JobKey | None,
    limit: int,
    now: datetime,
) -> JobList:
    """One page of the jobs of these namespaces that pass a filter. With a filter or several namespaces, a page may be short or empty
    without being the last.

    Args:
        namespaces: in order.
        after: where the page begins; a job of a namespace that is not among `namespaces` is one of an earlier one.
    """
    found: list[Definition] = []
    read = 0
    place = after
    for queries, namespace in enumerate(name for name in namespaces if after is None or JobKey(name, WHOLE) > after):
        if queries == MOST_QUERIES:
            return JobList(tuple(found), place)
        name = after.name if after is not None and after.namespace == namespace else ""
        size = limit - len(found) if chosen == EVERY_JOB else MOST_JOBS - read
        jobs, more = ports.definitions.listed(namespace, name, size)
        read += len(jobs)
        for position, definition in enumerate(jobs, 1):
            place = definition.job.key
            if chosen.passes(definition.job, now):
                found.append(definition)
            last = not more and position == len(jobs) and namespace == namespaces[-1]
            if len(found) == limit and not last:
                return JobList(tuple(found), place)
        if more or (read >= MOST_JOBS and namespace != namespaces[-1]):
            return JobList(tuple(found), place)
        place = JobKey(namespace, WHOLE)
    return JobList(tuple(found), None)
