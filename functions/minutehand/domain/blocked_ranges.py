"""Stretches: what calendars block of an agenda, told as people would tell it. Pure, and for previews alone."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.domain.calendar_filter import Unblocked
from minutehand.domain.instants import SECOND
from minutehand.domain.occurrence_rule import OccurrenceRule

MOST_BLOCKED_RANGES = 20
"""Blocked stretches that are told of at most: the first ones."""
MOST_COUNTED = 1000
"""Occurrences of a blocked stretch that are counted at most."""
# Occurrences that are looked at.
_MOST_LOOKS = 5_000
# Blocks that lie next to each other are told as one, up to these: four years of days.
_MOST_JOINED = 1_500
_LONGEST = timedelta(days=_MOST_JOINED)


class BlockedRange(NamedTuple):
    """Occurrences that one calendar blocks without a moment between them at which one would run.

    Attributes:
        first: the first of them.
        until: when the block ends, whichever calendars it is made of, or from when on another calendar has a stretch of its own.
        times: how many they are; None for more than MOST_COUNTED.
        moved_to: where the first of them runs instead; None when it does not.
    """

    first: datetime
    until: datetime
    calendar: str
    times: int | None
    moved_to: datetime | None


def blocked_ranges(named: Unblocked, after: datetime, until: datetime) -> list[BlockedRange]:
    """What calendars block of after < t <= until, in order: the first MOST_STRETCHES stretches."""
    rule = named.rule
    found: list[BlockedRange] = []
    instant = rule.next(after)
    for _ in range(_MOST_LOOKS):
        if instant is None or instant > until or len(found) == MOST_BLOCKED_RANGES:
            break
        calendar = named.blocker(instant)
        if calendar is None:
            instant = rule.next(instant)
            continue
        end = _end(named, instant, calendar)
        found.append(BlockedRange(instant, end, calendar, _counted(rule, instant, end), named.moved_to(instant)))
        instant = rule.next(end - SECOND)
    return found


def _end(named: Unblocked, first: datetime, calendar: str) -> datetime:
    """When the block ends that holds `first`, or goes on by another calendar, which then blocks an occurrence, too."""
    end = named.open_from(first)
    for _ in range(_MOST_JOINED):
        by = named.blocker(end) if end - first < _LONGEST else None
        if by is None:
            break
        further = named.open_from(end)
        if by != calendar and named.rule.between(end - SECOND, further - SECOND, 1):
            break
        end = further
    return end


def _counted(rule: OccurrenceRule, first: datetime, until: datetime) -> int | None:
    times = len(rule.between(first - SECOND, until - SECOND, MOST_COUNTED + 1))
    return times if times <= MOST_COUNTED else None
