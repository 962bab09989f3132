"""Cursors of paged lists, and pages of lists that are read whole. A cursor is base64url of JSON with the list, its owner and the
last entry; callers treat it as opaque."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from minutehand.domain.errors import FieldProblem, Invalid
from minutehand.domain.instants import to_text
from minutehand.usecases.ports.stores import Page

if TYPE_CHECKING:
    from minutehand.domain.backfill import Backfill
    from minutehand.domain.job_key import JobKey

T = TypeVar("T")
_ENTRY = re.compile(r"[!-~]{1,512}", re.ASCII)


def encode(*, listing: str, of: str, last: str) -> str:
    """The cursor after the entry `last` of a list (`jobs`, `runs`) that belongs to a namespace or a job."""
    text = json.dumps([listing, of, last], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode(cursor: str, *, listing: str, of: str) -> str:
    """The last entry of the page that gave the cursor.

    Raises:
        Invalid: with path `cursor`, if it is malformed or belongs to another list.
    """
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        stored = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError):
        raise _refusal("this is not a cursor") from None
    match stored:
        case [str(its_listing), str(its_owner), str(last)] if _ENTRY.fullmatch(last):
            if (its_listing, its_owner) == (listing, of):
                return last
            raise _refusal(f"this cursor belongs to another list, not to the {listing} of {of}")
    raise _refusal("this is not a cursor")


def owner_of_runs(job: JobKey, within: tuple[datetime, datetime] | None) -> str:
    """What the cursors of a list of a job's runs belong to: the job, and the interval of the list if it has one."""
    return str(job) if within is None else f"{job} {'/'.join(map(to_text, within))}"


def _refusal(message: str) -> Invalid:
    return Invalid(FieldProblem(path="cursor", message=message, hint="send `next` of the previous page, unchanged"))


def page_of(
    entries: Iterable[T],
    place: Callable[[T], str],
    *,
    listing: str,
    of: str,
    limit: int,
    cursor: str | None,
    descending: bool = False,
) -> Page[T]:
    """One page of a list that is given whole, sorted by each entry's `place`. A cursor contains the place of a page's last entry.

    Raises:
        Invalid: for a cursor of another list.
    """
    ordered = sorted(entries, key=place, reverse=descending)
    if cursor is not None:
        last = decode(cursor, listing=listing, of=of)
        ordered = [entry for entry in ordered if (place(entry) < last if descending else place(entry) > last)]
    items = tuple(ordered[:limit])
    more = len(ordered) > limit
    return Page(items=items, next=encode(listing=listing, of=of, last=place(items[-1])) if more else None)


def page_of_backfills(found: Iterable[Backfill], job: JobKey, limit: int, cursor: str | None) -> Page[Backfill]:
    """A page of a job's backfills, newest first; they are few enough to read whole. Raises as `page_of` does."""
    return page_of(found, _place, listing="backfills", of=str(job), limit=limit, cursor=cursor, descending=True)


def _place(backfill: Backfill) -> str:
    """Sort key of a backfill: its creation, always with milliseconds, so that the texts sort as the instants do; then its id."""
    at = backfill.created_at
    return f"{to_text(at.replace(microsecond=0))}.{at.microsecond // 1000:03}#{backfill.id}"
