"""Quota use: how much of a namespace's quota is used now."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from minutehand.domain.quota import minute_of
from minutehand.usecases.definitions.job_quota import number_of_jobs

if TYPE_CHECKING:
    from minutehand.domain.namespace import Namespace
    from minutehand.usecases.ports.bundle import Ports


class QuotaUsed(NamedTuple):
    """The use of a quota; None for what it does not limit."""

    jobs: int | None
    runs_this_minute: int | None


def quota_use(ports: Ports, namespace: Namespace) -> QuotaUsed:
    """How many jobs a namespace has, and how many places of this minute its runs have taken. Reads nothing for what is not limited.

    The number of jobs may be a few seconds old (`number_of_jobs`).
    """
    quota, name = namespace.quota, namespace.name
    jobs = None if quota.jobs is None else number_of_jobs(ports, namespace)
    most, minute = quota.runs_per_minute, minute_of(ports.clock())
    return QuotaUsed(jobs, None if most is None else ports.namespaces.pace(name).taken_in(minute, most))
