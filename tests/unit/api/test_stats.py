"""Statistics of runs over HTTP."""

from __future__ import annotations

from datetime import timedelta

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.domain.run import RunState
from minutehand.usecases.queries import count_runs, find_runs
from tests.unit.api.conftest import JOB, PATH, Api
from tests.unit.api.test_runs_across_jobs import HOUR, TOP, keep

SECOND = timedelta(seconds=1)
DEMO = "/v1/namespaces/demo/stats"


@pytest.fixture
def _runs(state: MemoryState) -> None:
    """Runs of two jobs: four of one that began and ended, and some that did not."""
    for number, (ago, became) in enumerate(
        [(0, RunState.SUCCEEDED), (1, RunState.FAILED), (1.5, RunState.SUCCEEDED), (2, RunState.SUCCEEDED)], 1
    ):
        at = TOP - ago * HOUR
        began = at + number * SECOND
        fields = {"started_at": began, "lateness": number * SECOND, "finished_at": began + number * 10 * SECOND}
        keep(state, "demo/heartbeat", at, state=became, **fields)
    keep(state, "demo/other", TOP - 3 * HOUR, state=RunState.SKIPPED)
    keep(state, "demo/other", TOP - 26 * HOUR)
    keep(state, "demo/other", TOP, state=RunState.QUEUED, finished_at=None)


@pytest.mark.usefixtures("_runs")
def test_a_job_has_its_outcomes_success_rate_durations_and_lateness(api: Api) -> None:
    body = api.get(f"{PATH}/stats").body
    buckets = body.pop("buckets")
    assert body == {
        "from": "2026-11-19T12:00:31Z",
        "to": "2026-11-20T12:00:31Z",
        "complete": True,
        "counted_from": "2026-11-19T12:00:31Z",
        "runs": 4,
        "outcomes": {"failed": 1, "succeeded": 3},
        "success_rate": 0.75,
        "duration_ms": {"p50": 20_000, "p95": 40_000},
        "lateness_ms": {"p50": 2_000, "p95": 4_000},
        "per": "hour",
    }
    assert [(one["start"], one["outcomes"]) for one in buckets] == [
        ("2026-11-20T10:00:00Z", {"succeeded": 2}),
        ("2026-11-20T11:00:00Z", {"failed": 1}),
        ("2026-11-20T12:00:00Z", {"succeeded": 1}),
    ]
    assert buckets[0]["duration_ms"] == {"p50": 30_000, "p95": 40_000}


@pytest.mark.usefixtures("_runs")
def test_a_namespace_has_the_numbers_of_all_its_runs(api: Api) -> None:
    body = api.get(DEMO, query={"from": "2026-11-19T00:00:00Z", "per": "day"}).body
    assert body["outcomes"] == {"failed": 1, "queued": 1, "skipped": 1, "succeeded": 4}
    assert (body["runs"], body["success_rate"], body["complete"]) == (7, 0.8, True)
    assert [(one["start"], one["runs"]) for one in body["buckets"]] == [
        ("2026-11-19T00:00:00Z", 1),
        ("2026-11-20T00:00:00Z", 6),
    ]


def test_without_runs_every_number_is_null_or_nought(api: Api) -> None:
    api.put()
    for path in (f"{PATH}/stats", DEMO):
        body = api.get(path, query={"to": "2026-11-20T00:00:00Z"}).body
        assert (body["runs"], body["outcomes"], body["success_rate"], body["buckets"]) == (0, {}, None, [])
        assert body["duration_ms"] == body["lateness_ms"] == {"p50": None, "p95": None}


def test_a_job_that_never_was_is_404(api: Api) -> None:
    assert api.get(f"{PATH}/stats").status == 404


@pytest.mark.parametrize("path", [f"{PATH}/stats", DEMO])
def test_of_too_many_runs_the_newest_count_and_the_answer_says_from_when(
    api: Api, state: MemoryState, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(count_runs, "MOST_COUNTED", 3)
    keep(state, "demo/heartbeat", *(TOP - n * HOUR for n in range(3)))
    assert api.get(path, query={"from": "2026-11-20T10:00:00Z"}).body["runs"] == 3
    keep(state, "demo/heartbeat", TOP - 3 * HOUR)
    body = api.get(path).body
    assert (body["runs"], body["complete"], body["counted_from"]) == (3, False, "2026-11-20T10:00:00Z")


def test_a_namespace_with_few_runs_is_searched_for_a_bounded_number_of_hours(
    api: Api, state: MemoryState, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(find_runs, "MOST_HOURS", 2)
    keep(state, "demo/heartbeat", TOP, TOP - 5 * HOUR, TOP - 6 * HOUR)
    body = api.get(DEMO).body
    assert (body["runs"], body["complete"], body["counted_from"]) == (2, False, "2026-11-20T07:00:00Z")


@pytest.mark.parametrize(
    ("query", "length"), [({"from": "2026-11-18T12:00:31Z"}, "hour"), ({"from": "2026-11-18T12:00:30Z"}, "day")]
)
def test_an_interval_of_two_days_is_divided_into_hours_and_a_longer_one_into_days(
    api: Api, query: dict[str, str], length: str
) -> None:
    api.put(JOB)
    assert api.get(DEMO, query=query).body["per"] == length


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ({"per": "week"}, "per"),
        ({"per": "hour", "from": "2026-10-01T00:00:00Z"}, "per"),
        ({"from": "2026-11-21T00:00:00Z"}, "from"),
        ({"from": "monday"}, "from"),
    ],
)
def test_an_invalid_interval_or_bucket_is_400(api: Api, query: dict[str, str], name: str) -> None:
    answer = api.get(DEMO, query=query)
    assert (answer.status, list(answer.errors)) == (400, [name])
