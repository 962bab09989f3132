"""Operations of the client on revisions of jobs, and on records of changes."""

from collections.abc import Iterator
from datetime import datetime
from typing import TypedDict, Unpack, cast

from minutehand.client.calls import PAGE_SIZE, Calls, pages, path_of, utc_text, version_header
from minutehand.client.models import AuditRecord, Job, PastRevision, Revision, RevisionDiff
from minutehand.client.results import Page


class AuditFilter(TypedDict, total=False):
    """Which records `Client.audit` returns.

    `namespace`: by default all, which needs a token for all. `job`: its name in the namespace. `actor`: the name of a token. `start`, `end`:
    aware instants; `end` is not included.
    """

    namespace: str
    job: str
    actor: str
    action: str
    start: datetime
    end: datetime


class RevisionCalls(Calls):
    """The part of `Client` with the operations on revisions and on records of changes."""

    def revisions(self, job: str) -> Iterator[PastRevision]:
        """All revisions of the job, newest first; pages are fetched lazily."""
        for page in pages(lambda limit, cursor: self.revisions_page(job, limit=limit, cursor=cursor)):
            yield from page["items"]

    def revisions_page(self, job: str, *, limit: int = PAGE_SIZE, cursor: str | None = None) -> Page[PastRevision]:
        """One page of the job's revisions, newest first."""
        return self._page(f"{path_of('jobs', job)}/revisions", limit, cursor, "number", "did")

    def revision(self, job: str, number: int) -> Revision:
        """The job as it was under a revision."""
        answer = self._http.send("GET", _path(job, number))
        return cast("Revision", self._checked(answer, "number", "did", "job"))

    def diff_revisions(self, job: str, number: int, *, to: int | None = None) -> RevisionDiff:
        """What differs between two revisions, the older one first; by default, what a revision changed."""
        query = {} if to is None else {"against": str(to)}
        answer = self._http.send("GET", f"{_path(job, number)}/diff", query=query)
        return cast("RevisionDiff", self._checked(answer, "from", "to", "items"))

    def restore(self, job: str, number: int, *, if_revision: int | None = None) -> Job:
        """Save an earlier revision of the job again, as a new revision. A paused job stays paused.

        `if_revision`: only if this is the job's present revision; otherwise raises ChangedMeanwhile.
        """
        headers = version_header(if_revision)
        return cast("Job", self._definition("POST", f"{_path(job, number)}/restore", headers=headers))

    def audit(self, **filters: Unpack[AuditFilter]) -> Iterator[AuditRecord]:
        """All records of changes that match, newest first; those of all namespaces are sorted by namespace first. Pages are fetched
        lazily. Raises ValueError for naive instants."""
        for page in pages(lambda limit, cursor: self.audit_page(limit=limit, cursor=cursor, **filters)):
            yield from page["items"]

    def audit_page(
        self, *, limit: int = PAGE_SIZE, cursor: str | None = None, **filters: Unpack[AuditFilter]
    ) -> Page[AuditRecord]:
        """One page of records of changes. Any page may be short or empty."""
        names = {"start": "from", "end": "to"}
        given = {
            names.get(name, name): utc_text(value) if isinstance(value, datetime) else str(value)
            for name, value in filters.items()
        }
        return self._page("/v1/audit", limit, cursor, "at", "actor", "action", **given)


def _path(job: str, number: int) -> str:
    return f"{path_of('jobs', job)}/revisions/{number}"
