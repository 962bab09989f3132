"""Records of changes over HTTP."""

from __future__ import annotations

import json
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.usecases.queries.audit import PAGES
from tests.unit.api.conftest import JOB, PATH, Api, FakeClock

DEMO = {"namespace": "demo"}
CALENDAR = "/v1/namespaces/demo/calendars/quiet"
FROM = {
    "requestContext": {
        "requestId": "req-7",
        "identity": {"sourceIp": "198.51.100.7", "userAgent": "curl/8.5\x1b[2J"},
        "authorizer": {"token": "ada", "role": "admin", "namespaces": "*"},
    }
}


ADAS_TOKEN = "t-x62oshiouq"


def audit(api: Api, **query: str) -> list[dict[str, Any]]:
    """All records that a question finds, over its pages."""
    found: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        body = api.get("/v1/audit", query=query | cursor).body
        found += body["items"]
        if body["next"] is None:
            return found
        cursor = {"cursor": body["next"]}


def test_a_record_says_who_changed_what_from_where_and_how(api: Api, clock: FakeClock) -> None:
    api.put()
    clock.move(seconds=30)
    api.put(JOB | {"schedule": "5 * * * *"}, **FROM)
    edited, created = audit(api, **DEMO)
    assert edited == {
        "at": "2026-11-20T12:01:00Z",
        "actor": "ada",
        "actor_id": ADAS_TOKEN,
        "address": "198.51.100.7",
        "client": "curl/8.5 [2J",
        "request_id": "req-7",
        "action": "save",
        "namespace": "demo",
        "job": "heartbeat",
        "calendar": None,
        "revision": 2,
        "about": {},
        "changes": [{"path": "/schedule", "before": "0 * * * *", "after": "5 * * * *"}],
        "changes_left_out": 0,
    }
    assert (created["revision"], created["address"], created["client"]) == (1, None, None)
    assert [each["path"] for each in created["changes"]] == ["/schedule", "/target"]


def test_every_kind_of_change_is_recorded_and_what_changes_nothing_is_not(api: Api, clock: FakeClock) -> None:
    def step(method: str, path: str, body: Any = None) -> Any:
        clock.move(seconds=1)
        return api.send(method, path, body).body

    step("PUT", PATH, JOB)
    step("PUT", PATH, JOB)
    step("PUT", PATH, {"schedule": "x"})
    step("POST", f"{PATH}/pause")
    step("POST", f"{PATH}/resume")
    run = step("POST", f"{PATH}/trigger")["run_id"]
    step("POST", f"{PATH}/runs/{run}/cancel")
    step("POST", f"{PATH}/runs/{run}/cancel")
    begun = step("POST", f"{PATH}/backfills", {"from": "2026-11-20T00:00:00Z", "to": "2026-11-20T06:00:00Z"})["id"]
    step("POST", f"{PATH}/backfills/{begun}/cancel")
    step("POST", f"{PATH}/backfills/{begun}/cancel")
    step("PUT", PATH, JOB | {"owner": "b"})
    step("POST", f"{PATH}/revisions/1/restore")
    step("DELETE", PATH)
    step("DELETE", PATH)
    step("PUT", "/v1/namespaces/demo", {"max_concurrency": 5})
    step("POST", "/v1/namespaces/demo/pause", {"until": "2026-11-21T00:00:00Z"})
    step("POST", "/v1/namespaces/demo/resume")
    step("PUT", CALENDAR, {"weekly": ["SAT"]})
    step("DELETE", CALENDAR)
    found = [(each["action"], each["job"], each["calendar"], each["about"]) for each in audit(api, **DEMO)][::-1]
    span = {"start": "2026-11-20T00:00:00Z", "end": "2026-11-20T06:00:00Z", "occurrences": 6}
    assert found == [
        ("save", "heartbeat", None, {}),
        ("pause", "heartbeat", None, {}),
        ("resume", "heartbeat", None, {}),
        ("trigger", "heartbeat", None, {"run_id": run}),
        ("cancel", "heartbeat", None, {"run_id": run}),
        ("backfill", "heartbeat", None, {"backfill_id": begun} | span),
        ("cancel_backfill", "heartbeat", None, {"backfill_id": begun}),
        ("save", "heartbeat", None, {}),
        ("restore", "heartbeat", None, {"restored": 1}),
        ("delete", "heartbeat", None, {}),
        ("save", None, None, {}),
        ("pause", None, None, {}),
        ("resume", None, None, {}),
        ("save", None, "quiet", {}),
        ("delete", None, "quiet", {}),
    ]
    paused = audit(api, action="pause", **DEMO)
    assert paused[0]["changes"] == [{"path": "/paused", "before": False, "after": {"until": "2026-11-21T00:00:00Z"}}]
    assert paused[1]["changes"] == [{"path": "/paused", "before": False, "after": True}]


def test_a_redrive_is_recorded_with_its_runs(api: Api, clock: FakeClock) -> None:
    api.put(JOB | {"schedule": "@manual"})
    run = api.post(f"{PATH}/trigger").body["run_id"]
    clock.move(minutes=10)
    assert api.post(f"{PATH}/redrive").body["items"]
    clock.move(minutes=1)
    assert api.post("/v1/namespaces/demo/redrive").body["items"]
    whole, of_job = audit(api, action="redrive", **DEMO)
    assert (of_job["job"], of_job["about"]) == ("heartbeat", {"runs": [run]})
    assert (whole["job"], whole["about"]) == (None, {"runs": [f"demo/heartbeat {run}"]})


