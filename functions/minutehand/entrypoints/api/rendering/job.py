"""Documents of jobs in lists, and of their status."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from minutehand.domain.declaration.conversion import shown
from minutehand.domain.declaration.field import LEFT_OUT
from minutehand.domain.definition import Definition
from minutehand.domain.job import Job
from minutehand.domain.job_document import paused_of
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Run
from minutehand.domain.timer import Timer
from minutehand.entrypoints.api.documents.job import (
    JobStatusDocument,
    JobSummaryDocument,
    LastRunDocument,
    SummaryStatusDocument,
)
from minutehand.usecases.queries.next_run import NextRunFacts, next_or_why, paused_until

MOST_SHOWN = 500
"""Most jobs whose documents are kept."""
_SHOWN: dict[JobKey, tuple[Job, dict[str, Any]]] = {}


def job_summary(
    definition: Definition, facts: NextRunFacts, now: datetime, last: LastRunDocument | None = LEFT_OUT
) -> dict[str, Any]:
    """The document of a job in a list, without its policies and its target's fields."""
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
        status=status_of(definition, facts, now),
        last_run=last,
    )
    return shown(summary) | {"paused": paused_of(job, now)}


def job_document(job: Job, status: JobStatusDocument, now: datetime) -> dict[str, Any]:
    """The document of a job with its status: a `JobDocument`, of which the job's own part is written once for as long as the same job is shown."""
    kept = _SHOWN.get(job.key)
    if kept is None or kept[0] is not job:
        if len(_SHOWN) >= MOST_SHOWN:
            _SHOWN.clear()
        kept = _SHOWN[job.key] = job, shown(job)
    return {**kept[1], "status": shown(status), "paused": paused_of(job, now)}


def last_run_document(run: Run | None) -> LastRunDocument | None:
    """The document of how a job's last known run ended."""
    if run is None:
        return None
    return LastRunDocument(
        run_id=run.key.run_id, state=run.state, scheduled_for=run.scheduled_for, finished_at=run.finished_at
    )


def status_of(definition: Definition, facts: NextRunFacts, now: datetime) -> SummaryStatusDocument:
    """The status of a job, with its next run or why it has none."""
    next_run_at, idle_because = next_or_why(definition, facts, now=now)
    timer = facts.timer
    return SummaryStatusDocument(
        revision=definition.revision,
        updated_at=definition.updated_at,
        updated_by=definition.updated_by,
        next_run_at=next_run_at,
        idle_because=idle_because,
        paused_until=paused_until(definition, facts, now=now),
        runs_left=max(timer.runs_left, 0) if isinstance(timer, Timer) and timer.runs_left is not None else None,
        shadow_of=facts.shadow_of,
    )
