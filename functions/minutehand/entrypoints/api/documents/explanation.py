"""The documents that explain why a job ran or did not run."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from minutehand.domain.declaration.field import Field
from minutehand.domain.findings import Kind
from minutehand.domain.job_key import JobKey
from minutehand.domain.revision_history import Did
from minutehand.entrypoints.api.documents.run import RunDocument


@dataclass(frozen=True, kw_only=True, slots=True)
class PastRevisionDocument:
    """A change to a job in the past, which made a new revision of it."""

    number: Annotated[int, Field("The revision: the number of the change.")]
    at: Annotated[datetime, Field("When the change took effect.")]
    did: Annotated[Did, Field("What the change did.")]
    by: Annotated[str | None, Field("Name of the token that made the change; null if not recorded.")]
    changed: Annotated[tuple[str, ...], Field("Names of the job's fields that the change altered.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class TicksAroundDocument:
    """The ticks around an instant."""

    last: Annotated[datetime | None, Field("The minute of the last tick at or before the instant.")]
    next: Annotated[datetime | None, Field("The minute of the first tick after the instant.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class FindingDocument:
    """What happened at the instants from `first` to `last`."""

    kind: Annotated[Kind, Field("What happened, for programs.")]
    first: Annotated[datetime, Field("The first instant.")]
    last: Annotated[datetime, Field("The last instant.")]
    times: Annotated[int | None, Field("Number of occurrences; null if the finding is about a span of time.")]
    text: Annotated[str, Field("What happened, for people.")]
    run: Annotated[RunDocument | None, Field("The run, if the finding is about one run.")]
    revision: Annotated[
        PastRevisionDocument | None,
        Field("The revision in effect at these instants, or the one that created, paused or deleted the job."),
    ]
    until: Annotated[datetime | None, Field("When a pause ends.")]
    ended_by: Annotated[PastRevisionDocument | None, Field("The change that ended a pause.")]
    policy: Annotated[str | None, Field("The policy that skipped the occurrences.")]
    calendar: Annotated[str | None, Field("The calendar that blocks the occurrences.")]
    moved_to: Annotated[datetime | None, Field("The instant to which a calendar moved the occurrence.")]
    before: Annotated[datetime | None, Field("The nearest occurrence before these instants.")]
    after: Annotated[datetime | None, Field("The nearest occurrence after these instants.")]
    ticks: Annotated[TicksAroundDocument | None, Field("The ticks nearest to these instants.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class ExplanationDocument:
    """What happened to a job from one instant up to another."""

    job: Annotated[JobKey, Field("The job, as `namespace/name`.")]
    start: Annotated[datetime, Field("The first instant.", name="from")]
    end: Annotated[datetime, Field("The end, which is not included.", name="to")]
    items: Annotated[tuple[FindingDocument, ...], Field("What happened, in order.")]
    beside: Annotated[tuple[FindingDocument, ...], Field("Findings about related runs of other instants.")]
    next: Annotated[
        datetime | None, Field("The `from` with which to request the following findings; null if there are none.")
    ]
