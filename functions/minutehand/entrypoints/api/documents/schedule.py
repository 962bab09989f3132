"""The documents of schedules that no job has yet."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from minutehand.domain.declaration import checks
from minutehand.domain.declaration.field import Field, Refused, declared
from minutehand.domain.job import Job
from minutehand.entrypoints.api.documents.job import ComingDocument, EditDocument, ScheduleDocument
from minutehand.entrypoints.api.problems import FieldErrorDocument

MOST_DAYS = 366
_OF_A_JOB = {each.attribute: each.field for each in declared(Job)}


def _full_name(text: str) -> None:
    checks.job_name(text)
    if "/" not in text:
        raise Refused(f"{text!r:.60} is not the full name of a job", "write namespace/name")


@dataclass(frozen=True, kw_only=True, slots=True)
class ScheduleRequest:
    """A schedule, with the fields of a job that decide its instants."""

    schedule: Annotated[str | tuple[str, ...], _OF_A_JOB["schedule"]]
    timezone: Annotated[str, _OF_A_JOB["timezone"]] = "UTC"
    dialect: Annotated[str | None, _OF_A_JOB["dialect"]] = None
    start_at: Annotated[datetime | None, _OF_A_JOB["start_at"]] = None
    end_at: Annotated[datetime | None, _OF_A_JOB["end_at"]] = None
    job: Annotated[
        str | None,
        Field(
            "The job's name, `namespace/name`, which `H` in a crontab hashes.",
            check=_full_name,
            pattern=f"^{checks.NAME.pattern}/{checks.NAME.pattern}$",
            examples=("shop/report",),
        ),
    ] = None


@dataclass(frozen=True, kw_only=True, slots=True)
class SchedulePreviewRequest:
    """A schedule whose next runs are wanted."""

    given: Annotated[ScheduleRequest, Field(inline=True)]
    count: Annotated[int, Field("How many next runs to answer.", least=1, most=100)] = 10
    after: Annotated[datetime | None, Field("Only runs after this instant; by default, after now.")] = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ScheduleDiffRequest:
    """Two schedules to compare."""

    old: Annotated[ScheduleRequest, Field("The schedule so far.")]
    new: Annotated[ScheduleRequest, Field("The schedule that would replace it.")]
    start: Annotated[datetime | None, Field("Start of the compared span; by default, now.", name="from")] = None
    days: Annotated[int, Field("Length of the compared span.", least=1, most=MOST_DAYS)] = 30
    count: Annotated[int, Field("Most added and most removed instants to answer.", least=0, most=100)] = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class DescribedScheduleDocument:
    """A schedule in words."""

    meaning: Annotated[ScheduleDocument, Field(inline=True)]
    warnings: Annotated[tuple[FieldErrorDocument, ...], Field("What is valid, but probably not meant.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class PreviewedScheduleDocument:
    """The next runs of a schedule, and its meaning."""

    meaning: Annotated[ScheduleDocument, Field(inline=True)]
    coming: Annotated[ComingDocument, Field(inline=True)]
    warnings: Annotated[tuple[FieldErrorDocument, ...], Field("What is valid, but probably not meant.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class ScheduleDiffDocument:
    """What an edit of a schedule changes."""

    summary: Annotated[str, Field("The difference in words, such as `59 more runs a day`.")]
    old: Annotated[ScheduleDocument, Field("The meaning of the schedule so far.")]
    new: Annotated[ScheduleDocument, Field("The meaning of the schedule that would replace it.")]
    edit: Annotated[EditDocument, Field(inline=True)]
    added: Annotated[int, Field("How many runs the edit adds.")]
    removed: Annotated[int, Field("How many runs the edit removes.")]
    kept: Annotated[int, Field("How many runs the edit keeps.")]
    first_added: Annotated[tuple[datetime, ...], Field("The first instants that the edit adds.")]
    first_removed: Annotated[tuple[datetime, ...], Field("The first instants that the edit removes.")]
    cut: Annotated[bool, Field("Whether the comparison ended early, at `until`, after 200,000 runs.")]
    warnings: Annotated[tuple[FieldErrorDocument, ...], Field("Warnings about the new schedule.")]
