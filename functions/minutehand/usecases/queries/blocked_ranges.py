"""Blocked ranges: the occurrences that calendars block, joined for people to read. Pure; only previews use it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.domain.calendar_filter import Unblocked
from minutehand.domain.instants import SECOND

MOST_BLOCKED_RANGES = 20
"""Most ranges in one answer; later ones are left out."""
MOST_COUNTED = 1000
"""Most occurrences that are counted in one range."""
# Most steps of one search for blocked ranges; each step passes one occurrence that runs, or one blocked range.
_MOST_EXAMINED = 5_000
# Most adjacent blocks that are joined into one range, and most days that it spans: about four years of daily blocks.
_MOST_JOINED = 1_500


class BlockedRange(NamedTuple):
    """Consecutive occurrences that a calendar blocks.

    Attributes:
        first: the first occurrence.
        until: the first instant after the range: when no calendar blocks any more, or when another calendar's range begins.
        times: number of occurrences; None for more than MOST_COUNTED.
        moved_to: the instant that the first occurrence is moved to; None when it is skipped.
    """

    first: datetime
    until: datetime
    calendar: str
    times: int | None
    moved_to: datetime | None


def blocked_ranges(named: Unblocked, after: datetime, until: datetime) -> list[BlockedRange]:
    """The ranges that calendars block in after < t <= until, in order: the first `MOST_BLOCKED_RANGES`."""
    rule = named.rule
    found: list[BlockedRange] = []
    instant = rule.next(after)
    for _ in range(_MOST_EXAMINED):
        if instant is None or instant > until or len(found) == MOST_BLOCKED_RANGES:
            break
        calendar = named.blocker(instant)
        if calendar is None:
            instant = rule.next(instant)
            continue
        end = _end(named, instant, calendar)
        counted = len(rule.between(instant - SECOND, end - SECOND, MOST_COUNTED + 1))
        times = counted if counted <= MOST_COUNTED else None
        found.append(BlockedRange(instant, end, calendar, times, named.moved_to(instant)))
        instant = rule.next(end - SECOND)
    return found


def _end(named: Unblocked, first: datetime, calendar: str) -> datetime:
    """The end of the blocked range that begins with the occurrence `first`.

    The range ends when no calendar blocks any more. It ends earlier if another calendar takes over and blocks a further occurrence:
    that begins another range.
    """
    end = named.open_from(first)
    for _ in range(_MOST_JOINED):
        by = named.blocker(end) if end - first < timedelta(days=_MOST_JOINED) else None
        if by is None:
            break
        further = named.open_from(end)
        if by != calendar and named.rule.between(end - SECOND, further - SECOND, 1):
            break
        end = further
    return end
