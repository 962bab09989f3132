"""The arithmetic of lateness: percentiles, what counts, and when the goal holds."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
import urllib3
from benchmarks.charts.chart import read
from benchmarks.precision import ours, peers
from benchmarks.precision.calling import BEGUN, call
from benchmarks.precision.lateness import percentile, seconds, since_second, spread
from benchmarks.precision.peers import Late
from benchmarks.precision.question import OURS, holds, table
from benchmarks.target import Arrival, listening

NINE = datetime(2026, 11, 20, 9, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(("share", "is_at"), [(50, 5), (95, 10), (99, 10), (10, 1), (11, 2), (100, 10)])
def test_a_percentile_is_a_figure_that_was_measured(share: float, is_at: float) -> None:
    assert percentile([float(one) for one in range(1, 11)], share) == is_at


def test_a_spread_counts_what_is_early() -> None:
    assert spread([0.3, -0.1, 0.0]) == (3, 1, -0.1, 0.0, 0.3, 0.3, 0.3)


def test_of_nothing_nothing_can_be_said() -> None:
    with pytest.raises(ValueError, match="nothing arrived"):
        spread([])


@pytest.mark.parametrize(
    ("at", "second", "late"), [(7.25, 7, 0.25), (6.75, 7, -0.25), (60.5, 59, 1.5), (59.5, 0, -0.5), (0.0, 0, 0.0)]
)
def test_lateness_after_a_second_of_the_minute_is_told_to_half_a_minute(at: float, second: int, late: float) -> None:
    assert since_second(NINE + at, second) == pytest.approx(late)


def test_jobs_are_spread_over_the_seconds_of_the_minute() -> None:
    assert seconds(4) == [0, 15, 30, 45]
    counts = [seconds(200).count(second) for second in range(60)]
    assert (min(counts), max(counts)) == (3, 4)


def arrival(at: float, path: str, **headers: str) -> Arrival:
    return Arrival(NINE + at, path, headers)


def test_of_a_peer_only_what_was_due_meanwhile_counts_and_its_worker_was_earlier_than_the_target() -> None:
    begun = {"begun": repr(NINE + 67.2)}
    arrivals = [
        arrival(59.9, "/59", begun=repr(NINE + 59.5)),
        arrival(67.25, "/7", **begun),
        arrival(120.1, "/0", **begun),
    ]
    late = peers.lateness(arrivals, jobs=10, begin=NINE + 60, end=NINE + 120)
    assert late.due == 10
    assert late.at_target == pytest.approx([0.25])
    assert late.at_worker == pytest.approx([0.2])


def test_of_ours_the_worker_is_told_by_the_records_and_the_target_by_the_calls() -> None:
    runs = [
        {"scheduled_for": "2026-11-20T09:00:07Z", "started_at": "2026-11-20T09:00:07.125Z"},
        {"scheduled_for": "2026-11-20T09:00:08Z", "started_at": None},
        {"scheduled_for": "2026-11-20T09:01:07Z", "started_at": "2026-11-20T09:01:07.125Z"},
    ]
    header = {"minutehand-scheduled-for": "2026-11-20T09:00:07Z"}
    late = ours.lateness(runs, [arrival(7.5, "/7", **header)], 2, NINE, NINE + 60)
    assert late == Late(2, [0.125], [0.5])


def test_ours_is_due_once_a_minute_at_its_second() -> None:
    assert ours.document(3, 42, "http://127.0.0.1:80")["schedule"] == "42 * * * * *"


@pytest.mark.parametrize(
    ("at_worker", "at_target", "expected"),
    [
        ([0.1] * 95 + [1.3] * 5, [0.2] * 100, True),
        ([0.1] * 94 + [1.3] * 6, [0.2] * 100, False),
        ([0.1] * 99, [0.2] * 100, False),
        ([0.1] * 100, [0.2] * 99 + [-0.001], False),
    ],
)
def test_the_goal_wants_them_on_time_none_early_and_none_missing(
    at_worker: list[float], at_target: list[float], expected: bool
) -> None:
    assert holds(Late(100, at_worker, at_target)) is expected


def test_the_table_has_two_rows_for_each_scheduler_and_names_those_that_did_not_run() -> None:
    found = table({OURS: Late(1, [0.1], [0.2])}, ["Not run: another: it is not installed."])
    assert [row[:5] for row in found.rows] == [(OURS, "the worker", 1, 1, 0), (OURS, "the target", 1, 1, 0)]
    assert (found.holds, found.notes[-1]) == (True, "Not run: another: it is not installed.")
    assert found.chart is not None
    assert [series.name for series in read(found.chart, found.columns, found.rows)] == ["p50, s", "p95, s", "p99, s"]


def test_the_target_remembers_who_called_and_answers() -> None:
    with listening() as target:
        call(f"{target.url}/7")
        assert urllib3.request("POST", f"{target.url}/with-a-body", body=b"x" * 100_000).json() == {"ok": True}
    assert [one.path for one in target.arrivals] == ["/7", "/with-a-body"]
    assert float(target.arrivals[0].headers[BEGUN]) <= target.arrivals[0].at
