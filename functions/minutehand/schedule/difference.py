"""What an edit of a schedule adds and removes over a span. For previews; nothing that dispatches loads this."""

from bisect import bisect_right
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from operator import eq
from typing import Protocol

MOST_COMPARED = 2_000_000
"""Instants of both schedules together that a comparison reads before it stops."""

_CHUNK = 20_000


class Between(Protocol):
    """Names instants: a schedule, or one with limits of its own."""

    def between(self, start: datetime, end: datetime, limit: int, /) -> list[datetime]:
        """The instants t with start < t <= end, ascending, at most `limit` of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """How the instants t with start < t <= until differ.

    added, removed, kept: how many only the new, only the old, and both schedules name. first_added, first_removed: the first of
    them, ascending, as many as were asked for. until: the end of the span, or where the comparison stopped because it had read
    its most; `cut` says which.
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
    """Compare two schedules over start < t <= end (aware). Memory does not grow with the span.

    first: how many instants of each kind to give. most: about how many instants of both to read at all. A fixed delay counts as if
    its runs took no time.
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
        both = _in_both(before, after)
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


def _in_both(some: list[datetime], others: list[datetime]) -> int:
    """How many stand in both lists, each ascending: next to each other once they are merged, which is quicker than hashing."""
    if some == others:
        return len(some)
    merged = sorted(some + others)
    return sum(map(eq, merged, islice(merged, 1, None)))


def _extend(found: list[datetime], some: list[datetime], others: list[datetime], most: int) -> None:
    """Add the first of those in `some` and not in `others`, up to `most` in all."""
    if len(found) < most:
        found.extend(sorted(set(some).difference(others))[: most - len(found)])


class _Stream:
    """The instants of a schedule, read ahead by a chunk."""

    def __init__(self, schedule: Between, start: datetime, end: datetime, chunk: int) -> None:
        self._schedule = schedule
        self._chunk = chunk
        self._end = end
        self._ahead: list[datetime] = []
        self._taken = 0
        self._known_until = start

    def known_until(self) -> datetime:
        """The instant up to which all are read ahead; reads on when all that were are taken."""
        if self._taken == len(self._ahead) and self._known_until < self._end:
            self._ahead = self._schedule.between(self._known_until, self._end, self._chunk)
            self._taken = 0
            self._known_until = self._ahead[-1] if len(self._ahead) == self._chunk else self._end
        return self._known_until

    def take(self, until: datetime) -> list[datetime]:
        """Those not yet taken up to this instant, which must be known."""
        begin, self._taken = self._taken, bisect_right(self._ahead, until, self._taken)
        return self._ahead[begin : self._taken]
