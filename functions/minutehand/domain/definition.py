"""A stored job: its newest revision whole, and the occurrence rules of recent ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, NamedTuple

from minutehand.domain.declaration.field import Field
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey


class Revision(NamedTuple):
    """The occurrences that one revision of a definition names.

    Attributes:
        number: grows by one with each change; never reused for the same name, even after a delete.
        effective_from: whole second; the revision governs later instants, up to and including the next revision's.
        rule: the encoded occurrence rule; None while paused or deleted.
        deleted: whether the job was deleted, rather than paused.
        paused_until: the end of a pause; before it, the revision names no occurrences.
    """

    number: int
    effective_from: datetime
    rule: str | None
    deleted: bool = False
    paused_until: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Definition:
    """A stored job: its newest revision whole, and the occurrence rules of recent ones.

    A deleted job keeps its definition as a tombstone (`deleted`), so its revision numbers continue.

    Attributes:
        revisions: oldest first; the last is the one in `revision`.
        children: the jobs that depend on it.
        unknown: fields that a later version stored.
        made_anew: the revision that deleted the previous job of this name; 0 if there was none.
    """

    job: Annotated[Job, Field(apart=True)]
    revision: int
    created_at: datetime
    updated_at: datetime
    updated_by: str
    revisions: tuple[Revision, ...] = field(default=())
    deleted: bool = False
    children: Annotated[frozenset[JobKey], Field(apart=True)] = frozenset()
    made_anew: int = 0
    unknown: Annotated[Mapping[str, Any], Field(apart=True)] = field(default_factory=dict, hash=False)

    def in_effect_at(self, instant: datetime) -> Revision | None:
        """The revision that governs `instant`, or None if it is older than the revisions kept."""
        return next((r for r in reversed(self.revisions) if r.effective_from < instant), None)

    def sharing_timer(self, revision: Revision) -> set[int]:
        """The numbers of the revisions that share a timer with this one: its consecutive neighbours with the same rule."""
        found: set[int] = set()
        for each in self.revisions:
            if each.rule == revision.rule:
                found.add(each.number)
            elif revision.number in found:
                break
            else:
                found.clear()
        return found
