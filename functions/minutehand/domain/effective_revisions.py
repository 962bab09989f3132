"""Effective revisions: which revision of a job governs which instants, and how many of these fit one question."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.domain.calendar import CalendarKey
from minutehand.domain.instants import SECOND
from minutehand.domain.occurrence_rule import OccurrenceRule, rule_of
from minutehand.domain.revision_history import PastRevision

MOST_NAMED = 5_000
"""Maximum occurrences examined for one question."""
_LONGEST_UNDER_CALENDARS = timedelta(days=36_525)
"""Maximum span under calendars, where moved occurrences are searched day by day, however few there are."""


class EffectiveRevision(NamedTuple):
    """The instants that a revision governs: first <= t <= last.

    Attributes:
        position: of the revision in the history; None before the first revision.
    """

    position: int | None
    first: datetime
    last: datetime


def effective_revisions(history: Sequence[PastRevision], first: datetime, last: datetime) -> list[EffectiveRevision]:
    """The revisions that govern first <= t <= last, in order; `history` is oldest first."""
    found = []
    bounds = [(None, first), *((index, each.effective_from + SECOND) for index, each in enumerate(history))]
    for (index, begins), later in zip(bounds, [*(begins for _, begins in bounds[1:]), None], strict=True):
        ends = last if later is None else min(last, later - SECOND)
        if max(first, begins) <= ends:
            found.append(EffectiveRevision(index, max(first, begins), ends))
    return found


def horizon(history: Sequence[PastRevision], first: datetime, last: datetime) -> datetime:
    """The last instant, up to `last`, that one question about `first` and later can cover: that of `MOST_NAMED` occurrences."""
    left = MOST_NAMED
    for effective in effective_revisions(history, first, last):
        rule = _rule_in(history, effective)
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


def _rule_in(history: Sequence[PastRevision], effective: EffectiveRevision) -> OccurrenceRule | None:
    encoded = None if effective.position is None else history[effective.position].rule
    try:
        return None if encoded is None else rule_of(encoded)
    except ValueError:
        return None


def calendars_named(
    history: Sequence[PastRevision], namespace: str, first: datetime, last: datetime
) -> set[CalendarKey]:
    """Calendars named by the revisions that govern these instants."""
    rules = (_rule_in(history, effective) for effective in effective_revisions(history, first, last))
    return {CalendarKey(namespace, name) for rule in rules if rule for name in rule.calendars}
