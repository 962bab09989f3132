"""Shadow mode over HTTP: what jobs, namespaces, lists, next runs and `explain` say of it."""

from __future__ import annotations

from typing import Any

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.domain.instants import from_text
from minutehand.domain.run import Run, RunError, RunState, SkipReason
from minutehand.domain.run_key import RunKey
from tests.unit.api.conftest import HEARTBEAT, JOB, PATH, Api

DEMO = "/v1/namespaces/demo"


def explained(api: Api, at: str) -> str:
    [item] = api.get(f"{PATH}/explain", query={"at": at}).body["items"]
    said: str = item["text"]
    return said


def kept(stored: MemoryState, **fields: Any) -> Run:
    """A run of one o'clock that ended in shadow, unless `fields` say otherwise."""
    at = from_text("2026-11-20T13:00:00Z")
    key = RunKey.scheduled(HEARTBEAT, at)
    ended = {
        "state": RunState.SKIPPED,
        "skip_reason": SkipReason.SHADOW,
        "attempt": 1,
        "started_at": at,
        "shadow": True,
    }
    given = ended | {"finished_at": at, "lateness": at - at} | fields
    stored.runs[key] = Run(
        key=key, target="http", revision=1, claimed_at=at, expires_at=from_text("2026-12-20T13:00:00Z"), **given
    )
    return stored.runs[key]


def test_a_job_in_shadow_says_so_in_every_place(api: Api) -> None:
    assert api.put(JOB | {"shadow": True}).body["status"]["shadow_of"] == "job"
    [listed] = api.get(f"{DEMO}/jobs").body["items"]
    assert (listed["status"]["shadow_of"], api.get().body["shadow"]) == ("job", True)
    assert api.get(f"{PATH}/next").body["shadow_of"] == "job"
    assert explained(api, "2026-11-20T13:00:00Z").endswith("; it will call no target: the job is in shadow")
    api.put(JOB)
    assert (api.get().body["status"]["shadow_of"], api.get(f"{PATH}/next").body["shadow_of"]) == (None, None)


def test_a_namespace_in_shadow_puts_its_jobs_in_shadow_and_is_audited(api: Api) -> None:
    api.put()
    assert api.get(DEMO).body["status"]["shadow"] is False
    on = api.post(f"{DEMO}/shadow", body={"shadow": True})
    assert (on.status, on.body["status"]["shadow"], on.body["status"]["revision"]) == (200, True, 1)
    assert api.get().body["status"]["shadow_of"] == "namespace"
    assert explained(api, "2026-11-20T13:00:00Z").endswith("; it will call no target: the namespace is in shadow")
    [record] = [
        each for each in api.get("/v1/audit", query={"namespace": "demo"}).body["items"] if each["action"] == "shadow"
    ]
    [change] = record["changes"]
    assert (change["path"], change["before"], change["after"]) == ("/shadow", False, True)
    assert api.post(f"{DEMO}/shadow", body={"shadow": True}).body["status"]["revision"] == 1, "nothing changed"
    assert api.post(f"{DEMO}/shadow", body={"shadow": False}).body["status"]["shadow"] is False


def test_other_settings_of_a_namespace_leave_its_shadow_as_it_is(api: Api) -> None:
    api.post(f"{DEMO}/shadow", body={"shadow": True})
    assert api.put({"max_concurrency": 3}, DEMO).body["status"]["shadow"] is True
    assert api.post(f"{DEMO}/pause").body["status"]["shadow"] is True


@pytest.mark.parametrize("body", [{}, {"shadow": "no"}, {"shadow": None}, {"shadow": True, "on": True}])
def test_a_request_that_does_not_say_whether_is_refused(api: Api, body: dict[str, Any]) -> None:
    assert api.post(f"{DEMO}/shadow", body=body).status == 422
    assert api.get(DEMO).body["status"]["revision"] == 0


@pytest.mark.parametrize("role", ["viewer", "operator"])
def test_only_an_admin_may_turn_it_on_or_off(api: Api, role: str) -> None:
    assert api.by(role=role).post(f"{DEMO}/shadow", body={"shadow": False}).status == 403


def test_a_run_in_shadow_is_shown_as_skipped_without_a_call(api: Api, state: MemoryState) -> None:
    api.put()
    kept(state)
    run = api.get(f"{PATH}/runs/20261120T130000Z").body
    assert (run["state"], run["reason"], run["attempt"]) == ("skipped", "shadow: its target was not called", 1)
    assert run["lateness_ms"] == 0
    assert explained(api, "2026-11-20T13:00:00Z") == "skipped: shadow: its target was not called"


def test_a_call_that_could_not_have_been_made_is_told(api: Api, state: MemoryState) -> None:
    api.put()
    kept(state, error=RunError("UnresolvedTemplate", "target.query: {{payload.a}} names nothing"))
    assert explained(api, "2026-11-20T13:00:00Z").endswith(
        "not called, and a call would have failed: UnresolvedTemplate: target.query: {{payload.a}} names nothing"
    )


def test_a_queued_run_that_a_shadow_started_says_that_it_will_call_nothing(api: Api, state: MemoryState) -> None:
    api.put()
    kept(state, state=RunState.QUEUED, skip_reason=None, attempt=0, started_at=None, finished_at=None, lateness=None)
    assert "it will call no target: a shadow run started it" in explained(api, "2026-11-20T13:00:00Z")


def test_statistics_count_shadows_as_skipped_and_know_their_lateness(api: Api, state: MemoryState) -> None:
    api.put()
    kept(state)
    query = {"from": "2026-11-20T12:00:00Z", "to": "2026-11-20T14:00:00Z"}
    stats = api.get(f"{PATH}/stats", query=query).body
    assert (stats["outcomes"]["skipped"], stats["success_rate"]) == (1, None)
