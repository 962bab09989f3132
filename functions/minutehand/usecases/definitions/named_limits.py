"""Named limits: where the jobs of a namespace give one limit different maxima."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from minutehand.domain.errors import Unavailable
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.usecases.ports.bundle import Ports

MOST_COMPARED = 500
"""Most jobs of the namespace, by name, that a job's limits are compared with."""


class Disagreement(NamedTuple):
    """A limit to which another job gives another max.

    Attributes:
        place: its index in the job's `limits`.
    """

    place: int
    name: str
    max: int
    other: JobKey
    others_max: int


class Others:
    """The jobs of namespaces that limits are compared with. Each namespace is read once, when it is first needed."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._read: dict[str, dict[JobKey, Job]] = {}

    def of(self, namespace: str) -> Iterable[Job]:
        """The jobs of a namespace, at most `MOST_COMPARED`; none when they cannot be read."""
        if namespace not in self._read:
            try:
                read = self._ports.definitions.page(namespace, MOST_COMPARED, None).items
            except Unavailable:  # the job is saved, and a missing warning must not make the save look failed
                read = ()
            self._read[namespace] = {each.job.key: each.job for each in read}
        return self._read[namespace].values()

    def saw(self, job: Job) -> None:
        """Compare with this job, as it was saved after the namespace may have been read."""
        if job.key.namespace in self._read:
            self._read[job.key.namespace][job.key] = job


def disagreements(known: Others, job: Job) -> Sequence[Disagreement]:
    """For each of a job's limits, the first other job that gives it another max, if any does. Costs no read without limits."""
    if not job.limits:
        return ()
    others = known.of(job.key.namespace)
    found = []
    for place, limit in enumerate(job.limits):
        given = ((other.key, theirs.max) for other in others for theirs in other.limits if theirs.name == limit.name)
        differs = next((each for each in given if each[0] != job.key and each[1] != limit.max), None)
        if differs is not None:
            found.append(Disagreement(place, limit.name, limit.max, *differs))
    return found
