"""Documents of jobs, of their next runs, of the effect of an edit, and of warnings."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from minutehand.domain.conversion import shown
from minutehand.domain.definition import Definition
from minutehand.domain.instants import SECOND, to_text
from minutehand.domain.job import Job
from minutehand.domain.occurrence_rule import compiled
from minutehand.domain.timer import Timer
from minutehand.entrypoints.api.documents.job import (
    BlockedRunsDocument,
    ComingDocument,
    ComingRunDocument,
    EditDocument,
    JobDocument,
    JobStatusDocument,
    JobSummaryDocument,
    NextRunsDocument,
    PreviewDocument,
    ScheduleDocument,
    SkippedTimesDocument,
    SummaryStatusDocument,
)
from minutehand.entrypoints.api.problems import FieldErrorDocument, field_document, schedule_problem
from minutehand.schedule import Schedule, wall_clock
from minutehand.usecases.definitions.next_run import NextRunFacts, next_or_why, rule_of_definition
from minutehand.usecases.definitions.preview import Ahead, Edit


def job_document(definition: Definition, facts: NextRunFacts, *, now: datetime) -> dict[str, Any]:
    """A job with its status and the meaning of its schedule."""
    try:
        meaning = _meaning(rule_of_definition(definition).schedule)
    except ValueError:  # idle_because says so
        meaning = _meaning(None)
    status = JobStatusDocument(
        summary=_status(definition, facts, now),
        meaning=meaning,
        children=tuple(sorted(definition.children)),
        deleted_parents=tuple(sorted(facts.deleted_parents)),
    )
    return shown(JobDocument(job=definition.job, status=status)) | {"paused": _paused(definition.job, now)}


def job_summary(definition: Definition, facts: NextRunFacts, *, now: datetime) -> dict[str, Any]:
    """A job as lists show it."""
    job = definition.job
    summary = JobSummaryDocument(
        key=job.key,
        description=job.description,
        owner=job.owner,
        labels=job.labels,
        schedule=job.schedule,
        timezone=job.timezone,
        paused=job.paused,
        target_type=job.target.type,
        status=_status(definition, facts, now),
    )
    return shown(summary) | {"paused": _paused(job, now)}


def _meaning(schedule: Schedule | None) -> ScheduleDocument:
    """The meaning of a schedule: a description, the time zone and the dialect."""
    if schedule is None:
        return ScheduleDocument()
    return ScheduleDocument(description=schedule.describe(), timezone=schedule.timezone, dialect=schedule.dialect)


def ahead_document(ahead: Ahead) -> NextRunsDocument:
    """A job's next runs, or why it has none, with the meaning of its schedule."""
    meaning = _meaning(ahead.rule.schedule if ahead.rule else None)
    return NextRunsDocument(meaning=meaning, coming=_coming(ahead), idle_because=ahead.idle_because)


def edit_document(edit: Edit) -> PreviewDocument:
    """The field `preview` of a dry run's answer."""
    diff, found = None, edit.difference
    if found:
        days = (found.until - edit.start) / timedelta(days=1)
        diff = EditDocument(
            start=edit.start,
            until=found.until,
            added_per_day=round(found.added / days, 2),
            removed_per_day=round(found.removed / days, 2),
            kept_per_day=round(found.kept / days, 2),
        )
    return PreviewDocument(coming=_coming(edit.ahead), diff=diff)


def warning_documents(job: Job, *, now: datetime, timezone: str | None) -> list[FieldErrorDocument]:
    """The warnings about a job's schedule. timezone: the time zone in the document, if any."""
    alone = 0 if isinstance(job.schedule, tuple) else None
    return [
        field_document(schedule_problem(warning._replace(part=alone if warning.part is None else warning.part)))
        for warning in compiled(job).schedule.warnings(now, timezone=timezone)
    ]


def _paused(job: Job, now: datetime) -> bool | dict[str, str]:
    """The field `paused`; false for a pause whose end has passed."""
    until = job.paused_until
    return {"until": to_text(until)} if until is not None and now < until and not job.paused else job.paused


def _status(definition: Definition, facts: NextRunFacts, now: datetime) -> SummaryStatusDocument:
    next_run_at, idle_because = next_or_why(definition, facts, now=now)
    timer = facts.timer
    return SummaryStatusDocument(
        revision=definition.revision,
        updated_at=definition.updated_at,
        updated_by=definition.updated_by,
        next_run_at=next_run_at,
        idle_because=idle_because,
        runs_left=max(timer.runs_left, 0) if isinstance(timer, Timer) and timer.runs_left is not None else None,
    )


def _coming(ahead: Ahead) -> ComingDocument:
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
