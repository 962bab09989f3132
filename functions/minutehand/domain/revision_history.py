"""Revision history: a short record of every revision of a job, kept for ever, so that any past instant can be explained."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from enum import Enum
from typing import Annotated, NamedTuple

from minutehand.domain.declaration import Field
from minutehand.domain.definition import Definition
from minutehand.domain.instants import SECOND
from minutehand.domain.job import Job


class Did(Enum):
    """What a change did to a job."""

    CREATED = "created"
    """It did not exist, or had been deleted."""
    EDITED = "edited"
    """Its definition was replaced, or saved again to repair its timer."""
    PAUSED = "paused"
    """It was paused, or its pause got another end, and nothing else changed."""
    RESUMED = "resumed"
    """It was resumed, and nothing else changed."""
    DELETED = "deleted"
    """It was deleted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PastRevision:
    """One revision of a job, as its revision history keeps it.

    Attributes:
        effective_from: whole second; it governs instants strictly later than this, up to the next one's.
        rule: the occurrence rule, encoded; None when it has no occurrence, since the job is paused or deleted.
        paused_until: end of the pause, before which it has no occurrence.
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
        """Whether it deleted the job."""
        return self.did is Did.DELETED

    def paused_at(self, instant: datetime) -> bool:
        """Whether the job existed and was paused at an instant that the revision governs."""
        if self.deleted:
            return False
        return self.rule is None if self.paused_until is None else instant < self.paused_until


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


_PAUSE_FIELDS = {"paused", "paused_until"}


def past_revision(before: Definition | None, after: Definition) -> PastRevision:
    """The record of a change."""
    newest = after.revisions[-1]
    fresh = before is None or before.deleted
    changed = () if fresh or after.deleted or before is None else _changed(before.job, after.job)
    return PastRevision(
        number=newest.number,
        effective_from=newest.effective_from,
        rule=newest.rule,
        paused_until=newest.paused_until,
        did=_did(after, changed, fresh=fresh),
        who=after.updated_by,
        changed=changed,
    )


def _did(after: Definition, changed: tuple[str, ...], *, fresh: bool) -> Did:
    if after.deleted:
        return Did.DELETED
    if fresh:
        return Did.CREATED
    if changed and {*changed} <= _PAUSE_FIELDS:
        return Did.PAUSED if after.job.is_paused(after.revisions[-1].effective_from) else Did.RESUMED
    return Did.EDITED


def _changed(before: Job, after: Job) -> tuple[str, ...]:
    return tuple(
        f.name for f in fields(Job) if _comparable(getattr(before, f.name)) != _comparable(getattr(after, f.name))
    )


def _comparable(value: object) -> object:
    """A value that is equal only to equal JSON: a payload of `true` is not one of `1`."""
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
