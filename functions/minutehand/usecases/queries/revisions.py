"""Earlier revisions of a job: the job as it was, and what differs between two of them."""

from __future__ import annotations

from typing import NamedTuple

from minutehand.domain.difference import Difference, differences
from minutehand.domain.errors import Conflict, NotFound
from minutehand.domain.job import Job
from minutehand.domain.job_document import job_document
from minutehand.domain.job_key import JobKey
from minutehand.domain.revision_history import PastRevision, StoredRevision
from minutehand.usecases.ports.bundle import Ports


class RevisionDiff(NamedTuple):
    """What differs between two revisions, the older of which is `before`."""

    before: PastRevision
    after: PastRevision
    found: tuple[Difference, ...]


def get_revision(ports: Ports, key: JobKey, number: int) -> StoredRevision:
    """A revision of a job, even if the job was deleted since.

    Raises:
        NotFound: when there never was such a revision.
    """
    found = ports.definitions.revision(key, number)
    if found is None:
        raise NotFound(f"there is no revision {number} of job {key}; minutehand revisions {key} lists them")
    return found


def job_of(key: JobKey, revision: StoredRevision) -> Job:
    """The job as it was under a revision.

    Raises:
        Conflict: when the revision deleted the job, or has no definition, since an earlier version of Minutehand stored it.
    """
    if revision.job is not None:
        return revision.job
    number = revision.past.number
    if revision.past.deleted:
        raise Conflict(f"revision {number} of job {key} deleted the job; name an earlier one")
    raise Conflict(
        f"revision {number} of job {key} was stored by a version of Minutehand that kept no definitions; name a later one"
    )


def diff_revisions(ports: Ports, key: JobKey, number: int, other: int | None) -> RevisionDiff:
    """What differs between two revisions of a job, as fields of its document; by default, what a revision changed. Before its first
    revision and after it was deleted, a job has no fields.

    Raises:
        NotFound: when there never was one of the revisions.
        Conflict: when a revision was stored without its definition.
    """
    older, newer = sorted((number, number - 1 if other is None else other))
    after = get_revision(ports, key, newer)
    if older == 0:
        return RevisionDiff(after.past, after.past, tuple(differences({}, job_document(job_of(key, after)))))
    before = get_revision(ports, key, older)
    documents = [{} if each.past.deleted else job_document(job_of(key, each)) for each in (before, after)]
    return RevisionDiff(before.past, after.past, tuple(differences(*documents)))
