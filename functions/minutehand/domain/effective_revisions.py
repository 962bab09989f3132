"""Reigns: which revision of a job governed which instants, and what of it can be looked at in one go."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.domain.calendar import CalendarKey
from minutehand.domain.instants import SECOND
from minutehand.domain.occurrence_rule import OccurrenceRule, rule_of
from minutehand.domain.revision_history import PastRevision

MOST_NAMED = 5_000
"""Occurrences that are looked at in one question."""
_LONGEST_UNDER_CALENDARS = timedelta(days=36_525)
"""What calendars move is sought day by day, however few occurrences there are."""


class EffectiveRevision(NamedTuple):
    """The instants that one revision governs: first <= t <= last.

    Attributes:
        place: the revision's in the history it is from; None before the first of them.
    """

    place: int | None
    first: datetime
    last: datetime


def effective_revisions(history: Sequence[PastRevision], first: datetime, last: datetime) -> list[EffectiveRevision]:
    """Who governs the instants of first <= t <= last, in order; `history` is oldest first."""
    found = []
    bounds = [(None, first), *((place, each.effective_from + SECOND) for place, each in enumerate(history))]
    for (place, begins), later in zip(bounds, [*(begins for _, begins in bounds[1:]), None], strict=True):
        ends = last if later is None else min(last, later - SECOND)
        if max(first, begins) <= ends:
            found.append(EffectiveRevision(place, max(first, begins), ends))
    return found


def horizon(history: Sequence[PastRevision], first: datetime, last: datetime) -> datetime:
    """How far from `first` on, and up to `last`, can be looked at in one question: as far as MOST_NAMED occurrences reach."""
    left = MOST_NAMED
    for effective in effective_revisions(history, first, last):
        rule = _agenda_in(history, effective)
        if rule is None or rule.schedule.delay is not None:
            continue
        longest = _LONGEST_UNDER_CALENDARS if rule.calendars else effective.last - effective.first
        reaches = min(effective.last, effective.first + longest)
        named = rule.between(effective.first - SECOND, reaches, left + 1)
        if len(named) > left:
            return max(named[left] - SECOND, first)
        if reaches < effective.last:
            return reaches
        left -= len(named)
    return last


def _agenda_in(history: Sequence[PastRevision], effective: EffectiveRevision) -> OccurrenceRule | None:
    schedule = None if effective.place is None else history[effective.place].rule
    try:
        return None if schedule is None else rule_of(schedule)
    except ValueError:
        return None


def calendars_named(
    history: Sequence[PastRevision], namespace: str, first: datetime, last: datetime
) -> set[CalendarKey]:
    """The calendars that the revisions name which govern these instants."""
    rules = (_agenda_in(history, effective) for effective in effective_revisions(history, first, last))
    return {CalendarKey(namespace, name) for rule in rules if rule for name in rule.calendars}
