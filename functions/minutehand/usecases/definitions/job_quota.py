"""Quota of jobs: a save that makes one more than the namespace's quota allows is refused, also where several save at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minutehand.domain.errors import QuotaReached
from minutehand.domain.instants import floor
from minutehand.domain.quota import BELIEVED_FOR, JobCount
from minutehand.usecases.ports.bundle import Ports

if TYPE_CHECKING:
    from datetime import datetime

    from minutehand.domain.definition import Definition
    from minutehand.domain.namespace import Namespace

_SECONDS = int(BELIEVED_FOR.total_seconds())


def most_jobs_for(before: Definition | None, after: Definition, ports: Ports) -> int | None:
    """How many jobs the quota allows, for a save that makes a job; None for any other save, and without a quota.

    Jobs are counted anew when the stored number is too old, or reaches the quota: it does not subtract deleted jobs. A number that was
    counted in the last seconds (`BELIEVED_FOR`) is believed, or refused saves would read the list again and again. ◆ The number is read
    before the jobs are counted, and replaced only if no save has added to it meanwhile.

    Raises:
        QuotaReached: when the namespace has as many jobs already.
    """
    existed = before is not None and not before.deleted
    if existed or after.deleted:
        return None
    name = after.job.key.namespace
    settings = ports.namespaces.get([name]).get(name)
    most = None if settings is None else settings.quota.jobs
    if settings is None or most is None:
        return None
    now, stored = floor(ports.clock()), ports.namespaces.job_count(name)
    if stored is None or stored.jobs >= most or not stored.counts(settings.quota, now):
        jobs = _counted(ports, settings, stored, now)
        if jobs >= most:
            raise QuotaReached(
                f"namespace {name} has {jobs:,} of at most {most:,} jobs; delete one (it counts for {_SECONDS} seconds more), or ask the operator "
                "of the deployment, who sets the quota (an admin for all namespaces), for a higher one"
            )
    return most


def number_of_jobs(ports: Ports, namespace: Namespace) -> int:
    """How many jobs a namespace with a quota has, at most `BELIEVED_FOR` ago."""
    return _counted(ports, namespace, ports.namespaces.job_count(namespace.name), floor(ports.clock()))


def _counted(ports: Ports, namespace: Namespace, stored: JobCount | None, now: datetime) -> int:
    """The number of jobs: the stored one if it was counted a moment ago, else from another count, which is stored."""
    if stored is not None and stored.is_believed(namespace.quota, now):
        return stored.jobs
    jobs = ports.namespaces.count_jobs(namespace.name)
    counted = JobCount(jobs, now) if stored is None else stored.anew(jobs, now)
    ports.namespaces.save_job_count(namespace.name, stored, counted)
    return jobs
