"""Definition: a job as stored, with its newest revision in full and the occurrence rules of its recent revisions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, NamedTuple

from minutehand.domain.declaration.field import Field
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey


class Revision(NamedTuple):
    """Which occurrences a job has under one revision, a numbered change of its definition.

    Attributes:
        number: grows by one with each change; never reused for the same name, even after a delete.
        effective_from: whole second; the revision is in effect after it, up to and including the next one's `effective_from`.
        rule: the encoded occurrence rule; None while paused or deleted.
        deleted: whether the job was deleted, rather than paused.
        paused_until: the end of a pause, before which the job has no occurrences.
    """

    number: int
    effective_from: datetime
    rule: str | None
    deleted: bool = False
    paused_until: datetime | None = None

    def paused_at(self, instant: datetime) -> bool:
        """Whether the job existed and was paused at an instant at which this revision is in effect."""
        if self.deleted:
            return False
        return self.rule is None if self.paused_until is None else instant < self.paused_until


@dataclass(frozen=True, kw_only=True, slots=True)
class Definition:
    """A stored job: its newest revision in full, and the occurrence rules of its recent revisions.

    A deleted job keeps its definition as a tombstone (`deleted`), so its revision numbers continue.

    Attributes:
        revisions: the recent ones, oldest first; the last has the number in `revision`.
        children: the jobs that depend on this one.
        unknown: fields that a later version stored, kept unread.
        made_anew: number of the revision that deleted the previous job of this name; 0 if there was none.
        slow_until: the job's runs go through the slow lane until a quick call at this instant or later; None in the quick lane. The
            entry in the namespace's list lacks it.
        paused_since, paused_by: when the pause of a paused job began, and by which token; edits during the pause keep them. Without
            meaning once the pause has ended by itself. None and empty if an earlier version stored the pause.
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
    slow_until: datetime | None = None
    paused_since: datetime | None = None
    paused_by: str = ""
    unknown: Annotated[Mapping[str, Any], Field(apart=True)] = field(default_factory=dict, hash=False)

    def in_effect_at(self, instant: datetime) -> Revision | None:
        """The revision in effect at `instant`; None if the instant is older than the revisions kept."""
        return next((r for r in reversed(self.revisions) if r.effective_from < instant), None)

    def sharing_timer(self, revision: Revision) -> set[int]:
        """Numbers of this revision and the consecutive ones around it that have the same occurrence rule: they share a timer."""
        found: set[int] = set()
        for each in self.revisions:
            if each.rule == revision.rule:
                found.add(each.number)
            elif revision.number in found:
                break
            else:
                found.clear()
        return found
