"""What the API says about a job's past and future, as types."""

from datetime import UTC, datetime, timedelta
from typing import TypedDict

from minutehand.client.shapes import Run


class PastRevision(TypedDict):
    """A change to a job: `did` is created, edited, paused, resumed or deleted, `changed` names the fields that it changed; `by` is
    None where nobody is on record."""

    number: int
    at: str
    did: str
    by: str | None
    changed: list[str]


class TicksAround(TypedDict):
    """The minutes of the last tick at or before an instant, and of the first one after it; None where none is known."""

    last: str | None
    next: str | None


class Finding(TypedDict):
    """What is said of the instants from `first` to `last`: `kind` for programs, `text` for people.

    times: how many occurrences it is about; None where it is about a stretch of time. run: where it is about one run. revision: the one
    that governs these instants, or did what is told. until, ended_by: of a pause. before, after: the nearest instants that are named.
    """

    kind: str
    first: str
    last: str
    times: int | None
    text: str
    run: Run | None
    revision: PastRevision | None
    until: str | None
    ended_by: PastRevision | None
    policy: str | None
    calendar: str | None
    moved_to: str | None
    before: str | None
    after: str | None
    ticks: TicksAround | None


Explanation = TypedDict(
    "Explanation",
    {"job": str, "from": str, "to": str, "items": list[Finding], "beside": list[Finding], "next": str | None},
)
"""What happened from one instant up to another, which does not belong to it. `beside` are runs that have to do with it and bear another
instant; `next` is from where to ask for the rest, None when this is all."""


def question(*, at: datetime | None, start: datetime | None, end: datetime | None) -> dict[str, str]:
    """The query that asks for an explanation."""
    given = {"at": at, "from": start, "to": end}
    return {name: utc_text(instant) for name, instant in given.items() if instant is not None}


def utc_text(instant: datetime) -> str:
    """An aware datetime as the API takes it. Raises ValueError for a naive one."""
    if instant.tzinfo is None:
        raise ValueError(f"{instant.isoformat()} has no time zone; pass an aware datetime")
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z")


def whole_seconds(instant: datetime) -> str:
    """As `utc_text`, for what takes no fractions: the first whole second that is not before the instant."""
    rest = timedelta(microseconds=-instant.microsecond % 1_000_000)
    return utc_text(instant + rest)
