"""Namespaces over HTTP: their limit, their pauses, and what jobs say of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.domain.instants import from_text
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Run, RunState, SkipReason
from minutehand.domain.run_key import RunKey
from tests.unit.api.conftest import JOB, PATH, Api, FakeClock

DEMO = "/v1/namespaces/demo"
FRESH = {
    "namespace": "demo",
    "max_concurrency": None,
    "status": {
        "paused": False,
        "paused_until": None,
        "pauses": [],
        "quota": None,
        "shadow": False,
        "revision": 0,
        "updated_at": None,
        "updated_by": None,
    },
}


def explained(api: Api, at: str) -> str:
    [item] = api.get(f"{PATH}/explain", query={"at": at}).body["items"]
    said: str = item["text"]
    return said


def test_a_namespace_need_not_be_created(api: Api) -> None:
    assert (api.get(DEMO).status, api.get(DEMO).body) == (200, FRESH)


def test_a_limit_can_be_set_removed_and_sent_back_as_answered(
    api: Api, lines: Callable[[], list[dict[str, Any]]]
) -> None:
    answer = api.put({"max_concurrency": 20}, DEMO)
    assert (answer.status, answer.body["max_concurrency"]) == (200, 20)
    assert answer.body["status"] == FRESH["status"] | {
        "revision": 1,
        "updated_at": "2026-11-20T12:00:30Z",
        "updated_by": "ada",
    }
    assert api.put(answer.body, DEMO).body == api.get(DEMO).body == answer.body
    assert api.put({}, DEMO).body["max_concurrency"] is None
    logged = [line for line in lines() if line["message"] == "save demo"]
    assert [(line["namespace"], line["revision"], line["token"]) for line in logged] == [
        ("demo", 1, "ada"),
        ("demo", 2, "ada"),
    ]


@pytest.mark.parametrize(
    ("body", "path", "message"),
    [
        ({"max_concurrency": 0}, "max_concurrency", "0"),
        ({"max_concurrency": 1001}, "max_concurrency", "1001"),
        ({"max_concurrency": "5"}, "max_concurrency", "must be a"),
        ({"max_concurrency": True}, "max_concurrency", "must be a"),
        ({"namespace": "other"}, "namespace", "the document says 'other', but the path says 'demo'"),
        ({"paused": True}, "paused", "unknown field"),
    ],
)
def test_an_invalid_setting_is_refused_with_its_path_and_a_hint(
    api: Api, body: dict[str, Any], path: str, message: str
) -> None:
    answer = api.put(body, DEMO)
    assert answer.status == 422
    assert message in answer.errors[path]["message"]
    assert answer.errors[path]["hint"]
    assert api.get(DEMO).body == FRESH


def test_every_error_of_a_namespace_is_reported_at_once(api: Api) -> None:
    answer = api.put({"max_concurrency": 0, "maximum": 3}, "/v1/namespaces/-demo")
    assert answer.errors.keys() == {"max_concurrency", "maximum", "namespace"}


def test_a_pause_and_a_resume_are_recorded_with_the_callers_token(api: Api, clock: FakeClock) -> None:
    paused = api.post(f"{DEMO}/pause").body["status"]
    assert (paused["paused"], paused["paused_until"]) == (True, None)
    clock.move(minutes=5)
    status = api.by(token="bob", role="operator").post(f"{DEMO}/resume").body["status"]
    assert (status["paused"], status["pauses"]) == (
        False,
        [{"from": "2026-11-20T12:00:30Z", "by": "ada", "to": "2026-11-20T12:05:30Z", "resumed_by": "bob"}],
    )
    assert api.post(f"{DEMO}/resume").body["status"] == status, "resuming again changes nothing"


def test_a_pause_may_have_an_end(api: Api, clock: FakeClock) -> None:
    status = api.post(f"{DEMO}/pause", body={"until": "2026-11-20T13:30:00Z"}).body["status"]
    assert (status["paused"], status["paused_until"], status["pauses"][0]["to"]) == (
        True,
        *["2026-11-20T13:30:00Z"] * 2,
    )
    clock.move(hours=1.5)
    ended = api.get(DEMO).body["status"]
    assert (ended["paused"], ended["paused_until"], ended["pauses"]) == (False, None, status["pauses"])


@pytest.mark.parametrize("until", ["2026-11-20T12:00:30Z", "soon", 5, None])
def test_an_end_that_is_not_in_the_future_is_refused(api: Api, until: object) -> None:
    answer = api.post(f"{DEMO}/pause", body={"until": until})
    assert (answer.status, list(answer.errors)) == (422, ["until"])
    assert api.get(DEMO).body == FRESH


def test_a_job_of_a_paused_namespace_has_no_next_run_and_says_why(api: Api) -> None:
    api.put()
    api.post(f"{DEMO}/pause")
    status = api.get().body["status"]
    assert (status["next_run_at"], status["idle_because"]) == (
        None,
        "the namespace demo is paused (by ada at 2026-11-20T12:00:30Z); resume the namespace to let its jobs run",
    )
    [item] = api.get(f"{DEMO}/jobs").body["items"]
    assert item["status"]["idle_because"] == status["idle_because"]
    coming = api.get(f"{PATH}/next").body
    assert (coming["items"], coming["idle_because"]) == ([], status["idle_because"])
    api.post(f"{PATH}/pause")
    assert "resume it to let it run" in api.get().body["status"]["idle_because"], "what the job itself says comes first"


def test_a_job_of_a_namespace_that_is_paused_until_an_instant_runs_after_it(api: Api) -> None:
    api.put()
    api.post(f"{DEMO}/pause", body={"until": "2026-11-20T14:00:00Z"})
    status = api.get().body["status"]
    assert status["next_run_at"] == "2026-11-20T14:00:00Z"
    assert status["idle_because"].startswith("the namespace demo is paused until 2026-11-20T14:00:00Z (by ada at ")
    [first, *_] = api.get(f"{PATH}/next").body["items"]
    assert first["at"] == "2026-11-20T14:00:00Z"


def test_a_skipped_run_is_explained_by_the_pause_that_skipped_it(
    api: Api, state: MemoryState, clock: FakeClock
) -> None:
    api.put()
    clock.move(hours=1)
    api.post(f"{DEMO}/pause")
    clock.move(minutes=90)
    instants = {"within": "2026-11-20T14:00:00Z", "just before": "2026-11-20T13:00:00Z"}
    for instant in instants.values():
        key = RunKey.scheduled(JobKey("demo", "heartbeat"), from_text(instant))
        state.runs[key] = Run(
            key=key,
            target="http",
            revision=1,
            claimed_at=clock(),
            finished_at=clock(),
            expires_at=from_text("2026-12-20T13:00:00Z"),
            state=RunState.SKIPPED,
            skip_reason=SkipReason.NAMESPACE_PAUSED,
        )
    on = "skipped: the namespace was paused from 2026-11-20T13:00:30Z on by ada"
    assert [explained(api, at) for at in instants.values()] == [on, on]
    api.by(token="bob").post(f"{DEMO}/resume")
    over = "skipped: the namespace was paused from 2026-11-20T13:00:30Z to 2026-11-20T14:30:30Z by ada; resumed by bob"
    assert [explained(api, at) for at in instants.values()] == [over, over]
    state.settings.clear()
    assert explained(api, instants["within"]) == (
        "skipped: the namespace was paused when the run was due to start, or at its scheduled instant"
    )


def test_a_future_occurrence_is_explained_with_the_namespaces_pause(api: Api) -> None:
    api.put(JOB)
    api.post(f"{DEMO}/pause", body={"until": "2026-11-20T14:00:00Z"})
    assert explained(api, "2026-11-20T13:00:00Z") == (
        "not yet due: a tick claims it from 2026-11-20T12:58:00Z on; it will be skipped unless the namespace (paused from "
        "2026-11-20T12:00:30Z to 2026-11-20T14:00:00Z by ada) is resumed first"
    )
    assert "skipped" not in explained(api, "2026-11-20T14:00:00Z")
