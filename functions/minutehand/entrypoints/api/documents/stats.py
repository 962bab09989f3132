"""The documents of statistics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated

from minutehand.domain.declaration.field import Field
from minutehand.domain.run import RunState
from minutehand.domain.run_stats import Bucket


@dataclass(frozen=True, kw_only=True, slots=True)
class PercentilesDocument:
    """Percentiles of durations, in milliseconds; null without values."""

    p50: Annotated[timedelta | None, Field("Half of the values are not greater.", unit="ms")]
    p95: Annotated[timedelta | None, Field("95 % of the values are not greater.", unit="ms")]


@dataclass(frozen=True, kw_only=True, slots=True)
class TallyDocument:
    """Numbers about some runs."""

    runs: Annotated[int, Field("The number of runs.")]
    outcomes: Annotated[
        Mapping[RunState, int],
        Field('The number of runs in each state that a run has: `{"succeeded": 58, "failed": 2}`.'),
    ]
    success_rate: Annotated[
        float | None,
        Field(
            "The share of `succeeded` among the runs that succeeded, failed, timed out or were lost, 0 to 1; null without such runs."
        ),
    ]
    duration: Annotated[
        PercentilesDocument,
        Field(
            'Length of the newest attempts of runs that succeeded, failed or timed out: `{"p50", "p95"}`.',
            name="duration_ms",
        ),
    ]
    lateness: Annotated[
        PercentilesDocument,
        Field("From a run's `starts_at` to its first attempt, of runs that began.", name="lateness_ms"),
    ]


@dataclass(frozen=True, kw_only=True, slots=True)
class StatsBucketDocument:
    """Numbers about the runs scheduled in one hour or day."""

    start: Annotated[datetime, Field("Start of the hour or day, in UTC.")]
    tally: Annotated[TallyDocument, Field(inline=True)]


@dataclass(frozen=True, kw_only=True, slots=True)
class StatsDocument:
    """Statistics of the stored runs of a job or a namespace that are scheduled in an interval."""

    start: Annotated[datetime, Field("Start of the interval.", name="from")]
    end: Annotated[datetime, Field("End of the interval: the first instant that does not count.", name="to")]
    complete: Annotated[bool, Field("Whether every stored run of the interval counts. If not, only the newest do.")]
    counted_from: Annotated[datetime, Field("Every stored run of a later instant in the interval counts.")]
    tally: Annotated[TallyDocument, Field(inline=True)]
    per: Annotated[Bucket, Field("Length of the `buckets`.")]
    buckets: Annotated[
        tuple[StatsBucketDocument, ...], Field("The same numbers for each hour or day that has a run, oldest first.")
    ]
