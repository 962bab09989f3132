"""Documents of schedules: their meaning, the runs to come, and what an edit changes."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from minutehand.domain.instants import SECOND
from minutehand.entrypoints.api.documents.job import (
    BlockedRunsDocument,
    ComingDocument,
    ComingRunDocument,
    EditDocument,
    PreviewDocument,
    ScheduleDocument,
    SkippedTimesDocument,
)
from minutehand.schedule import Schedule, wall_clock
from minutehand.schedule.difference import Difference
from minutehand.usecases.queries.preview import Ahead, Edit


def meaning_of(schedule: Schedule | None) -> ScheduleDocument:
    """The meaning of a schedule: a description, the time zone and the dialect."""
    if schedule is None:
        return ScheduleDocument()
    return ScheduleDocument(description=schedule.describe(), timezone=schedule.timezone, dialect=schedule.dialect)


def preview_document(edit: Edit) -> PreviewDocument:
    """The field `preview` of a dry run's answer."""
    found = edit.difference
    return PreviewDocument(
        coming=coming_document(edit.ahead), diff=edit_document(edit.start, found) if found is not None else None
    )


def edit_document(start: datetime, found: Difference) -> EditDocument:
    """How many runs a day an edit adds, removes and keeps."""
    days = (found.until - start) / timedelta(days=1)
    return EditDocument(
        start=start,
        until=found.until,
        added_per_day=round(found.added / days, 2),
        removed_per_day=round(found.removed / days, 2),
        kept_per_day=round(found.kept / days, 2),
    )


def edit_in_words(found: Difference, edit: EditDocument) -> str:
    """What an edit changes, in words."""
    added, removed = _a_day(found.added, edit.added_per_day), _a_day(found.removed, edit.removed_per_day)
    if not found.added and not found.removed:
        return "no run changes" if found.kept else "neither schedule has a run in this span"
    if not found.removed:
        return f"{added} more {_runs(added)} a day"
    if not found.added:
        return f"{removed} fewer {_runs(removed)} a day"
    return f"{added} new {_runs(added)} a day, and {removed} that {'is' if removed == '1' else 'are'} gone"


def _a_day(runs: int, average: float) -> str:
    return "less than 0.01" if runs and not average else f"{average:g}"


def _runs(count: str) -> str:
    return "run" if count == "1" else "runs"


def coming_document(ahead: Ahead) -> ComingDocument:
    """The runs to come, and the occurrences that do not run."""
    clock = wall_clock(ahead.rule.schedule.timezone if ahead.rule else "UTC")

    def local(instant: datetime) -> str:
        """The local time with its offset: `2026-11-20T18:00:00+09:00`."""
        offset = (clock.local(instant) - instant.replace(tzinfo=None)) // SECOND
        return instant.astimezone(timezone(timedelta(seconds=offset))).isoformat()

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
                estimated=each.estimated,
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
        cut=ahead.cut,
    )
