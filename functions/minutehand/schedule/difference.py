"""Difference between the instants of two schedules over a span. For previews; dispatching does not load it."""

from bisect import bisect_right
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from operator import eq
from typing import Protocol

MOST_COMPARED = 2_000_000
"""Most instants, of both schedules together, that a comparison reads."""

_CHUNK = 20_000


class Between(Protocol):
    """A source of instants: a schedule, alone or with limits such as `start_at`."""

    def between(self, start: datetime, end: datetime, limit: int, /) -> list[datetime]:
        """Instants t with start < t <= end, ascending, at most `limit`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Difference of the instants t with start < t <= until.

    added, removed, kept: number of instants of only the new, only the old and both schedules. first_added, first_removed: the
    first of these, ascending. until: end of the span, or where the comparison reached its maximum; then `cut` is True.
    """

    added: int
    removed: int
    kept: int
    first_added: tuple[datetime, ...]
    first_removed: tuple[datetime, ...]
    until: datetime
    cut: bool


def difference(
    old: Between, new: Between, start: datetime, end: datetime, *, first: int = 5, most: int = MOST_COMPARED
) -> Difference:
    """Compare two schedules over start < t <= end (aware), with memory independent of the span.

    first: maximum of first_added and of first_removed. most: instants of both schedules to read, approximately. A fixed delay is
    computed as if runs took no time. Raises ValueError if `end` is before `start`.
    """
    if end < start:
        raise ValueError(f"the span ends at {end.isoformat()}, before its start")
    chunk = min(_CHUNK, most)
    streams = (_Stream(old, start, end, chunk), _Stream(new, start, end, chunk))
    added = removed = kept = read = 0
    first_added: list[datetime] = []
    first_removed: list[datetime] = []
    until = start
    while until < end and read < most:
        until = min(stream.known_until() for stream in streams)
        before, after = (stream.take(until) for stream in streams)
        both = _count_common(before, after)
        _extend(first_added, after, before, first if len(after) > both else 0)
        _extend(first_removed, before, after, first if len(before) > both else 0)
        added, removed, kept = added + len(after) - both, removed + len(before) - both, kept + both
        read += len(before) + len(after)
    return Difference(
        added=added,
        removed=removed,
        kept=kept,
        first_added=tuple(first_added),
        first_removed=tuple(first_removed),
        until=until,
        cut=until < end,
    )


def _count_common(some: list[datetime], others: list[datetime]) -> int:
    """Number of instants in both ascending lists. Sorting them together is faster than hashing."""
    if some == others:
        return len(some)
    merged = sorted(some + others)
    return sum(map(eq, merged, islice(merged, 1, None)))


def _extend(found: list[datetime], some: list[datetime], others: list[datetime], most: int) -> None:
    """Append the first instants of `some` that are not in `others`, until `found` holds `most`."""
    if len(found) < most:
        found.extend(sorted(set(some).difference(others))[: most - len(found)])


class _Stream:
    """Instants of a schedule, read ahead one chunk at a time."""

    def __init__(self, schedule: Between, start: datetime, end: datetime, chunk: int) -> None:
        self._schedule = schedule
        self._chunk = chunk
        self._end = end
        self._ahead: list[datetime] = []
        self._taken = 0
        self._known_until = start

    def known_until(self) -> datetime:
        """Instant up to which all instants are read; reads the next chunk when the last is used up."""
        if self._taken == len(self._ahead) and self._known_until < self._end:
            self._ahead = self._schedule.between(self._known_until, self._end, self._chunk)
            self._taken = 0
            self._known_until = self._ahead[-1] if len(self._ahead) == self._chunk else self._end
        return self._known_until

    def take(self, until: datetime) -> list[datetime]:
        """Remove and return the instants up to `until`, which must not be after `known_until()`."""
        begin, self._taken = self._taken, bisect_right(self._ahead, until, self._taken)
        return self._ahead[begin : self._taken]
