"""Manage calendars: get, save and delete. They take effect when a tick plans the occurrences of jobs that name them."""

from __future__ import annotations

from typing import NamedTuple

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
from minutehand.domain.errors import InUse, NotFound
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.retries import CONTENDED, Contended, retry_on_conflict

_MOST_USERS_NAMED = 5
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


def save(ports: Ports, key: CalendarKey, content: Content, *, who: str, dry_run: bool = False) -> Saved:
    """Create a calendar, or replace its content. Saving the same content again, in whatever order, changes nothing.

    Args:
        dry_run: whether only to return what saving would return.

    Raises:
        Conflict: after too many concurrent updates.
    """
    merged = content.merged()

    def update() -> Saved | Contended[None]:
        before = ports.calendars.get([key]).get(key)
        if before and merged == Content(before.description, before.dates, before.weekly, before.periods):
            return Saved(calendar=before, created=False, changed=False)
        after = Calendar(
            key,
            *merged,
            revision=before.revision + 1 if before else 1,
            updated_at=ports.clock(),
            updated_by=who,
            users=before.users if before else 0,
            unknown=before.unknown if before else {},
        )
        if dry_run or ports.calendars.save(before, after):
            return Saved(calendar=after, created=before is None, changed=True)
        return CONTENDED

    return retry_on_conflict(update, f"calendar {key}")


def delete(ports: Ports, key: CalendarKey) -> None:
    """Delete a calendar that no job names.

    Raises:
        NotFound: when there is no such calendar.
        InUse: when jobs name it; the message lists up to five of them.
        Conflict: after too many concurrent updates.
    """

    def update() -> Contended[None] | None:
        calendar = get(ports, key)
        if calendar.users:
            raise _in_use(ports, calendar)
        return None if ports.calendars.delete(calendar) else CONTENDED

    retry_on_conflict(update, f"calendar {key}")


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
