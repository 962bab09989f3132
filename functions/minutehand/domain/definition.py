"""A job as stored: its newest revision whole, and what the recent ones named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, NamedTuple

from minutehand.domain.declaration import Field
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey


class Revision(NamedTuple):
    """What one revision of a definition names.

    Attributes:
        number: grows by one with each change; never used again for the same name, not even after a delete.
        effective_from: whole second; the revision governs instants strictly later than this, up to the next one's.
        rule: the occurrence rule, encoded; None when it names nothing, being paused or deleted.
        deleted: whether the job was deleted, rather than paused.
        paused_until: before this instant, it names nothing for having been paused.
    """

    number: int
    effective_from: datetime
    rule: str | None
    deleted: bool = False
    paused_until: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Definition:
    """A job as stored: the newest revision whole, and what the recent ones named.

    A deleted job keeps its definition as a tombstone (`deleted`), so that its revision numbers go on.

    Attributes:
        revisions: oldest first; the last is the one in `revision`.
        children: the jobs that depend on it.
        unknown: what a later version stored beside it.
        made_anew: the revision that deleted the job of this name before it; 0 for the first.
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
        """The revision that governs `instant`, or None when that is further back than what is kept."""
        return next((r for r in reversed(self.revisions) if r.effective_from < instant), None)

    def sharing_timer(self, revision: Revision) -> set[int]:
        """The numbers of the revisions that had one timer with this one: those around it, without a gap, of the same instants."""
        found: set[int] = set()
        for each in self.revisions:
            if each.rule == revision.rule:
                found.add(each.number)
            elif revision.number in found:
                break
            else:
                found.clear()
        return found
