"""Lists across jobs and namespaces, filters and statistics, on the deployed stack."""

from __future__ import annotations

import pytest
from localstack.echo import EchoServer

from minutehand.client import wait_for_run
from tests.e2e.conftest import Stack, eventually

pytestmark = pytest.mark.services


def test_runs_across_jobs_are_found_by_state_label_and_time(stack: Stack, namespace: str, target: EchoServer) -> None:
    client = stack.client
    for name, url, tier in (("good", target.url, "1"), ("bad", f"{target.url}/status/500", "2")):
        document = {
            "namespace": namespace,
            "name": name,
            "schedule": "@manual",
            "labels": {"team": namespace, "tier": tier},
        }
        client.apply_job(document | {"target": {"type": "http", "method": "GET", "url": url}})
    runs = {name: wait_for_run(client, client.trigger(f"{namespace}/{name}"), timeout=60) for name in ("good", "bad")}
    assert [runs[name]["state"] for name in ("good", "bad")] == ["succeeded", "failed"]
    ids = {name: run["run_id"] for name, run in runs.items()}

    assert sorted(run["run_id"] for run in client.all_runs(namespace=namespace)) == sorted(ids.values())
    failed = eventually(
        lambda: [*client.all_runs(namespace=namespace, state="attention")], seconds=10, what="the index"
    )
    assert [run["run_id"] for run in failed] == [ids["bad"]]
    team = {"team": namespace, "tier": "1"}
    assert [run["run_id"] for run in client.all_runs(namespace=namespace, labels=team)] == [ids["good"]]
    jobs = client.list_all_jobs(labels={"team": namespace, "tier": "2"})
    assert [(job["namespace"], job["name"]) for job in jobs] == [(namespace, "bad")]
    assert namespace in [each["namespace"] for each in client.namespaces()]
    stats = client.namespace_stats(namespace)
    assert (stats["outcomes"], stats["success_rate"], stats["complete"]) == ({"failed": 1, "succeeded": 1}, 0.5, True)
    assert client.job_stats(f"{namespace}/bad")["outcomes"] == {"failed": 1}
