"""Statistics of runs: rates, percentiles and buckets."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.domain.run_stats import Bucket, Percentiles, Tally, by_bucket

NINE = datetime(2026, 11, 20, 9, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def run(
    state: RunState, *, at: datetime = NINE, took: int | None = None, late: int | None = None, **fields: Any
) -> Run:
    begun = None if took is None else at
    return Run(
        key=RunKey.scheduled(JobKey("demo", "report"), at),
        target="http",
        revision=1,
        claimed_at=at,
        expires_at=at + timedelta(days=1),
        state=state,
        started_at=begun,
        finished_at=None if took is None else at + took * SECOND,
        lateness=None if late is None else late * SECOND,
        **fields,
    )


@pytest.mark.parametrize(
    ("seconds", "p50", "p95"),
    [
        ([7], 7, 7),
        ([2, 1], 1, 2),
        ([3, 1, 2], 2, 3),
        (range(1, 21), 10, 19),
        (range(1, 101), 50, 95),
        ([1] * 99 + [500], 1, 1),
    ],
)
def test_a_percentile_is_the_least_value_that_so_many_percent_do_not_exceed(seconds: Any, p50: int, p95: int) -> None:
    found = Percentiles.of(second * SECOND for second in seconds)
    assert found == (p50 * SECOND, p95 * SECOND)


def test_nothing_has_no_percentiles_and_no_rate() -> None:
    tally = Tally.of([])
    assert (tally.runs, tally.success_rate, tally.duration, tally.lateness) == (0, None, (None, None), (None, None))


@pytest.mark.parametrize(
    ("states", "rate"),
    [
        ([RunState.SUCCEEDED], 1.0),
        ([RunState.SUCCEEDED, RunState.FAILED, RunState.TIMED_OUT, RunState.LOST], 0.25),
        ([RunState.LOST], 0.0),
        ([RunState.SUCCEEDED, RunState.CANCELLED, RunState.SKIPPED, RunState.RUNNING, RunState.QUEUED], 1.0),
        ([RunState.SKIPPED, RunState.RETRYING], None),
    ],
)
def test_the_success_rate_is_of_runs_that_ended_by_themselves(states: list[RunState], rate: float | None) -> None:
    assert Tally.of(map(run, states)).success_rate == rate


def test_durations_are_of_attempts_that_came_to_their_end_and_lateness_of_all_that_began() -> None:
    tally = Tally.of(
        [
            run(RunState.SUCCEEDED, took=1, late=0),
            run(RunState.FAILED, took=3, late=5),
            run(RunState.CANCELLED, took=900, late=900),
            run(RunState.RUNNING, late=7),
            run(RunState.QUEUED),
        ]
    )
    assert tally.duration == (SECOND, 3 * SECOND)
    assert tally.lateness == (5 * SECOND, 900 * SECOND)
    assert tally.runs == 5


def test_buckets_are_hours_or_days_of_utc_with_runs_oldest_first() -> None:
    instants = [NINE + n * timedelta(minutes=40) for n in (30, 0, 1, 2)]
    runs = [run(RunState.SUCCEEDED, at=at) for at in instants]
    hours = [(start - NINE, tally.runs) for start, tally in by_bucket(runs, Bucket.HOUR)]
    assert hours == [(timedelta(0), 2), (timedelta(hours=1), 1), (timedelta(hours=20), 1)]
    days = [(start.day, start.hour, tally.runs) for start, tally in by_bucket(runs, Bucket.DAY)]
    assert days == [(20, 0, 3), (21, 0, 1)]
