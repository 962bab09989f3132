"""Store of backfills. See `ports` for what every store promises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from minutehand.domain.backfill import Backfill
from minutehand.domain.job_key import JobKey
from minutehand.usecases.ports.stores import Page

if TYPE_CHECKING:
    from minutehand.domain.audit import AuditRecord


class Backfills(Protocol):
    """Backfills. Each change is conditional on the version that was read. `audit` is stored with the change, or not at all."""

    def create(self, backfill: Backfill, audit: AuditRecord | None = None) -> Backfill:
        """Store a backfill unless the job has one with its id. Returns the stored one."""

    def get(self, job: JobKey, backfill: str) -> Backfill | None:
        """A backfill by its id."""

    def save(self, before: Backfill, after: Backfill, audit: AuditRecord | None = None) -> bool:
        """Replace a backfill by `after`. Returns False, and writes nothing, if the stored one has another version than `before`."""

    def page(self, job: JobKey, limit: int, cursor: str | None) -> Page[Backfill]:
        """A job's backfills, newest first. `Invalid` for a cursor that this did not return."""
