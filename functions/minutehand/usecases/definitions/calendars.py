"""Manage calendars: get, save and delete. They take effect when a tick plans the occurrences of jobs that name them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from minutehand.domain.actor import Actor
from minutehand.domain.audit import Action, AuditRecord, audit_record
from minutehand.domain.calendar import (
    Calendar,
    CalendarKey,
    DateRange,
    Period,
    Weekly,
    merged_dates,
    merged_periods,
    merged_weekly,
)
from minutehand.domain.calendar_text import format_dates, format_period, format_weekly
from minutehand.domain.errors import InUse, NotFound
from minutehand.domain.precondition import ALWAYS, Precondition, Version
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.retries import CONTENDED, Contended, retry_on_conflict

_MOST_USERS_NAMED = 5
_MILLISECOND = timedelta(milliseconds=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_JOBS_A_PAGE = 100
_MOST_PAGES_READ = 100


class Content(NamedTuple):
    """Description and blocked times of a calendar. The times may be in any order and repeated."""

    description: str = ""
    dates: tuple[DateRange, ...] = ()
    weekly: tuple[Weekly, ...] = ()
    periods: tuple[Period, ...] = ()

    def merged(self) -> Content:
        """The same content in the canonical form that is stored."""
        return Content(
            description=self.description,
            dates=merged_dates(self.dates),
            weekly=merged_weekly(self.weekly),
            periods=merged_periods(self.periods),
        )


class Saved(NamedTuple):
    """The stored calendar; whether it is new, and whether anything changed."""

    calendar: Calendar
    created: bool
    changed: bool


def get(ports: Ports, key: CalendarKey) -> Calendar:
    """The calendar with this key.

    Raises:
        NotFound: when there is no such calendar.
    """
    found = ports.calendars.get([key]).get(key)
    if found is None:
        raise NotFound(f"there is no calendar {key}")
    return found


def version_of(calendar: Calendar | None) -> Version | None:
    """The version of a stored calendar; None if there is none. A calendar that was deleted and created again counts its revisions anew, so
    the tag also has the time of the change."""
    if calendar is None:
        return None
    tag = f"{calendar.revision}-{(calendar.updated_at - _EPOCH) // _MILLISECOND}"
    return Version(tag, calendar.revision, calendar.updated_at, calendar.updated_by)


def save(
    ports: Ports,
    key: CalendarKey,
    content: Content,
    *,
    who: Actor,
    only_if: Precondition = ALWAYS,
    dry_run: bool = False,
) -> Saved:
    """Create a calendar, or replace its content. Saving the same content again, in whatever order, changes nothing.

    Args:
        only_if: what must be stored for the calendar to be saved.
        dry_run: whether only to return what saving would return.

    Raises:
        ChangedMeanwhile: when the stored calendar is not as `only_if` demands.
        Conflict: after too many concurrent updates.
    """
    merged = content.merged()

    def update() -> Saved | Contended[None]:
        before = ports.calendars.get([key]).get(key)
        only_if.check(version_of(before), f"calendar {key}")
        if before and merged == Content(before.description, before.dates, before.weekly, before.periods):
            return Saved(calendar=before, created=False, changed=False)
        after = Calendar(
            key,
            *merged,
            revision=before.revision + 1 if before else 1,
            updated_at=ports.clock(),
            updated_by=who.name,
            users=before.users if before else 0,
            unknown=before.unknown if before else {},
        )
        if dry_run or ports.calendars.save(before, after, _record(ports, who, Action.SAVE, before, after)):
            return Saved(calendar=after, created=before is None, changed=True)
        return CONTENDED

    return retry_on_conflict(update, f"calendar {key}")


def delete(ports: Ports, key: CalendarKey, *, who: Actor, only_if: Precondition = ALWAYS) -> None:
    """Delete a calendar that no job names.

    Raises:
        NotFound: when there is no such calendar.
        ChangedMeanwhile: when the stored calendar is not as `only_if` demands.
        InUse: when jobs name it; the message lists up to five of them.
        Conflict: after too many concurrent updates.
    """

    def update() -> Contended[None] | None:
        calendar = get(ports, key)
        only_if.check(version_of(calendar), f"calendar {key}")
        if calendar.users:
            raise _in_use(ports, calendar)
        audit = _record(ports, who, Action.DELETE, calendar, None)
        return None if ports.calendars.delete(calendar, audit) else CONTENDED

    retry_on_conflict(update, f"calendar {key}")


def _record(ports: Ports, who: Actor, action: Action, before: Calendar | None, after: Calendar | None) -> AuditRecord:
    """The record of a change of a calendar, one of which is not None."""
    known = after or before
    assert known is not None  # noqa: S101 - for the type checker
    return audit_record(
        who,
        action,
        ports.clock(),
        namespace=known.key.namespace,
        calendar=known.key.name,
        revision=after.revision if after else None,
        before=_document(before),
        after=_document(after),
        kept=ports.audit_retention,
    )


def _document(calendar: Calendar | None) -> dict[str, Any] | None:
    """What records of changes compare."""
    if calendar is None:
        return None
    return {
        "description": calendar.description,
        "dates": [*map(format_dates, calendar.dates)],
        "weekly": [*map(format_weekly, calendar.weekly)],
        "periods": [*map(format_period, calendar.periods)],
    }


def _in_use(ports: Ports, calendar: Calendar) -> InUse:
    """The error that lists the first five jobs that name the calendar, or fewer: it reads at most 10,000 jobs of the namespace."""
    known: list[str] = []
    cursor = None
    for _ in range(_MOST_PAGES_READ):
        page = ports.definitions.page(calendar.key.namespace, _JOBS_A_PAGE, cursor)
        known += [each.job.key.name for each in page.items if calendar.key.name in each.job.calendars]
        cursor = page.next
        if cursor is None or len(known) >= min(calendar.users, _MOST_USERS_NAMED):
            break
    known = known[:_MOST_USERS_NAMED]
    count = "1 job names" if calendar.users == 1 else f"{calendar.users} jobs name"
    others = calendar.users - len(known)
    named = ", ".join(known) + (f" and {others} more" if known and others > 0 else "")
    return InUse(
        f"{count} the calendar {calendar.key}{f' ({named})' if named else ''};"
        " take it out of their `calendars` first, or save it empty to block nothing"
    )
