"""Revision history: a short record of every revision of a job, kept for ever, so that any past instant can be explained.

An `EffectiveRevision` says from when to when one revision is in effect.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from enum import Enum
from typing import Annotated, NamedTuple

from minutehand.domain.calendar import CalendarKey
from minutehand.domain.declaration.field import Field
from minutehand.domain.definition import Definition, Revision
from minutehand.domain.instants import SECOND
from minutehand.domain.job import Job
from minutehand.domain.occurrence_rule import OccurrenceRule, rule_of

MOST_NAMED = 5_000
"""Most occurrences that are examined to answer one question about a job's past or future."""
_LONGEST_UNDER_CALENDARS = timedelta(days=36_525)
"""Longest span examined for a job with calendars, 100 years: moved occurrences are searched day by day, however few there are."""


class Did(Enum):
    """What a change did to a job."""

    CREATED = "created"
    """The job was created: it did not exist, or had been deleted."""
    EDITED = "edited"
    """The job's definition was replaced, or saved again to repair its timer."""
    PAUSED = "paused"
    """The job was paused, or its pause got another end; nothing else changed."""
    RESUMED = "resumed"
    """The job was resumed; nothing else changed."""
    DELETED = "deleted"
    """The job was deleted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PastRevision:
    """One revision of a job, as its revision history keeps it.

    Attributes:
        effective_from: whole second; the revision is in effect after it, up to and including the next one's `effective_from`.
        rule: the occurrence rule, encoded; None while the job is paused or deleted.
        paused_until: end of a pause, before which the job has no occurrences.
        changed: fields of the job that differ from the revision before; empty when the job is new or deleted.
    """

    number: Annotated[int, Field(apart=True)]
    effective_from: datetime
    rule: str | None
    did: Did
    who: str
    paused_until: datetime | None = None
    changed: tuple[str, ...] = ()

    @property
    def deleted(self) -> bool:
        """Whether this revision deleted the job."""
        return self.did is Did.DELETED

    def paused_at(self, instant: datetime) -> bool:
        """Whether the job existed and was paused at an instant at which this revision is in effect."""
        revision = Revision(self.number, self.effective_from, self.rule, self.deleted, self.paused_until)
        return revision.paused_at(instant)


class StoredRevision(NamedTuple):
    """A revision of a job, with the job as it was under it. `job` is None if the revision deleted the job, or was stored by a version
    that kept no definitions."""

    past: PastRevision
    job: Job | None


class Pause(NamedTuple):
    """A pause, from its start to its end.

    Attributes:
        begun: the revision that began it.
        until: when it ended or will end; None while it has no end.
        ended: the revision that ended it; None when it ended by itself or is still on.
    """

    begun: PastRevision
    until: datetime | None
    ended: PastRevision | None

    def covers(self, instant: datetime) -> bool:
        """Whether an occurrence at an instant falls into the pause."""
        if instant <= self.begun.effective_from or self.until is None:
            return instant > self.begun.effective_from
        return instant < self.until or (self.ended is not None and instant == self.until)


def past_revision(before: Definition | None, after: Definition) -> PastRevision:
    """The entry of the revision history for the change of a job from `before` to `after`."""
    newest = after.revisions[-1]
    changed: tuple[str, ...] = ()
    if after.deleted:
        did = Did.DELETED
    elif before is None or before.deleted:
        did = Did.CREATED
    else:
        did, old, new = Did.EDITED, before.job, after.job
        changed = tuple(
            f.name for f in fields(Job) if _comparable(getattr(old, f.name)) != _comparable(getattr(new, f.name))
        )
        if changed and {*changed} <= {"paused", "paused_until"}:
            did = Did.PAUSED if new.is_paused(newest.effective_from) else Did.RESUMED
    return PastRevision(
        number=newest.number,
        effective_from=newest.effective_from,
        rule=newest.rule,
        paused_until=newest.paused_until,
        did=did,
        who=after.updated_by,
        changed=changed,
    )


def _comparable(value: object) -> object:
    """A form of a field's value that is equal only for equal JSON: Python takes a payload of `true` as equal to `1`."""
    return json.dumps(value, sort_keys=True) if isinstance(value, bool | int | float | dict | list) else value


def pause_around(history: Sequence[PastRevision], index: int) -> Pause:
    """The pause in which the revision at `index` takes effect."""
    begun = index
    while begun > 0 and history[begun - 1].paused_at(history[begun].effective_from):
        begun -= 1
    for each, later in zip(history[index:], [*history[index + 1 :], None], strict=True):
        if not each.paused_at(each.effective_from + SECOND):
            return Pause(history[begun], each.effective_from, each)
        if each.paused_until is not None and (later is None or later.effective_from >= each.paused_until):
            return Pause(history[begun], each.paused_until, None)
    return Pause(history[begun], None, None)


def pause_at(history: Sequence[PastRevision], instant: datetime) -> Pause | None:
    """The pause in effect at an instant; None if there was none, or if the history begins later."""
    index = next((i for i in reversed(range(len(history))) if history[i].effective_from < instant), None)
    return None if index is None or not history[index].paused_at(instant) else pause_around(history, index)


class EffectiveRevision(NamedTuple):
    """The instants at which one revision is in effect: first <= t <= last.

    Attributes:
        position: index of the revision in the history; None for the time before the first revision.
    """

    position: int | None
    first: datetime
    last: datetime


def effective_revisions(history: Sequence[PastRevision], first: datetime, last: datetime) -> list[EffectiveRevision]:
    """The revisions in effect at first <= t <= last, in order; `history` is oldest first."""
    found = []
    bounds = [(None, first), *((index, each.effective_from + SECOND) for index, each in enumerate(history))]
    for (index, begins), later in zip(bounds, [*(begins for _, begins in bounds[1:]), None], strict=True):
        ends = last if later is None else min(last, later - SECOND)
        if max(first, begins) <= ends:
            found.append(EffectiveRevision(index, max(first, begins), ends))
    return found


def horizon(history: Sequence[PastRevision], first: datetime, last: datetime) -> datetime:
    """The last instant that a question about first <= t <= last covers: before `last` if it has over `MOST_NAMED` occurrences."""
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
    """Calendars named by the revisions in effect at first <= t <= last."""
    rules = (_rule_in(history, effective) for effective in effective_revisions(history, first, last))
    return {CalendarKey(namespace, name) for rule in rules if rule for name in rule.calendars}
