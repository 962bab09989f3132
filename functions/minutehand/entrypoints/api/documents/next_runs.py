"""The documents of coming runs and previews."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from minutehand.domain.declaration import Field


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

    description: Annotated[str | None, Field("The schedule in words.")]
    timezone: Annotated[str | None, Field("The time zone of the schedule.")]
    dialect: Annotated[str | None, Field("The rules for days and clock changes that apply.")]
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
