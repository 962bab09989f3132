"""Rendering what lies ahead of a job, what an edit changes of it, and what may surprise its author."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone

from minutehand.domain.instants import SECOND
from minutehand.domain.job import Job
from minutehand.domain.occurrence_rule import compiled
from minutehand.entrypoints.api.documents.ahead import (
    BlockedRunsDocument,
    ComingDocument,
    ComingRunDocument,
    EditDocument,
    NextRunsDocument,
    PreviewDocument,
    SkippedTimesDocument,
)
from minutehand.entrypoints.api.documents.problem import FieldErrorDocument
from minutehand.entrypoints.api.problems import field_document, schedule_problem
from minutehand.entrypoints.api.rendering.job import schedule_document
from minutehand.schedule import wall_clock
from minutehand.schedule.difference import Difference
from minutehand.usecases.definitions.preview import Ahead, Edit


def ahead_document(ahead: Ahead) -> NextRunsDocument:
    """A job's coming runs, or why there are none, with what its schedule means."""
    meaning = schedule_document(ahead.rule.schedule if ahead.rule else None)
    return NextRunsDocument(
        description=meaning.description,
        timezone=meaning.timezone,
        dialect=meaning.dialect,
        coming=_coming(ahead),
        idle_because=ahead.idle_because,
    )


def edit_document(edit: Edit) -> PreviewDocument:
    """What a dry run answers as `preview`."""
    return PreviewDocument(
        coming=_coming(edit.ahead), diff=_diff(edit.difference, edit.start) if edit.difference else None
    )


def warning_documents(job: Job, *, now: datetime, timezone: str | None) -> list[FieldErrorDocument]:
    """The warnings about a job's schedule. timezone: the one that the document names, if it does."""
    alone = 0 if isinstance(job.schedule, tuple) else None
    return [
        field_document(schedule_problem(warning._replace(part=alone if warning.part is None else warning.part)))
        for warning in compiled(job).schedule.warnings(now, timezone=timezone)
    ]


def _coming(ahead: Ahead) -> ComingDocument:
    local = _clock(ahead.rule.schedule.timezone if ahead.rule else "UTC")
    notes = {note.at: note.text for note in ahead.notes if note.skipped is None}
    return ComingDocument(
        items=tuple(
            ComingRunDocument(
                at=each.at,
                local=local(each.at),
                starts_at=each.starts_at,
                moved=each.moved_from is not None,
                moved_from=each.moved_from,
                note=notes.get(each.at),
            )
            for each in ahead.occurrences
        ),
        blocked=tuple(
            BlockedRunsDocument(
                at=blocked.first,
                local=local(blocked.first),
                until=blocked.until,
                times=blocked.times,
                calendar=blocked.calendar,
                moved_to=blocked.moved_to,
            )
            for blocked in ahead.blocked
        ),
        skipped=tuple(
            SkippedTimesDocument(
                at=note.at,
                local=note.skipped.isoformat(),
                timezone=note.timezone,
                times=note.times,
                note=note.text,
            )
            for note in ahead.notes
            if note.skipped is not None
        ),
    )


def _clock(zone: str) -> Callable[[datetime], str]:
    """What the clocks of a zone show, with their offset: `2026-11-20T18:00:00+09:00`."""
    clock = wall_clock(zone)

    def local(instant: datetime) -> str:
        offset = (clock.local(instant) - instant.replace(tzinfo=None)) // SECOND
        return instant.astimezone(timezone(timedelta(seconds=offset))).isoformat()

    return local


def _diff(found: Difference, start: datetime) -> EditDocument:
    days = (found.until - start) / timedelta(days=1)
    return EditDocument(
        start=start,
        until=found.until,
        added_per_day=round(found.added / days, 2),
        removed_per_day=round(found.removed / days, 2),
        kept_per_day=round(found.kept / days, 2),
    )
