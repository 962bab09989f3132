"""What use cases need of where backfills are kept; the promises of `ports` hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from minutehand.domain.backfill import Backfill
    from minutehand.domain.job import JobKey
    from minutehand.usecases.ports.stores import Page


class Backfills(Protocol):
    """Backfills, each changed by whoever read it last."""

    def create(self, backfill: Backfill) -> Backfill:
        """Store a backfill unless the job has one of its id. Answers the one that is stored."""

    def get(self, job: JobKey, backfill: str) -> Backfill | None:
        """A backfill by its id."""

    def save(self, before: Backfill, after: Backfill) -> bool:
        """Replace a backfill. False, with nothing written, when what is stored is not of the version of `before`."""

    def page(self, job: JobKey, limit: int, cursor: str | None) -> Page[Backfill]:
        """A job's backfills, newest first. `Invalid` for a cursor that this did not give."""
