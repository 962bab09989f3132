"""Stores of what jobs of a namespace share: its settings, and calendars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from minutehand.domain.audit import AuditRecord
    from minutehand.domain.calendar import Calendar, CalendarKey
    from minutehand.domain.namespace import Namespace
    from minutehand.domain.quota import JobCount, Pace
    from minutehand.usecases.ports.stores import Page


class QuotaUse(Protocol):
    """How much of namespaces' quotas is used. Nothing is stored of a namespace without a quota."""

    def job_count(self, namespace: str) -> JobCount | None:
        """The stored number of jobs; None if they were never counted. `Definitions.save` adds the jobs that it makes."""

    def count_jobs(self, namespace: str) -> int:
        """Count the jobs of the namespace: reads its whole list."""

    def save_job_count(self, namespace: str, before: JobCount | None, after: JobCount) -> bool:
        """Store a number of jobs. False, with nothing written, when the stored one no longer has the version of `before`."""

    def pace(self, namespace: str) -> Pace:
        """The places in minutes that were given out; `NO_PACE` if none ever were."""

    def take_place(self, namespace: str) -> Pace:
        """Add one to the places that were given out. Returns the result: the caller's place is the last of it. A repeated call takes
        another place."""

    def restart_pace(
        self, namespace: str, since: datetime | None, minute: datetime, *, most_taken: int | None = None
    ) -> bool:
        """Begin to count anew with the first place of `minute`, which is the caller's. False, with nothing written, when the places are
        no longer counted from `since`, or more than `most_taken` of them were given out meanwhile."""


class Namespaces(QuotaUse, Protocol):
    """Namespaces' settings, by name, and the use of their quotas. `audit` is stored with the change, or not at all."""

    def get(self, names: Sequence[str]) -> Mapping[str, Namespace]:
        """Read the settings of these namespaces; those without settings are left out."""

    def save(self, before: Namespace | None, after: Namespace, audit: AuditRecord | None = None) -> bool:
        """Create (`before` is None) or replace settings. False, with nothing written, when the stored ones do not have the revision
        of `before`, or exist although `before` is None."""


class Calendars(Protocol):
    """Calendars by name. `Definitions.save` counts the jobs that use a calendar (`users`); no method here changes that count.
    `audit` is stored with the change, or not at all."""

    def get(self, calendars: Sequence[CalendarKey]) -> Mapping[CalendarKey, Calendar]:
        """Read calendars; those that do not exist are left out."""

    def save(self, before: Calendar | None, after: Calendar, audit: AuditRecord | None = None) -> bool:
        """Create (`before` is None) or replace a calendar, except its `users`. False, with nothing written, when the stored one is
        no longer as `before`, or exists although `before` is None."""

    def delete(self, calendar: Calendar, audit: AuditRecord | None = None) -> bool:
        """Delete a calendar. False, with nothing deleted, when it has changed since it was read, or a job uses it."""

    def page(self, namespace: str, limit: int, cursor: str | None) -> Page[Calendar]:
        """Calendars by name, fewer than `limit` where they are large. `Invalid` for a cursor that this did not return."""
