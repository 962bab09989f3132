"""Lists of runs across jobs and of a job's recent runs, which only the API reads. See `ports` for what every store promises."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol

from minutehand.domain.errors import Unread, ignored

if TYPE_CHECKING:
    from minutehand.domain.job_key import JobKey
    from minutehand.domain.run import Run
    from minutehand.domain.run_key import RunKey

QUERIES_OF_AN_HOUR = 5
"""Queries at least that list a namespace's runs of an hour: its places in the index `by_time`, and its entries."""


class Ended(NamedTuple):
    """A run that failed, timed out or was lost, and when."""

    at: datetime
    run: RunKey


class RunLists(Protocol):
    """Runs, newest first. Every list may be stale; intervals are in whole seconds."""

    def by_time(
        self, namespace: str, start: datetime, end: datetime, unreadable: Unread = ignored
    ) -> Iterator[Sequence[RunKey]]:
        """Pages of the keys of a namespace's runs that are scheduled for an instant in [start, end): by run id, the newest first,
        then by job, each once. A page may name runs that do not exist. Calls `unreadable` for each entry that cannot be read."""

    def by_end(self, namespace: str, start: datetime, end: datetime) -> Iterator[Sequence[Ended]]:
        """Pages of a namespace's runs that failed, timed out or were lost in [start, end): by that instant, the newest first, then
        by key. Each has a query at least."""

    def of_job(
        self, job: JobKey, start: datetime, end: datetime, limit: int, unreadable: Unread = ignored
    ) -> Sequence[Run]:
        """At most `limit` of a job's runs scheduled for an instant in [start, end), by run id, newest first, and fewer if it calls
        `unreadable` for those that cannot be read."""
