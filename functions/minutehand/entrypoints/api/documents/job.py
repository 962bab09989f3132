"""The documents of jobs, and of their next runs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from minutehand.domain.declaration.field import LEFT_OUT, Field, Pairs
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import RunState
from minutehand.domain.shadow import ShadowOf
from minutehand.entrypoints.api.documents.backfill import BackfillDocument
from minutehand.entrypoints.api.problems import FieldErrorDocument


@dataclass(frozen=True, kw_only=True, slots=True)
class ScheduleDocument:
    """The meaning of a schedule. Every field is null if the schedule cannot be read."""

    description: Annotated[str | None, Field("The schedule in words.")] = None
    timezone: Annotated[str | None, Field("The time zone of the schedule.")] = None
    dialect: Annotated[str | None, Field("The rules for days and clock changes that apply.")] = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ComingRunDocument:
    """A future run."""

    at: Annotated[datetime, Field("The instant of the occurrence.")]
    local: Annotated[str, Field("The same instant in the schedule's time zone.")]
    starts_at: Annotated[datetime, Field("When the run starts: the instant of the occurrence plus jitter.")]
    moved: Annotated[bool, Field("Whether a calendar moved an occurrence to this instant.")]
    moved_from: Annotated[datetime | None, Field("The first occurrence that a calendar moved to this instant.")]
    note: Annotated[str | None, Field("The effect of a clock change on the run.")]
    estimated: Annotated[
        bool, Field("Whether the instant is an estimate, as if the run before took no time; only of a fixed delay.")
    ]


@dataclass(frozen=True, kw_only=True, slots=True)
class BlockedRunsDocument:
    """Occurrences in a row that one calendar blocks."""

    at: Annotated[datetime, Field("The first blocked occurrence.")]
    local: Annotated[str, Field("The same instant in the schedule's time zone.")]
    until: Annotated[datetime, Field("When this calendar's block ends, or another calendar's begins.")]
    times: Annotated[int | None, Field("Number of occurrences; null for more than 1,000.")]
    calendar: Annotated[str, Field("The calendar that blocks the occurrences.")]
    moved_to: Annotated[datetime | None, Field("The instant to which the first blocked occurrence is moved.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class SkippedTimesDocument:
    """Scheduled times that a clock change skips."""

    at: Annotated[datetime, Field("The instant of the clock change.")]
    local: Annotated[str, Field("The first skipped time, by the local clock.")]
    timezone: Annotated[str, Field("The time zone whose clocks change.")]
    times: Annotated[int, Field("Number of skipped times.")]
    note: Annotated[str, Field("What happens to the skipped times, in words.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class ComingDocument:
    """A job's next runs, and the occurrences before the last of them that do not run."""

    items: Annotated[tuple[ComingRunDocument, ...], Field("The next runs, in order.")]
    blocked: Annotated[tuple[BlockedRunsDocument, ...], Field("Occurrences that calendars block.")]
    skipped: Annotated[tuple[SkippedTimesDocument, ...], Field("Times that clock changes skip.")]
    cut: Annotated[
        bool,
        Field(
            "Whether further runs were left out, since so many occurrences are blocked or moved that finding them takes too long."
        ),
    ]


@dataclass(frozen=True, kw_only=True, slots=True)
class NextRunsDocument:
    """A job's next runs, and the meaning of its schedule."""

    meaning: Annotated[ScheduleDocument, Field(inline=True)]
    coming: Annotated[ComingDocument, Field(inline=True)]
    idle_because: Annotated[str | None, Field("Why the job has no next run, or none before a pause ends.")]
    shadow_of: Annotated[
        ShadowOf | None,
        Field("What puts the job in shadow, so that these runs will call no target; null without that."),
    ]


