"""Stores of what jobs of a namespace share: its settings, and calendars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from minutehand.domain.audit import AuditRecord
    from minutehand.domain.calendar import Calendar, CalendarKey
    from minutehand.domain.namespace import Namespace
    from minutehand.usecases.ports.stores import Page


class Namespaces(Protocol):
    """Namespaces' settings, by name. `audit` is stored with the change, or not at all."""

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
