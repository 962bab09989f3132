"""Documents of jobs."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from minutehand.domain.conversion import shown
from minutehand.domain.definition import Definition
from minutehand.domain.instants import to_text
from minutehand.domain.job import Job
from minutehand.domain.timer import Timer
from minutehand.entrypoints.api.documents.job import (
    JobDocument,
    JobStatusDocument,
    JobSummaryDocument,
    ScheduleDocument,
    SummaryStatusDocument,
)
from minutehand.schedule import Schedule
from minutehand.usecases.definitions.next_run import NextRunFacts, next_or_why, rule_of_definition


def job_document(definition: Definition, facts: NextRunFacts, *, now: datetime) -> dict[str, Any]:
    """A job with its status and the meaning of its schedule."""
    status = JobStatusDocument(
        summary=_status(definition, facts, now),
        meaning=_meaning(definition),
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


def schedule_document(schedule: Schedule | None) -> ScheduleDocument:
    """The meaning of a schedule: a description, the time zone and the dialect."""
    if schedule is None:
        return ScheduleDocument()
    return ScheduleDocument(description=schedule.describe(), timezone=schedule.timezone, dialect=schedule.dialect)


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


def _meaning(definition: Definition) -> ScheduleDocument:
    try:
        return schedule_document(rule_of_definition(definition).schedule)
    except ValueError:  # idle_because says so
        return schedule_document(None)