@dataclass(frozen=True, kw_only=True, slots=True)
class EditDocument:
    """How many runs a day an edit of a schedule adds, removes and keeps."""

    start: Annotated[datetime, Field("Start of the compared span.", name="from")]
    until: Annotated[datetime, Field("End of the compared span.")]
    added_per_day: Annotated[float, Field("How many runs a day the edit adds.")]
    removed_per_day: Annotated[float, Field("How many runs a day the edit removes.")]
    kept_per_day: Annotated[float, Field("How many runs a day the edit keeps.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class PreviewDocument:
    """The runs that a job would have if the document of a dry run were saved."""

    coming: Annotated[ComingDocument, Field(inline=True)]
    diff: Annotated[
        EditDocument | None,
        Field(
            "How the edit changes the runs; null for a new job, without a change, or if the stored schedule cannot be read."
        ),
    ]


@dataclass(frozen=True, kw_only=True, slots=True)
class SummaryStatusDocument:
    """The status of a job in a list; ignored in a document to save."""

    revision: Annotated[int, Field("The job's revision: the number of its latest change.")]
    updated_at: Annotated[datetime, Field("When the job was last changed.")]
    updated_by: Annotated[str, Field("Name of the token that last changed the job.")]
    next_run_at: Annotated[datetime | None, Field("When the job runs next.")]
    idle_because: Annotated[str | None, Field("Why the job has no next run, or none before a pause ends.")]
    paused_until: Annotated[
        datetime | None,
        Field(
            "When the pause of the job or of its namespace ends by itself, the later of both; null without such a pause."
        ),
    ]
    runs_left: Annotated[int | None, Field("Number of occurrences that `max_runs` still allows; null without it.")]
    shadow_of: Annotated[
        ShadowOf | None,
        Field(
            "What puts the job in shadow, so that its runs call no target: its own `shadow`, that of its namespace, or that of the stack."
        ),
    ]


@dataclass(frozen=True, kw_only=True, slots=True)
class JobStatusDocument:
    """The status of a job; ignored in a document to save."""

    summary: Annotated[SummaryStatusDocument, Field(inline=True)]
    meaning: Annotated[ScheduleDocument, Field(inline=True)]
    children: Annotated[
        tuple[JobKey, ...],
        Field("The jobs that depend on this job, as `namespace/name`: those that the token may read."),
    ]
    deleted_parents: Annotated[tuple[JobKey, ...], Field("The job's parents that were deleted, as `namespace/name`.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class JobDocument:
    """A job: when it runs, what it does then, and what happens if that fails."""

    job: Annotated[Job, Field(inline=True)]
    status: Annotated[JobStatusDocument, Field("The status of the job; ignored in a document to save.", read_only=True)]
    warnings: Annotated[
        tuple[FieldErrorDocument, ...],
        Field(
            "Warnings about the schedule and the limits, in the answer to a save; ignored in a document to save.",
            read_only=True,
            optional=True,
        ),
    ] = LEFT_OUT
    preview: Annotated[
        PreviewDocument,
        Field(
            "The next runs, in the answer to a dry run; ignored in a document to save.", read_only=True, optional=True
        ),
    ] = LEFT_OUT
    backfill: Annotated[
        BackfillDocument | None,
        Field(
            "The backfill that a resume started, in the resume's answer; ignored in a document to save.",
            read_only=True,
            optional=True,
        ),
    ] = LEFT_OUT


@dataclass(frozen=True, kw_only=True, slots=True)
class LastRunDocument:
    """How a run of a job ended, in a list of jobs."""

    run_id: Annotated[str, Field("The run's id.")]
    state: Annotated[RunState, Field("How the run ended.")]
    scheduled_for: Annotated[datetime, Field("The run's nominal instant.")]
    finished_at: Annotated[datetime | None, Field("When the run ended.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class JobSummaryDocument:
    """A job in a list."""

    key: Annotated[JobKey, Field(inline=True)]
    description: Annotated[str, Field("Free text, for people.")]
    owner: Annotated[str, Field("Whom to contact about the job.")]
    labels: Annotated[Pairs, Field("Names and values of your own.")]
    schedule: Annotated[str | tuple[str, ...], Field("When the job runs.")]
    timezone: Annotated[str, Field("The IANA time zone of the schedule.")]
    paused: Annotated[bool, Field("Whether the job is paused, or until when.", or_until=True)]
    target_type: Annotated[str, Field("The type of the job's target.")]
    status: Annotated[SummaryStatusDocument, Field("The status of the job.")]
    last_run: Annotated[
        LastRunDocument | None,
        Field(
            "Only with `last=true`: the newest ended run among those of the last two instants that the present schedule names, and the "
            "run that last took the job's overlap lock; null if none of these has ended or exists.",
            optional=True,
        ),
    ] = LEFT_OUT
