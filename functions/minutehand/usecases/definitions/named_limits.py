"""Named limits: where the jobs of a namespace give one limit different maxima."""

from __future__ import annotations

from collections.abc import Sequence
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


def disagreements(ports: Ports, job: Job) -> Sequence[Disagreement]:
    """For each of a job's limits, the first other job that gives it another max, if any does. Costs no read without limits, and
    finds nothing when the other jobs cannot be read."""
    if not job.limits:
        return ()
    try:
        others = ports.definitions.page(job.key.namespace, MOST_COMPARED, None).items
    except Unavailable:  # the job is saved, and a missing warning must not make the save look failed
        return ()
    found = []
    for place, limit in enumerate(job.limits):
        given = (
            (other.job.key, theirs.max) for other in others for theirs in other.job.limits if theirs.name == limit.name
        )
        differs = next((each for each in given if each[0] != job.key and each[1] != limit.max), None)
        if differs is not None:
            found.append(Disagreement(place, limit.name, limit.max, *differs))
    return found
