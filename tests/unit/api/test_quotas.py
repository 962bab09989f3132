"""Quotas of namespaces over HTTP: who may set them, and what exceeds them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.domain.concurrency import RUNS_A_MINUTE, Limit
from minutehand.domain.run_successors import looking_again
from tests.unit.api.conftest import JOB, PATH, Api, FakeClock

DEMO = "/v1/namespaces/demo"
QUOTA = f"{DEMO}/quota"
NONE = {
    "namespace": "demo",
    "jobs": None,
    "runs_per_minute": None,
    "concurrency": None,
    "used": {"jobs": None, "runs_this_minute": None},
}
FULL = {"jobs": 2, "runs_per_minute": 1, "concurrency": 3}


def trigger(api: Api, key: str) -> Any:
    return api.post(f"{PATH}/trigger", headers={"Idempotency-Key": key})


def test_a_quota_is_set_shown_with_its_use_sent_back_and_removed(
    api: Api, lines: Callable[[], list[dict[str, Any]]]
) -> None:
    assert (api.get(QUOTA).status, api.get(QUOTA).body) == (200, NONE)
    api.put()
    answer = api.put(FULL, QUOTA)
    assert answer.status == 200
    assert answer.body == NONE | FULL | {"used": {"jobs": 1, "runs_this_minute": 0}}
    assert api.put(answer.body, QUOTA).headers["etag"] == answer.headers["etag"] == api.get(DEMO).headers["etag"]
    assert trigger(api, "one").status == 202
    assert api.get(QUOTA).body["used"] == {"jobs": 1, "runs_this_minute": 1}
    assert api.get(DEMO).body["status"]["quota"] == FULL
    assert api.get("/v1/namespaces").body["items"][0]["status"]["quota"] == FULL
    assert api.delete(QUOTA).status == api.delete(QUOTA).status == 204
    assert api.get(QUOTA).body == NONE
    assert api.get(DEMO).body["status"]["quota"] is None
    changes = [line["action"] for line in lines() if line.get("namespace") == "demo"]
    assert changes == ["quota", "remove_quota"]


def test_the_admin_of_a_namespace_may_read_its_quota_and_not_change_it(api: Api) -> None:
    api.put(FULL, QUOTA)
    own = api.by(namespaces="demo")
    assert own.get(QUOTA).body["jobs"] == 2
    assert own.by(role="viewer").get(QUOTA).status == 200
    for refused in (own.put({}, QUOTA), own.delete(QUOTA), api.by(role="operator").put({}, QUOTA)):
        assert refused.status == 403
        assert "this needs admin in every namespace" in refused.body["detail"]
    assert own.put({"max_concurrency": 1000}, DEMO).status == 200
    assert api.get(DEMO).body["status"]["quota"] == FULL


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"jobs": -1}, "jobs"),
        ({"jobs": 20_001}, "jobs"),
        ({"runs_per_minute": 0}, "runs_per_minute"),
        ({"runs_per_minute": 10_001}, "runs_per_minute"),
        ({"concurrency": 0}, "concurrency"),
        ({"concurrency": 1001}, "concurrency"),
        ({"concurrency": "5"}, "concurrency"),
        ({"jobs": True}, "jobs"),
        ({"namespace": "other"}, "namespace"),
        ({"max_jobs": 3}, "max_jobs"),
    ],
)
def test_an_invalid_quota_is_refused_with_its_path_and_a_hint(api: Api, body: dict[str, Any], path: str) -> None:
    answer = api.put(body, QUOTA)
    assert answer.status == 422
    assert answer.errors[path]["hint"]
    assert api.get(QUOTA).body == NONE


def test_a_job_beyond_the_quota_is_refused_and_one_that_exists_is_edited(api: Api, clock: FakeClock) -> None:
    api.put()
    api.put({"jobs": 1}, QUOTA)
    for query in ({}, {"dry_run": "true"}):
        answer = api.put(JOB, f"{DEMO}/jobs/second", query=query)
        assert (answer.status, answer.body["type"]) == (409, "urn:problem-type:minutehand:quota-reached")
        assert "namespace demo has 1 of at most 1 jobs" in answer.body["detail"]
    assert api.get(f"{DEMO}/jobs/second").status == 404
    assert api.put(JOB | {"description": "edited"}).status == 200
    assert api.delete().status == 204
    clock.move(seconds=10)
    assert api.put(JOB, f"{DEMO}/jobs/second").status == 201


def test_triggers_and_backfills_beyond_the_quota_are_refused_until_the_next_minute(
    api: Api, state: MemoryState, clock: FakeClock
) -> None:
    api.put()
    api.put({"runs_per_minute": 1}, QUOTA)
    assert trigger(api, "one").status == 202
    wanted = {"from": "2026-11-20T09:00:00Z", "to": "2026-11-20T11:00:00Z"}
    for answer in (trigger(api, "two"), api.post(f"{PATH}/backfills", body=wanted)):
        assert (answer.status, answer.body["type"]) == (429, "urn:problem-type:minutehand:runs-quota-reached")
        assert answer.headers["retry-after"] == "30"
    assert (len(state.runs), len(state.backfills)) == (1, 0)
    clock.move(seconds=30)
    assert trigger(api, "two").status == 202


def test_explain_says_that_a_run_waits_for_its_minute(api: Api, state: MemoryState) -> None:
    api.put()
    run_id = trigger(api, "one").body["run_id"]
    [(key, run)] = state.runs.items()
    minute = run.scheduled_for.replace(minute=5, second=0)
    state.runs[key] = looking_again(run, minute, Limit("demo", 5, RUNS_A_MINUTE, quota=True).taken, minute)
    shown = api.get(f"{PATH}/runs/{run_id}").body
    assert shown["waits_for"] == "the namespace's quota, which let 5 runs begin in a minute when it asked"
    items = api.get(f"{PATH}/explain", query={"at": "2026-11-20T12:00:30Z"}).body["items"]
    [text] = [item["text"] for item in items if item["text"].startswith("triggered")]
    assert text == (
        "triggered: queued: waits for the namespace's quota, which let 5 runs begin in a minute when it asked; it tries again at "
        "2026-11-20T12:05:00Z"
    )


def test_a_change_of_a_quota_is_on_record_with_what_it_was_before(api: Api) -> None:
    api.put({"jobs": 2}, QUOTA)
    api.by(token="root").put({"jobs": 3}, QUOTA)
    newest, first = api.get("/v1/audit", query={"namespace": "demo", "action": "quota"}).body["items"]
    assert newest["actor"] == "root"
    assert newest["changes"] == [{"path": "/quota/jobs", "before": 2, "after": 3}]
    assert first["changes"] == [{"path": "/quota/jobs", "before": None, "after": 2}]


def test_a_change_of_another_version_of_the_namespace_is_refused(api: Api) -> None:
    tag = api.put({"jobs": 2}, QUOTA).headers["etag"]
    api.put({"max_concurrency": 3}, DEMO)
    assert api.put({"jobs": 4}, QUOTA, headers={"If-Match": tag}).status == 412
    assert api.get(QUOTA).body["jobs"] == 2
