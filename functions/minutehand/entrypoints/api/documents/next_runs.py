"""The documents of coming runs and previews."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from minutehand.domain.declaration import Field


@dataclass(frozen=True, kw_only=True, slots=True)
class ComingRunDocument:
    """A run to come."""

    at: Annotated[datetime, Field("The occurrence.")]
    local: Annotated[str, Field("The same in the schedule's time zone.")]
    starts_at: Annotated[datetime, Field("When it starts: later by the job's jitter.")]
    moved: Annotated[bool, Field("Whether a calendar moved it there.")]
    moved_from: Annotated[datetime | None, Field("The first occurrence that was moved there.")]
    note: Annotated[str | None, Field("What a clock change does to it.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class BlockedRunsDocument:
    """Occurrences in a row that one calendar blocks."""

    at: Annotated[datetime, Field("The first of them.")]
    local: Annotated[str, Field("The same in the schedule's time zone.")]
    until: Annotated[datetime, Field("When the block ends.")]
    times: Annotated[int | None, Field("How many there are; null for more than 1,000.")]
    calendar: Annotated[str, Field("The calendar that blocks them.")]
    moved_to: Annotated[datetime | None, Field("Where the first of them runs instead.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class SkippedTimesDocument:
    """Times that a clock change keeps from running."""

    at: Annotated[datetime, Field("The clock change.")]
    local: Annotated[str, Field("The first of these times.")]
    timezone: Annotated[str, Field("The time zone whose clocks change.")]
    times: Annotated[int, Field("How many there are.")]
    note: Annotated[str, Field("What happens, in words.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class ComingDocument:
    """Runs to come, and what keeps others from running, up to the last of them."""

    items: Annotated[tuple[ComingRunDocument, ...], Field("The runs to come, in order.")]
    blocked: Annotated[tuple[BlockedRunsDocument, ...], Field("Occurrences that calendars block.")]
    skipped: Annotated[tuple[SkippedTimesDocument, ...], Field("Times that clock changes skip.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class NextRunsDocument:
    """What a job runs next, and what its schedule means."""

    description: Annotated[str | None, Field("The schedule in words.")]
    timezone: Annotated[str | None, Field("The time zone that it is read in.")]
    dialect: Annotated[str | None, Field("The rules for days and clock changes that apply.")]
    coming: Annotated[ComingDocument, Field(inline=True)]
    idle_because: Annotated[str | None, Field("Why nothing runs, or not sooner.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class EditDocument:
    """Runs a day that an edit adds, removes and keeps."""

    start: Annotated[datetime, Field("The beginning of the span that was compared.", name="from")]
    until: Annotated[datetime, Field("Its end.")]
    added_per_day: Annotated[float, Field("Runs a day that the edit adds.")]
    removed_per_day: Annotated[float, Field("Runs a day that the edit removes.")]
    kept_per_day: Annotated[float, Field("Runs a day that stay.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class PreviewDocument:
    """What a job would run once it is saved."""

    coming: Annotated[ComingDocument, Field(inline=True)]
    diff: Annotated[EditDocument | None, Field("What the edit changes; null for a new job, and where nothing changes.")]