def test_a_resume_that_catches_up_is_two_records(api: Api, clock: FakeClock) -> None:
    api.put()
    api.post(f"{PATH}/pause")
    clock.move(hours=3)
    api.post(f"{PATH}/resume", body={"catch_up": "all"})
    assert [each["action"] for each in audit(api, **DEMO)][:2] in (["backfill", "resume"], ["resume", "backfill"])


def test_secrets_are_hidden(api: Api) -> None:
    target = JOB["target"] | {"headers": {"Authorization": "Bearer hidden-1"}}  # type: ignore[operator]
    api.put(JOB | {"target": target})
    api.put(JOB | {"target": target | {"headers": {"Authorization": "Bearer hidden-2"}}, "payload": {"shown": 1}})
    text = json.dumps(audit(api, **DEMO))
    assert "hidden" not in text
    assert '"shown": 1' in text


def test_records_are_found_by_job_actor_action_and_time(api: Api, clock: FakeClock) -> None:
    api.put()
    clock.move(minutes=1)
    api.by(token="eve").put(path=f"{PATH}-2")
    clock.move(minutes=1)
    api.by(token="eve").post(f"{PATH}/pause")
    assert [each["revision"] for each in audit(api, job="heartbeat", **DEMO)] == [2, 1]
    assert [each["job"] for each in audit(api, actor="eve", **DEMO)] == ["heartbeat", "heartbeat-2"]
    assert [each["job"] for each in audit(api, actor="eve", action="save", **DEMO)] == ["heartbeat-2"]
    middle = {"from": "2026-11-20T12:01:00Z", "to": "2026-11-20T12:02:00Z"}
    assert [each["job"] for each in audit(api, **DEMO, **middle)] == ["heartbeat-2"]


def test_a_page_has_a_cursor_of_its_own_question(api: Api, clock: FakeClock) -> None:
    for number in range(5):
        clock.move(seconds=1)
        api.put(JOB | {"description": str(number)})
    page = api.get("/v1/audit", query=DEMO | {"limit": "2"}).body
    assert len(page["items"]) == 2
    rest = api.get("/v1/audit", query=DEMO | {"cursor": page["next"]}).body
    assert [each["revision"] for each in page["items"] + rest["items"]] == [5, 4, 3, 2, 1]
    for other in ({"namespace": "other"}, DEMO | {"actor": "ada"}, DEMO | {"job": "heartbeat"}, {}):
        answer = api.get("/v1/audit", query=other | {"cursor": page["next"]})
        assert (answer.status, answer.errors.keys()) == (400, {"cursor"})


@pytest.mark.parametrize(
    ("query", "wrong"),
    [
        ({"action": "delete_all"}, "action"),
        ({"job": "Not A Name"}, "job"),
        ({"from": "yesterday"}, "from"),
        ({"limit": "0"}, "limit"),
        ({"cursor": "x"}, "cursor"),
    ],
)
def test_a_wrong_parameter_is_refused(api: Api, query: dict[str, str], wrong: str) -> None:
    answer = api.get("/v1/audit", query=DEMO | query)
    assert (answer.status, answer.errors.keys()) == (400, {wrong})


def test_a_job_is_named_with_its_namespace(api: Api) -> None:
    assert api.get("/v1/audit", query={"job": "heartbeat"}).errors.keys() == {"job"}
    assert api.get("/v1/audit", query={"namespace": "No Name"}).errors.keys() == {"namespace"}


class TestWhoMayRead:
    def test_a_viewer_of_the_namespace(self, api: Api) -> None:
        api.put()
        viewer = api.by(role="viewer", namespaces="demo")
        assert len(audit(viewer, **DEMO)) == 1

    @pytest.mark.parametrize("query", [{"namespace": "other"}, {"namespace": ""}, {}])
    def test_nobody_in_another_namespace_or_in_all(self, api: Api, query: dict[str, str]) -> None:
        assert api.by(role="admin", namespaces="demo").get("/v1/audit", query=query).status == 403

    def test_who_may_read_all_namespaces_gets_them_by_name(self, api: Api, clock: FakeClock) -> None:
        for name in ("b", "a", "c"):
            for number in range(2):
                clock.move(seconds=1)
                api.put(JOB | {"description": str(number)}, path=f"/v1/namespaces/{name}/jobs/load")
        api.put({"max_concurrency": 3}, path="/v1/namespaces/settings-only")
        api.put({}, path="/v1/namespaces/calendar-only/calendars/quiet")
        found = [(each["namespace"], each["revision"]) for each in audit(api.by(role="viewer"), limit="1")]
        expected = [("a", 2), ("a", 1), ("b", 2), ("b", 1), ("c", 2), ("c", 1)]
        assert found == [*expected[:4], ("c", 2), ("c", 1), ("calendar-only", 1), ("settings-only", 1)]

    def test_one_request_goes_through_a_bounded_number_of_namespaces(self, api: Api, state: MemoryState) -> None:
        state.namespaces.update(f"empty-{number:03d}" for number in range(PAGES * 2 + 5))
        api.put(path="/v1/namespaces/full/jobs/load")
        page, requests = api.get("/v1/audit").body, 1
        while page["next"] is not None:
            assert page["items"] == []
            page, requests = api.get("/v1/audit", query={"cursor": page["next"]}).body, requests + 1
        assert [each["namespace"] for each in page["items"]] == ["full"]
        assert requests == 3
        assert api.get("/v1/audit", query={"cursor": "x:y:z"}).errors.keys() == {"cursor"}
