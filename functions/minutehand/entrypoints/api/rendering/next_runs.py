"""Documents of a job's next runs, of the effect of an edit, and of warnings."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone

from minutehand.domain.instants import SECOND
from minutehand.domain.job import Job
from minutehand.domain.occurrence_rule import compiled
from minutehand.entrypoints.api.documents.next_runs import (
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
    """A job's next runs, or why it has none, with the meaning of its schedule."""
    meaning = schedule_document(ahead.rule.schedule if ahead.rule else None)
    return NextRunsDocument(
        description=meaning.description,
        timezone=meaning.timezone,
        dialect=meaning.dialect,
        coming=_coming(ahead),
        idle_because=ahead.idle_because,
    )


def edit_document(edit: Edit) -> PreviewDocument:
    """The field `preview` of a dry run's answer."""
    return PreviewDocument(
        coming=_coming(edit.ahead), diff=_diff(edit.difference, edit.start) if edit.difference else None
    )


def warning_documents(job: Job, *, now: datetime, timezone: str | None) -> list[FieldErrorDocument]:
    """The warnings about a job's schedule. timezone: the time zone in the document, if any."""
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
    """A function from an instant to the local time of a zone, with offset: `2026-11-20T18:00:00+09:00`."""
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
