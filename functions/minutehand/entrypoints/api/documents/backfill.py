"""The documents of backfills."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from minutehand.domain.backfill import BackfillState, Order
from minutehand.domain.declaration.field import Field
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import RunState


@dataclass(frozen=True, kw_only=True, slots=True)
class BackfillDocument:
    """A replay of the occurrences of a job in a past range."""

    id: Annotated[str, Field("The backfill's id; the ids of its runs end with it.")]
    job: Annotated[JobKey, Field("The job that is replayed, as `namespace/name`.")]
    start: Annotated[datetime, Field("The first instant that may be replayed.", name="from")]
    end: Annotated[datetime, Field("End of the range: the first instant that is not replayed.", name="to")]
    order: Annotated[Order, Field("Which occurrences run first.")]
    concurrency: Annotated[int, Field("Maximum runs of the backfill that are active at once.")]
    ignore_overlap: Annotated[bool, Field("Whether the backfill's runs ignore the job's overlap policy.")]
    state: Annotated[BackfillState, Field("The backfill's state.")]
    occurrences: Annotated[int, Field("Number of occurrences in the range.")]
    remaining: Annotated[int, Field("Number of occurrences that have no run yet.")]
    active: Annotated[tuple[str, ...], Field("Ids of the backfill's runs that are active.")]
    ended: Annotated[Mapping[RunState, int], Field("How many of the backfill's runs ended in each state.")]
    created_at: Annotated[datetime, Field("When the backfill was started.")]
    created_by: Annotated[str, Field("Name of the token that started the backfill.")]
    finished_at: Annotated[datetime | None, Field("When the backfill ended; null while its runs may be active.")]
    reason: Annotated[str | None, Field("Why the backfill was cancelled.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class BackfillExtentDocument:
    """The occurrences that a backfill would replay."""

    start: Annotated[datetime, Field("The first instant that may be replayed.", name="from")]
    end: Annotated[datetime, Field("End of the range: the first instant that is not replayed.", name="to")]
    occurrences: Annotated[int, Field("Number of occurrences in the range.")]
    first: Annotated[datetime, Field("The first occurrence in the range.")]
    last: Annotated[datetime, Field("The last occurrence in the range.")]
