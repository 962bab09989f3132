"""Pages of a job's backfills, which are few enough to read whole."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from minutehand.adapters import cursors
from minutehand.domain.instants import to_text
from minutehand.usecases.ports.stores import Page

if TYPE_CHECKING:
    from minutehand.domain.backfill import Backfill
    from minutehand.domain.job_key import JobKey


def paged(found: Iterable[Backfill], job: JobKey, limit: int, cursor: str | None) -> Page[Backfill]:
    """A page of a job's backfills, newest first.

    Raises:
        Invalid: for a cursor of another list.
    """
    last = cursors.decode(cursor, listing="backfills", of=str(job)) if cursor is not None else None
    rest = sorted((one for one in found if last is None or _place(one) < last), key=_place, reverse=True)
    items = tuple(rest[:limit])
    more = len(rest) > limit
    return Page(
        items=items, next=cursors.encode(listing="backfills", of=str(job), last=_place(items[-1])) if more else None
    )


def _place(backfill: Backfill) -> str:
    """Sort key: always with milliseconds, so that the texts sort as the instants do."""
    at = backfill.created_at
    return f"{to_text(at.replace(microsecond=0))}.{at.microsecond // 1000:03}#{backfill.id}"
