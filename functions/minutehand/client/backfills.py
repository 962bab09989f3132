"""Backfill operations of the client."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Literal, cast

from minutehand.client.calls import PAGE_SIZE, Calls, key_header, pages, path_of, segment, utc_text
from minutehand.client.models import Backfill, BackfillExtent
from minutehand.client.results import Page


class BackfillCalls(Calls):
    """The part of `Client` with the operations on backfills."""

    def preview_backfill(self, job: str, start: datetime, end: datetime) -> BackfillExtent:
        """Dry run of `backfill`: the number of occurrences, the first and the last."""
        document = {"from": utc_text(start), "to": utc_text(end), "dry_run": True}
        answer = self._http.send("POST", f"{path_of('jobs', job)}/backfills", body=document)
        return cast("BackfillExtent", self._checked(answer, "occurrences", "first", "last"))

    def backfill(
        self,
        job: str,
        start: datetime,
        end: datetime,
        *,
        order: Literal["oldest", "newest"] = "oldest",
        concurrency: int = 1,
        ignore_overlap: bool = False,
        idempotency_key: str | None = None,
    ) -> Backfill:
        """Replay the occurrences of the job's schedule from `start` (inclusive) to `end` (exclusive); both are aware.

        The same idempotency key returns the same backfill; without a key, each call starts a new one. `follow_backfill` waits
        for its end.
        """
        document = {"from": utc_text(start), "to": utc_text(end), "order": order, "concurrency": concurrency}
        return self._backfill(
            "POST",
            f"{path_of('jobs', job)}/backfills",
            headers=key_header(idempotency_key),
            body=document | ({"ignore_overlap": True} if ignore_overlap else {}),
        )

    def get_backfill(self, job: str, backfill: str) -> Backfill:
        """A backfill and its progress."""
        return self._backfill("GET", f"{path_of('jobs', job)}/backfills/{segment(backfill)}")

    def cancel_backfill(self, job: str, backfill: str) -> Backfill:
        """Stop a backfill and cancel its runs that have not started; the others continue. Raises Conflict when it has finished."""
        return self._backfill("POST", f"{path_of('jobs', job)}/backfills/{segment(backfill)}/cancel")

    def backfills(self, job: str) -> Iterator[Backfill]:
        """All backfills of the job, newest first; pages are fetched lazily."""
        for page in pages(lambda limit, cursor: self.backfills_page(job, limit=limit, cursor=cursor)):
            yield from page["items"]

    def backfills_page(self, job: str, *, limit: int = PAGE_SIZE, cursor: str | None = None) -> Page[Backfill]:
        """One page of the job's backfills, newest first."""
        return self._page(f"{path_of('jobs', job)}/backfills", limit, cursor, "id", "job", "state")

    def _backfill(
        self, method: str, path: str, *, headers: Mapping[str, str] | None = None, body: object = None
    ) -> Backfill:
        answer = self._http.send(method, path, headers=headers, body=body)
        return cast("Backfill", self._checked(answer, "id", "job", "state", "ended", "finished_at"))
