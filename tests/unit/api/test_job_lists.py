"""Lists of namespaces and of jobs: filters, pages, and how each job's last run ended."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.domain.job_key import JobKey
from minutehand.domain.overlap_lock import Permit, lock_of
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.entrypoints.api.endpoints import job_lists
from minutehand.usecases.queries import list_jobs
from tests.unit.api.conftest import JOB, NOON, Api, FakeClock

ALL = "/v1/jobs"
DEMO = "/v1/namespaces/demo/jobs"
TOP = NOON.replace(second=0)


def save(api: Api, name: str, **fields: Any) -> None:
    namespace, _, job = name.partition("/")
    assert api.put(JOB | fields, f"/v1/namespaces/{namespace}/jobs/{job}").status == 201


def names(api: Api, path: str = ALL, **query: str | list[str]) -> list[str]:
    """Every job over all pages."""
    found: list[str] = []
    more: dict[str, str] = {}
    while True:
        answer = api.get(path, query={**query, **more})
        assert answer.status == 200, answer.body
        found += [f"{job['namespace']}/{job['name']}" for job in answer.body["items"]]
        if answer.body["next"] is None:
            return found
        more = {"cursor": answer.body["next"]}


@pytest.fixture
def six(api: Api) -> list[str]:
    """Six jobs of three namespaces."""
    save(api, "a/export", labels={"team": "data", "tier": "1"})
    save(api, "a/import", labels={"team": "data"}, paused=True)
    save(api, "b/export", labels={"team": "web"}, schedule="@manual")
    save(api, "b/report")
    save(api, "c/one", paused={"until": "2026-11-21T00:00:00Z"})
    save(api, "c/two", labels={"team": "data", "equals": "a=b"})
    return ["a/export", "a/import", "b/export", "b/report", "c/one", "c/two"]


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 6, 500])
def test_jobs_of_all_namespaces_are_listed_by_namespace_and_name(api: Api, six: list[str], limit: int) -> None:
    assert names(api, limit=str(limit)) == six


def test_a_token_sees_the_jobs_of_its_namespaces_only(api: Api, six: list[str]) -> None:
    assert names(api.by(namespaces="b,x", role="viewer"), limit="1") == six[2:4]
    assert names(api.by(namespaces="")) == []


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ({"label": "team=data"}, [0, 1, 5]),
        ({"label": ["team=data", "tier=1"]}, [0]),
        ({"label": "equals=a=b"}, [5]),
        ({"label": "team=dat"}, []),
        ({"paused": "true"}, [1, 4]),
        ({"paused": "false", "label": "team=data"}, [0, 5]),
        ({"q": "port"}, [0, 1, 2, 3]),
        ({"q": "EXP"}, [0, 2]),
        ({"target": "http"}, [0, 1, 2, 3, 4, 5]),
        ({"target": "sqs"}, []),
    ],
)
@pytest.mark.parametrize("limit", [1, 2, 500])
@pytest.mark.thorough
def test_jobs_are_listed_by_filter(
    api: Api, six: list[str], query: dict[str, Any], wanted: list[int], limit: int
) -> None:
    assert names(api, **query, limit=str(limit)) == [six[n] for n in wanted]
    in_a = [six[n] for n in wanted if n < 2]
    assert names(api, "/v1/namespaces/a/jobs", **query, limit=str(limit)) == in_a


def test_a_filtered_page_reads_a_bounded_number_of_jobs(
    api: Api, six: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_jobs, "MOST_JOBS", 2)
    first = api.get(ALL, query={"q": "two"})
    assert (first.body["items"], first.body["next"] is not None) == ([], True)
    assert names(api, q="two") == ["c/two"]
    assert names(api, q="port") == six[:4]


def test_a_page_queries_a_bounded_number_of_namespaces(
    api: Api, six: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_jobs, "MOST_QUERIES", 1)
    assert len(api.get(ALL).body["items"]) == 2
    assert names(api) == six
    assert names(api, q="two") == ["c/two"]


def test_a_page_ends_before_its_documents_are_too_large(
    api: Api, six: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_lists, "MOST_BYTES", 1)
    assert len(api.get(ALL).body["items"]) == 1
    assert names(api) == six
    assert names(api, "/v1/namespaces/b/jobs") == six[2:4]


def test_a_cursor_of_jobs_belongs_to_its_filters(api: Api, six: list[str]) -> None:
    cursor = api.get(ALL, query={"limit": "1", "q": "port"}).body["next"]
    assert api.get(ALL, query={"q": "port", "limit": "9", "last": "true", "cursor": cursor}).status == 200
    for query in ({}, {"q": "por"}, {"q": "port", "paused": "true"}):
        assert api.get(ALL, query=query | {"cursor": cursor}).status == 400
    assert api.get(DEMO, query={"q": "port", "cursor": cursor}).status == 400


@pytest.mark.parametrize(
    ("name", "value"), [("paused", "yes"), ("last", "1"), ("label", "team"), ("target", "fax"), ("q", "x" * 129)]
)
def test_an_invalid_filter_of_jobs_is_400_and_named(api: Api, name: str, value: str) -> None:
    answer = api.get(ALL, query={name: value})
    assert (answer.status, list(answer.errors)) == (400, [name])


def test_namespaces_are_listed_by_name_with_their_settings(api: Api, six: list[str]) -> None:
    api.put({"max_concurrency": 7}, "/v1/namespaces/b")
    api.post("/v1/namespaces/c/pause")
    found, query = [], {"limit": "2"}
    for _ in range(2):
        answer = api.get("/v1/namespaces", query=query)
        found += answer.body["items"]
        query["cursor"] = answer.body["next"]
    assert query["cursor"] is None
    assert [(one["namespace"], one["max_concurrency"], one["status"]["paused"]) for one in found] == [
        ("a", None, False),
        ("b", 7, False),
        ("c", None, True),
    ]
    assert found[1] == api.get("/v1/namespaces/b").body


def test_a_token_sees_its_namespaces_only(api: Api, six: list[str]) -> None:
    answer = api.by(namespaces="b,never-was", role="viewer").get("/v1/namespaces")
    assert [one["namespace"] for one in answer.body["items"]] == ["b"]


# How the last run ended.


def run_of(state: MemoryState, name: str, at: datetime, became: RunState, **fields: Any) -> Run:
    key = fields.pop("key", RunKey.scheduled(JobKey.of(name), at))
    run = Run(key=key, target="http", revision=1, claimed_at=at, expires_at=at + timedelta(days=9), state=became)
    state.runs[key] = replace(run, **{"finished_at": at if became.finished else None} | fields)
    return state.runs[key]


def last(api: Api, name: str) -> Any:
    namespace, _, job = name.partition("/")
    items = api.get(f"/v1/namespaces/{namespace}/jobs", query={"last": "true"}).body["items"]
    [found] = [item["last_run"] for item in items if item["name"] == job]
    return found and (found["state"], found["scheduled_for"])


def test_a_list_has_how_the_newest_run_of_each_schedule_ended_on_request(api: Api, state: MemoryState) -> None:
    save(api, "demo/hourly")
    run_of(state, "demo/hourly", TOP, RunState.FAILED)
    [job] = api.get(DEMO, query={"last": "true"}).body["items"]
    assert job["last_run"] == {
        "run_id": "20261120T120000Z",
        "state": "failed",
        "scheduled_for": "2026-11-20T12:00:00Z",
        "finished_at": "2026-11-20T12:00:00Z",
    }
    assert all("last_run" not in item for item in api.get(DEMO).body["items"])


def test_while_the_newest_run_is_active_or_missing_the_one_before_counts(api: Api, state: MemoryState) -> None:
    save(api, "demo/hourly")
    run_of(state, "demo/hourly", TOP - timedelta(hours=1), RunState.SUCCEEDED)
    assert last(api, "demo/hourly") == ("succeeded", "2026-11-20T11:00:00Z")
    run_of(state, "demo/hourly", TOP, RunState.RUNNING)
    assert last(api, "demo/hourly") == ("succeeded", "2026-11-20T11:00:00Z")


@pytest.mark.parametrize("schedule", ["0 3 * * *", "@manual", "@after 10m", "0 0 29 2 *"])
def test_an_unknown_outcome_is_null(api: Api, schedule: str) -> None:
    save(api, "demo/some", schedule=schedule)
    assert last(api, "demo/some") is None


def test_a_job_whose_runs_take_the_lock_has_the_run_that_took_it_last(api: Api, state: MemoryState) -> None:
    job = JobKey.of("demo/delayed")
    save(api, "demo/delayed", schedule="@after 10m")
    asked = RunKey.triggered(job, TOP, "a")
    run_of(state, "demo/delayed", TOP, RunState.TIMED_OUT, key=asked)
    state.permits[lock_of(job)] = Permit(lock_of(job), asked, 1)
    assert last(api, "demo/delayed") == ("timed_out", "2026-11-20T12:00:00Z")


def test_of_the_lock_and_the_schedule_the_newer_run_counts(api: Api, state: MemoryState) -> None:
    job = JobKey.of("demo/locked")
    save(api, "demo/locked", overlap="skip")
    replayed = RunKey.backfilled(job, TOP - timedelta(days=3), "b")
    run_of(state, "demo/locked", TOP - timedelta(days=3), RunState.SUCCEEDED, key=replayed)
    run_of(state, "demo/locked", TOP, RunState.SKIPPED)
    state.permits[lock_of(job)] = Permit(lock_of(job), replayed, 1)
    assert last(api, "demo/locked") == ("skipped", "2026-11-20T12:00:00Z")


def test_a_paused_job_has_its_last_run_before_the_pause(api: Api, state: MemoryState, clock: FakeClock) -> None:
    save(api, "demo/hourly")
    run_of(state, "demo/hourly", TOP, RunState.FAILED)
    api.post(f"{DEMO}/hourly/pause")
    clock.move(days=3)
    assert last(api, "demo/hourly") == ("failed", "2026-11-20T12:00:00Z")
