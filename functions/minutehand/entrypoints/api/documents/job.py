"""The documents of jobs, and of their next runs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from minutehand.domain.declaration.field import LEFT_OUT, Field, Pairs
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.entrypoints.api.documents.backfill import BackfillDocument
from minutehand.entrypoints.api.problems import FieldErrorDocument


@dataclass(frozen=True, kw_only=True, slots=True)
class ScheduleDocument:
    """The meaning of a schedule. All null if the schedule cannot be read."""

    description: Annotated[str | None, Field("The schedule in words.")] = None
    timezone: Annotated[str | None, Field("The time zone of the schedule.")] = None
    dialect: Annotated[str | None, Field("The rules for days and clock changes that apply.")] = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ComingRunDocument:
    """A future run."""

    at: Annotated[datetime, Field("The occurrence.")]
    local: Annotated[str, Field("The same instant in the schedule's time zone.")]
    starts_at: Annotated[datetime, Field("When it starts: the occurrence plus jitter.")]
    moved: Annotated[bool, Field("Whether a calendar moved an occurrence to this instant.")]
    moved_from: Annotated[datetime | None, Field("The first occurrence that was moved to it.")]
    note: Annotated[str | None, Field("The effect of a clock change on it.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class BlockedRunsDocument:
    """Occurrences in a row that one calendar blocks."""

    at: Annotated[datetime, Field("The first of them.")]
    local: Annotated[str, Field("The same instant in the schedule's time zone.")]
    until: Annotated[datetime, Field("When the block ends.")]
    times: Annotated[int | None, Field("Number of occurrences; null for more than 1,000.")]
    calendar: Annotated[str, Field("The calendar that blocks them.")]
    moved_to: Annotated[datetime | None, Field("When the first of them runs instead.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class SkippedTimesDocument:
    """Scheduled times that a clock change skips."""

    at: Annotated[datetime, Field("The clock change.")]
    local: Annotated[str, Field("The first of these times.")]
    timezone: Annotated[str, Field("The time zone whose clocks change.")]
    times: Annotated[int, Field("Number of these times.")]
    note: Annotated[str, Field("What happens, in words.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class ComingDocument:
    """The next runs, and the occurrences skipped up to the last of them."""

    items: Annotated[tuple[ComingRunDocument, ...], Field("The next runs, in order.")]
    blocked: Annotated[tuple[BlockedRunsDocument, ...], Field("Occurrences that calendars block.")]
    skipped: Annotated[tuple[SkippedTimesDocument, ...], Field("Times that clock changes skip.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class NextRunsDocument:
    """A job's next runs, and the meaning of its schedule."""

    meaning: Annotated[ScheduleDocument, Field(inline=True)]
    coming: Annotated[ComingDocument, Field(inline=True)]
    idle_because: Annotated[str | None, Field("Why it has no next run, or none before a pause ends.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class EditDocument:
    """Runs a day that an edit adds, removes and keeps."""

    start: Annotated[datetime, Field("Start of the compared span.", name="from")]
    until: Annotated[datetime, Field("Its end.")]
    added_per_day: Annotated[float, Field("Runs a day that the edit adds.")]
    removed_per_day: Annotated[float, Field("Runs a day that the edit removes.")]
    kept_per_day: Annotated[float, Field("Runs a day that stay.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class PreviewDocument:
    """The runs of a job once it is saved."""

    coming: Annotated[ComingDocument, Field(inline=True)]
    diff: Annotated[EditDocument | None, Field("The effect of the edit; null for a new job, or without a change.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class SummaryStatusDocument:
    """The status of a job in a list; ignored when sent back."""

    revision: Annotated[int, Field("Number of changes to the job.")]
    updated_at: Annotated[datetime, Field("When it was last changed.")]
    updated_by: Annotated[str, Field("Who changed it last.")]
    next_run_at: Annotated[datetime | None, Field("When it runs next.")]
    idle_because: Annotated[str | None, Field("Why it has no next run, or none before a pause ends.")]
    runs_left: Annotated[int | None, Field("Occurrences left, with max_runs.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class JobStatusDocument:
    """The status of a job; ignored when sent back."""

    summary: Annotated[SummaryStatusDocument, Field(inline=True)]
    meaning: Annotated[ScheduleDocument, Field(inline=True)]
    children: Annotated[tuple[JobKey, ...], Field("The jobs that depend on it, as `namespace/name`.")]
    deleted_parents: Annotated[tuple[JobKey, ...], Field("Its parents that were deleted, as `namespace/name`.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class JobDocument:
    """A job: when it runs, what it does then, and what happens if that fails."""

    job: Annotated[Job, Field(inline=True)]
    status: Annotated[JobStatusDocument, Field("The status of the job; ignored when sent back.", read_only=True)]
    warnings: Annotated[
        tuple[FieldErrorDocument, ...],
        Field(
            "Warnings about the schedule, in the answer to a save; ignored when sent back.",
            read_only=True,
            optional=True,
        ),
    ] = LEFT_OUT
    preview: Annotated[
        PreviewDocument,
        Field("The next runs, in the answer to a dry run; ignored when sent back.", read_only=True, optional=True),
    ] = LEFT_OUT
    backfill: Annotated[
        BackfillDocument | None,
        Field(
            "The backfill that a resume started, in its answer; ignored when sent back.", read_only=True, optional=True
        ),
    ] = LEFT_OUT


@dataclass(frozen=True, kw_only=True, slots=True)
class JobSummaryDocument:
    """A job in a list."""

    key: Annotated[JobKey, Field(inline=True)]
    description: Annotated[str, Field("Free text, for people.")]
    owner: Annotated[str, Field("A contact.")]
    labels: Annotated[Pairs, Field("Names and values of your own.")]
    schedule: Annotated[str | tuple[str, ...], Field("When it runs.")]
    timezone: Annotated[str, Field("The IANA time zone of the schedule.")]
    paused: Annotated[bool, Field("Whether it is paused, or until when.", or_until=True)]
    target_type: Annotated[str, Field("The type of its target.")]
    status: Annotated[SummaryStatusDocument, Field("The status of the job.")]
