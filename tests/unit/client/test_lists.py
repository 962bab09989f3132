"""Lists across namespaces, filters and statistics through the SDK."""

from datetime import timedelta

import pytest

from minutehand.client import Client
from tests.support.api_server import NOW, ApiServer

HOUR = timedelta(hours=1)


def test_namespaces_come_over_all_pages_in_order(api: ApiServer, client: Client) -> None:
    names = [f"ns-{n:03}" for n in range(60)]
    for name in names:
        api.add_job(f"{name}/beat")
    assert [namespace["namespace"] for namespace in client.namespaces()] == names
    assert len(api.requests) == 2


def test_jobs_of_all_namespaces_come_in_order_and_by_filter(api: ApiServer, client: Client) -> None:
    for name in ("a/one", "a/two", "b/one"):
        api.add_job(name, labels={"team": "data", "of": name})
    assert [job["name"] for job in client.list_all_jobs()] == ["one", "two", "one"]
    assert [job["name"] for job in client.list_all_jobs(labels={"team": "data", "of": "a/two"})] == ["two"]
    assert [job["namespace"] for job in client.list_all_jobs(q="one", paused=False, target="http")] == ["a", "b"]
    assert [job["last_run"] for job in client.list_jobs("a", last=True)] == [None, None]
    assert [query["label"] for request in api.requests if "label" in (query := request.queries)] == [
        ["team=data", "of=a/two"]
    ]


def test_runs_of_all_jobs_come_newest_first_over_all_pages(api: ApiServer, client: Client) -> None:
    api.add_job("a/one")
    api.add_job("b/one")
    ids = [f"20261120T07{n // 60:02}{n % 60:02}Z" for n in range(60)]
    for run_id in ids:
        api.add_run("a/one", run_id)
        api.add_run("b/one", run_id)
    runs = [*client.all_runs()]
    assert [(run["job"], run["run_id"]) for run in runs] == [
        (job, run_id) for run_id in reversed(ids) for job in ("a/one", "b/one")
    ]
    assert [run["job"] for run in client.all_runs(namespace="b", start=NOW - HOUR, end=NOW, state="failed")] == []
    assert client.all_runs_page(limit=1)["looked_until"] == "2026-11-20T07:00:59Z"


def test_runs_of_a_job_come_by_interval(api: ApiServer, client: Client) -> None:
    api.add_job("a/one")
    for hour in range(8):
        api.add_run("a/one", f"20261120T0{hour}0000Z")
    found = client.runs("a/one", start=NOW - 3 * HOUR, end=NOW - HOUR)
    assert [run["run_id"] for run in found] == ["20261120T070000Z", "20261120T060000Z"]


def test_statistics_count_the_runs_of_an_interval(api: ApiServer, client: Client) -> None:
    api.add_job("a/one")
    for hour in range(8):
        api.add_run("a/one", f"20261120T0{hour}0000Z", "failed" if hour % 2 else "succeeded")
    of_job = client.job_stats("a/one", start=NOW - 4 * HOUR, end=NOW, per="day")
    assert (of_job["outcomes"], of_job["success_rate"], of_job["per"]) == ({"failed": 2, "succeeded": 1}, 0.3333, "day")
    assert client.namespace_stats("a")["runs"] == 8


def test_naive_instants_are_refused(client: Client) -> None:
    with pytest.raises(ValueError, match="has no time zone"):
        client.all_runs_page(start=NOW.replace(tzinfo=None))
