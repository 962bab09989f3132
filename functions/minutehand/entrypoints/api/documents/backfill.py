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
    """A replay of a past range of a job."""

    id: Annotated[str, Field("Its id, with which the ids of its runs end.")]
    job: Annotated[JobKey, Field("Its job, as `namespace/name`.")]
    start: Annotated[datetime, Field("The first instant that may be replayed.", name="from")]
    end: Annotated[datetime, Field("The first instant that is not replayed.", name="to")]
    order: Annotated[Order, Field("Which occurrences come first.")]
    concurrency: Annotated[int, Field("Maximum runs active at once.")]
    ignore_overlap: Annotated[bool, Field("Whether its runs ignore the job's overlap policy.")]
    state: Annotated[BackfillState, Field("Its state.")]
    occurrences: Annotated[int, Field("Occurrences in the range.")]
    remaining: Annotated[int, Field("Occurrences that have no run yet.")]
    active: Annotated[tuple[str, ...], Field("Ids of the runs that are active.")]
    ended: Annotated[Mapping[RunState, int], Field("How many runs ended in each state.")]
    created_at: Annotated[datetime, Field("When it was started.")]
    created_by: Annotated[str, Field("Who started it.")]
    finished_at: Annotated[datetime | None, Field("When it ended; null while runs may still be active.")]
    reason: Annotated[str | None, Field("Why it was cancelled.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class BackfillExtentDocument:
    """The occurrences that a backfill would replay."""

    start: Annotated[datetime, Field("The first instant that may be replayed.", name="from")]
    end: Annotated[datetime, Field("The first instant that is not replayed.", name="to")]
    occurrences: Annotated[int, Field("Number of occurrences.")]
    first: Annotated[datetime, Field("The first of them.")]
    last: Annotated[datetime, Field("The last of them.")]
