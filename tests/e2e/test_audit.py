"""Who changed what, revisions and preconditions, against the deployed stack."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import urllib3

from minutehand.client import ChangedMeanwhile
from tests.e2e.conftest import Stack

pytestmark = pytest.mark.services


@pytest.fixture
def job(stack: Stack) -> dict[str, Any]:
    """A new job in a namespace of its own that never runs by itself."""
    target = {"type": "http", "url": stack.record.echo_url, "headers": {"Authorization": "Bearer hidden-1"}}
    return {"namespace": f"audit-{uuid.uuid4().hex[:8]}", "name": "report", "schedule": "@yearly", "target": target}


def test_a_change_is_recorded_compared_and_rolled_back(stack: Stack, job: dict[str, Any]) -> None:
    client, name = stack.client, f"{job['namespace']}/report"
    client.apply_job(job)
    client.apply_job(job | {"description": "second", "payload": {"größe": "x" * 5000}})
    run = client.trigger(name)
    client.pause(name)
    assert client.restore(name, 1)["description"] == ""
    client.set_namespace(job["namespace"], max_concurrency=3)
    client.apply_calendar({"namespace": job["namespace"], "name": "quiet", "weekly": ["SAT"]})
    client.delete_calendar(f"{job['namespace']}/quiet")
    client.delete_job(name)

    assert [each["did"] for each in client.revisions(name)] == ["deleted", "edited", "paused", "edited", "created"]
    assert client.revision(name, 2)["job"]["payload"] == {"größe": "x" * 5000}
    assert [each["path"] for each in client.diff_revisions(name, 1, to=2)["items"]] == ["/description", "/payload"]
    records = [*client.audit(namespace=job["namespace"])]
    assert [each["action"] for each in records] == [
        *("delete", "delete", "save", "save"),
        *("restore", "pause", "trigger", "save", "save"),
    ]
    assert [each["about"] for each in records if each["action"] in ("restore", "trigger")] == [
        {"restored": 1},
        {"run_id": run["run_id"]},
    ]
    assert {each["actor"] for each in records} == {"admin"}
    assert all(each["address"] and each["client"].startswith("minutehand") and each["request_id"] for each in records)
    assert "hidden" not in str(records)
    of_job = [*client.audit(namespace=job["namespace"], job="report", action="save")]
    assert [each["revision"] for each in of_job] == [2, 1]
    assert job["namespace"] in {each["namespace"] for each in client.audit()}


def test_of_edits_at_once_with_one_tag_exactly_one_is_made(stack: Stack, job: dict[str, Any]) -> None:
    stack.client.apply_job(job)

    def edit(number: int) -> bool:
        try:
            stack.client.apply_job(job | {"description": str(number)}, if_revision=1)
        except ChangedMeanwhile:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(edit, range(4))) == [False, False, False, True]
    assert len([*stack.client.revisions(f"{job['namespace']}/report")]) == 2


def test_the_gateway_passes_the_tag_on(stack: Stack, job: dict[str, Any]) -> None:
    stack.client.apply_job(job)
    url = f"{stack.record.url}/v1/namespaces/{job['namespace']}/jobs/report"
    headers = {"Authorization": f"Bearer {stack.record.token}"}
    answer = urllib3.request("GET", url, headers=headers, retries=False)
    assert answer.headers["ETag"] == '"1"'
    deleted = urllib3.request("DELETE", url, headers=headers | {"If-Match": '"2"'}, retries=False)
    assert (deleted.status, deleted.headers["ETag"]) == (412, '"1"')
