"""Saving, showing, pausing, resuming and deleting jobs over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.domain.job import HttpTarget, Job, JobKey
from minutehand.domain.timer import BrokenTimer, Timer
from minutehand.entrypoints.api.app import make_app
from minutehand.entrypoints.api.forms.accept import Terms
from minutehand.usecases.definitions import manage
from minutehand.usecases.ports.world import World
from tests.unit.api.conftest import JOB, PATH, Answer, Api, FakeClock

HEARTBEAT = JobKey(namespace="demo", name="heartbeat")
FULL = {
    "namespace": "demo",
    "name": "heartbeat",
    "description": "Says that we live.\nEvery hour.",
    "owner": "ops@example.com",
    "labels": {"team": "a", "tier": "1"},
    "schedule": "30 9 * * MON-FRI",
    "timezone": "Europe/Paris",
    "dialect": "vixie",
    "calendars": ["holidays", "inventory"],
    "on_blocked": "next_day",
    "start_at": "2026-11-21T00:00:00Z",
    "end_at": "2027-11-21T00:00:00Z",
    "max_runs": 12,
    "jitter": "1m30s",
    "depends_on": [{"job": "demo/extract", "on": "success"}, {"job": "other/load", "on": "end"}],
    "join": "any",
    "join_window": "1d",
    "paused": False,
    "target": {
        "type": "http",
        "method": "PUT",
        "url": "https://example.com:8443/hook?x=1#y",
        "headers": {"X-A": "b", "Content-Type": "text/plain"},
        "mode": "callback",
        "heartbeat": "30s",
    },
    "payload": {"a": [1, 2.5, None, True, "ü"]},
    "misfire_grace": "90s",
    "catch_up": "all",
    "catchup_window": "2d",
    "max_catch_up": 150,
    "overlap": "replace",
    "max_concurrency": 3,
    "timeout": "2h",
    "run_timeout": "1d",
    "retry": {
        "max_attempts": 5,
        "backoff": {"initial": "1m", "factor": 1.5, "max": "1h", "jitter": 0},
        "retry_on": ["5xx", "429", "timed_out", "ConnectionRefused"],
        "give_up_on": ["501"],
    },
    "takeovers": 0,
    "retention": "7d",
    "retention_count": 100,
    "record_units": True,
}


def put_full(api: Api) -> Answer:
    """Save the calendars and the parents that `FULL` names, and the job."""
    for name in ("demo/jobs/extract", "other/jobs/load"):
        api.put(path=f"/v1/namespaces/{name}")
    for name in FULL["calendars"]:
        api.put({}, path=f"/v1/namespaces/demo/calendars/{name}")
    return api.put(FULL)


def test_a_new_job_is_answered_with_201_and_every_field_filled_in(api: Api) -> None:
    answer = api.put()
    assert answer.status == 201
    assert answer.headers["content-type"] == "application/json"
    assert answer.body == {
        "namespace": "demo",
        "name": "heartbeat",
        "description": "",
        "owner": "",
        "labels": {},
        "schedule": "0 * * * *",
        "timezone": "UTC",
        "dialect": None,
        "calendars": [],
        "on_blocked": "skip",
        "start_at": None,
        "end_at": None,
        "max_runs": None,
        "jitter": None,
        "depends_on": [],
        "join": "all",
        "join_window": None,
        "paused": False,
        "target": {
            "type": "http",
            "method": "POST",
            "url": "https://example.com/hook",
            "headers": {},
            "mode": "auto",
            "heartbeat": None,
        },
        "payload": None,
        "misfire_grace": "5m",
        "catch_up": "latest",
        "catchup_window": "1d",
        "max_catch_up": 100,
        "overlap": "allow",
        "max_concurrency": None,
        "timeout": "1m",
        "run_timeout": None,
        "retry": {
            "max_attempts": 1,
            "backoff": {"initial": "10s", "factor": 2, "max": "15m", "jitter": 0.1},
            "retry_on": [],
            "give_up_on": [],
        },
        "takeovers": 2,
        "retention": "30d",
        "retention_count": None,
        "record_units": False,
        "status": {
            "revision": 1,
            "updated_at": "2026-11-20T12:00:30Z",
            "updated_by": "ada",
            "next_run_at": "2026-11-20T13:00:00Z",
            "idle_because": None,
            "runs_left": None,
            "children": [],
            "deleted_parents": [],
            "description": "Every hour",
            "timezone": "UTC",
            "dialect": "vixie",
        },
        "warnings": [],
    }


def test_every_field_that_is_sent_is_answered_as_sent(api: Api) -> None:
    answer = put_full(api)
    assert answer.status == 201
    said = {name: value for name, value in answer.body.items() if name not in ("status", "warnings")}
    assert said == FULL | {"misfire_grace": "1m30s"}
    assert answer.body["status"]["next_run_at"] == "2026-11-23T08:30:00Z"


def test_the_defaults_of_the_form_are_those_of_a_job(api: Api, world: World) -> None:
    api.put()
    stored = manage.get(world, HEARTBEAT).job
    target = HttpTarget(method="POST", url="https://example.com/hook")
    assert stored == Job(key=HEARTBEAT, schedule="0 * * * *", target=target)


def test_a_job_of_parents_needs_no_schedule_and_parents_without_a_namespace_are_in_its_own(api: Api) -> None:
    api.put(path="/v1/namespaces/demo/jobs/extract")
    job = api.put({"target": JOB["target"], "depends_on": [{"job": "extract"}]}).body
    assert job["schedule"] == "@manual"
    assert job["depends_on"] == [{"job": "demo/extract", "on": "success"}]


def test_what_a_deployment_keeps_for_too_short_a_time_does_not_go_with_a_longer_run(world: World) -> None:
    short = Api(app=make_app(lambda: world, terms=Terms(retention=timedelta(days=3))))
    [error] = short.put(JOB | {"run_timeout": "5d"}).body["errors"]
    assert error["path"] == "retention"
    assert "3d is shorter than run_timeout, which is 5d" in error["message"]
    assert short.put(JOB | {"run_timeout": "5d", "retention": "5d"}).status == 201


def test_what_get_answers_can_be_put_back_and_changes_nothing(api: Api) -> None:
    put_full(api)
    shown = api.get().body
    again = api.put(shown)
    assert again.status == 200
    assert again.body == shown | {"warnings": []}


def test_the_order_of_labels_and_headers_is_no_change(api: Api) -> None:
    put_full(api)
    turned = FULL | {"labels": dict(reversed(FULL["labels"].items()))}
    turned["target"] = FULL["target"] | {"headers": dict(reversed(FULL["target"]["headers"].items()))}
    assert api.put(turned).body["status"]["revision"] == 1


def test_a_changed_job_gets_the_next_revision_and_the_name_of_who_changed_it(api: Api) -> None:
    api.put()
    answer = api.by(token="eve").put(JOB | {"schedule": "5 * * * *"})
    assert answer.status == 200
    assert answer.body["status"]["revision"] == 2
    assert answer.body["status"]["updated_by"] == "eve"
    assert answer.body["status"]["next_run_at"] == "2026-11-20T12:05:00Z"


def test_a_dry_run_answers_what_would_be_saved_and_saves_nothing(api: Api, state: MemoryState) -> None:
    answer = api.put(query={"dry_run": "true"})
    assert answer.status == 200
    assert answer.body["status"]["revision"] == 1
    assert answer.body["status"]["next_run_at"] == "2026-11-20T13:00:00Z"
    assert not state.definitions
    assert not state.timers
    assert api.get().status == 404


def test_a_dry_run_of_a_bad_job_is_refused_as_saving_it_would_be(api: Api) -> None:
    assert api.put({}, query={"dry_run": "true"}).errors.keys() == {"schedule", "target"}


def test_dry_run_false_saves(api: Api) -> None:
    assert api.put(query={"dry_run": "false"}).status == 201
    assert api.get().status == 200


def test_a_job_due_within_the_look_ahead_is_dispatched_when_it_is_saved(api: Api, state: MemoryState) -> None:
    api.put(JOB | {"schedule": "* * * * *"})
    assert [message.run.run_id for message in state.messages] == ["20261120T120100Z", "20261120T120200Z"]


def test_a_paused_job_says_that_it_is_paused_and_by_whom(api: Api) -> None:
    api.put()
    answer = api.by(token="olga", role="operator").post(f"{PATH}/pause")
    assert answer.status == 200
    assert answer.body["paused"] is True
    assert answer.body["status"]["next_run_at"] is None
    assert "paused (last changed by olga" in answer.body["status"]["idle_because"]
    assert api.get().body == answer.body


def test_pausing_a_paused_job_changes_nothing(api: Api) -> None:
    api.put()
    first = api.post(f"{PATH}/pause")
    assert api.post(f"{PATH}/pause", body="{}").body == first.body


def test_a_resumed_job_has_a_next_run_again(api: Api) -> None:
    api.put(JOB | {"paused": True})
    answer = api.post(f"{PATH}/resume")
    assert answer.status == 200
    assert answer.body["paused"] is False
    assert answer.body["status"]["next_run_at"] == "2026-11-20T13:00:00Z"


def test_a_job_saved_without_paused_stays_paused(api: Api) -> None:
    api.put(JOB | {"paused": True})
    assert api.put(JOB | {"description": "new"}).body["paused"] is True


def test_a_job_saved_with_paused_false_runs_again(api: Api) -> None:
    api.put(JOB | {"paused": True})
    assert api.put(JOB | {"paused": False}).body["paused"] is False


def test_a_job_may_be_paused_until_an_instant(api: Api, clock: FakeClock) -> None:
    api.put()
    answer = api.by(token="olga", role="operator").post(f"{PATH}/pause", body={"until": "2026-11-20T15:30:00+01:00"})
    assert answer.status == 200
    assert answer.body["paused"] == {"until": "2026-11-20T14:30:00Z"}
    assert answer.body["status"]["next_run_at"] == "2026-11-20T15:00:00Z"
    assert answer.body["status"]["idle_because"].startswith("paused until 2026-11-20T14:30:00Z (last changed by olga")
    ahead = api.get(f"{PATH}/next").body
    assert ahead["items"][0]["at"] == "2026-11-20T15:00:00Z"
    assert ahead["idle_because"] == answer.body["status"]["idle_because"]
    assert api.put(JOB | {"description": "new"}).body["paused"] == answer.body["paused"], "left out, it stays"
    clock.move(hours=3)
    shown = api.get().body
    assert (shown["paused"], shown["status"]["idle_because"]) == (False, None)
    assert api.put(shown).body["status"]["revision"] == 3, "put back, it is the same"
    assert api.post(f"{PATH}/resume").body["status"]["revision"] == 3


def test_a_job_that_is_paused_until_an_instant_can_be_saved_so_and_resumed_before(api: Api) -> None:
    saved = api.put(JOB | {"paused": {"until": "2026-11-21T00:00:00Z"}})
    assert saved.body["status"]["next_run_at"] == "2026-11-21T00:00:00Z"
    [item] = api.get(PATH.rpartition("/")[0]).body["items"]
    assert item["paused"] == {"until": "2026-11-21T00:00:00Z"}
    resumed = api.post(f"{PATH}/resume").body
    assert (resumed["paused"], resumed["status"]["next_run_at"]) == (False, "2026-11-20T13:00:00Z")


@pytest.mark.parametrize(
    ("body", "path", "message"),
    [
        ({"until": "2026-11-20T12:00:30Z"}, "until", "is not ahead: it is 2026-11-20T12:00:30Z"),
        ({"until": "tomorrow"}, "until", "'tomorrow' is not an instant"),
        ({"until": None}, "until", "must be text, not null"),
        ({"untl": "2026-12-01T00:00:00Z"}, "untl", "there is no such field"),
    ],
)
def test_a_pause_until_what_is_no_instant_ahead_is_422_and_pauses_nothing(
    api: Api, body: dict[str, Any], path: str, message: str
) -> None:
    api.put()
    answer = api.post(f"{PATH}/pause", body=body)
    assert answer.status == 422
    assert message in answer.errors[path]["message"]
    assert api.get().body["paused"] is False


def test_a_body_that_is_no_object_is_400(api: Api) -> None:
    api.put()
    assert api.post(f"{PATH}/pause", body="[]").status == 400


def test_a_parent_in_another_namespace_takes_a_token_that_may_read_there(api: Api) -> None:
    for name in ("demo/jobs/extract", "other/jobs/load"):
        api.put(path=f"/v1/namespaces/{name}")
    child = JOB | {"depends_on": [{"job": "extract"}, {"job": "other/load"}]}
    refused = api.by(namespaces="demo").put(child)
    assert refused.status == 403
    assert "this needs viewer in 'other'" in refused.body["detail"]
    assert api.by(namespaces="demo,other").put(child).status == 201


def test_a_deleted_job_is_gone(api: Api) -> None:
    api.put()
    answer = api.delete()
    assert (answer.status, answer.body) == (204, None)
    assert api.get().status == 404
    assert api.delete().status == 404
    assert api.get("/v1/namespaces/demo/jobs").body == {"items": [], "next": None}


def test_a_job_made_again_after_a_delete_goes_on_counting_revisions(api: Api) -> None:
    api.put()
    api.delete()
    answer = api.put()
    assert answer.status == 201
    assert answer.body["status"]["revision"] == 3


def test_what_is_done_to_a_job_that_does_not_exist_is_404_with_its_name(api: Api) -> None:
    answers = [api.get(), api.delete(), *(api.post(f"{PATH}/{verb}") for verb in ("pause", "resume", "trigger"))]
    assert {answer.status for answer in answers} == {404}
    assert {answer.body["detail"] for answer in answers} == {"there is no job demo/heartbeat"}


def test_a_list_shows_a_namespaces_jobs_by_name_page_by_page(api: Api) -> None:
    for name in ("b", "a", "c"):
        api.put(path=f"/v1/namespaces/demo/jobs/{name}")
    api.put(path="/v1/namespaces/other/jobs/z")
    first = api.get("/v1/namespaces/demo/jobs", query={"limit": "2"})
    assert first.status == 200
    assert [item["name"] for item in first.body["items"]] == ["a", "b"]
    rest = api.get("/v1/namespaces/demo/jobs", query={"limit": "2", "cursor": first.body["next"]})
    assert [item["name"] for item in rest.body["items"]] == ["c"]
    assert rest.body["next"] is None


def test_a_summary_tells_what_a_list_needs_and_no_payload(api: Api) -> None:
    put_full(api)
    whole = api.get().body
    _, item = api.get("/v1/namespaces/demo/jobs").body["items"]
    shared = ("namespace", "name", "description", "owner", "labels", "schedule", "timezone", "paused", "status")
    described = whole["status"].keys() - item["status"].keys()
    assert described == {"description", "timezone", "dialect", "children", "deleted_parents"}
    whole["status"] = {name: value for name, value in whole["status"].items() if name not in described}
    assert item == {name: whole[name] for name in shared} | {"target_type": "http"}


def test_a_namespace_without_jobs_is_an_empty_list(api: Api) -> None:
    assert api.get("/v1/namespaces/nowhere/jobs").body == {"items": [], "next": None}


def test_a_job_whose_timer_cannot_be_read_says_so(api: Api, state: MemoryState) -> None:
    api.put()
    timer = state.timers[HEARTBEAT]
    assert isinstance(timer, Timer)
    assert timer.next_at is not None
    state.timers[HEARTBEAT] = BrokenTimer(job=HEARTBEAT, revision=1, next_at=timer.next_at, problem="garbled")
    status = api.get().body["status"]
    assert status["next_run_at"] is None
    assert "its timer cannot be read (garbled)" in status["idle_because"]


def test_one_schedule_that_cannot_be_read_does_not_hide_the_other_jobs_of_a_list(api: Api, state: MemoryState) -> None:
    api.put()
    api.put(path="/v1/namespaces/demo/jobs/other")
    broken = state.definitions[HEARTBEAT]
    revision = broken.revisions[-1]._replace(schedule="garbled")
    state.definitions[HEARTBEAT] = replace(broken, revisions=(revision,))
    items = api.get("/v1/namespaces/demo/jobs").body["items"]
    assert "its schedule cannot be read" in items[0]["status"]["idle_because"]
    assert items[1]["status"]["idle_because"] is None


def test_a_local_stack_may_call_itself(world: World) -> None:
    local = Api(app=make_app(lambda: world, terms=Terms(allow_loopback=True)))
    target = {"type": "http", "url": "http://127.0.0.1:8080/echo"}
    assert local.put(JOB | {"target": target}).status == 201


def test_each_change_is_logged_with_who_and_what_and_nothing_else_is(
    api: Api, clock: FakeClock, lines: Callable[[], list[dict[str, Any]]]
) -> None:
    api.put()
    api.put()
    api.get()
    api.post(f"{PATH}/pause")
    api.post(f"{PATH}/pause")
    api.post(f"{PATH}/resume")
    api.post(f"{PATH}/trigger", headers={"Idempotency-Key": "k"})
    clock.move(seconds=1)
    api.post(f"{PATH}/trigger", headers={"Idempotency-Key": "k"})
    api.delete()
    logged = lines()
    assert [line["action"] for line in logged] == ["save", "pause", "resume", "trigger", "delete"]
    assert {(line["token"], line["job"], line["request_id"]) for line in logged} == {("ada", "demo/heartbeat", "req-1")}
    assert "example.com" not in str(logged)


def test_a_job_that_says_nothing_of_retention_gets_the_deployments(world: World) -> None:
    brief = Api(app=make_app(lambda: world, terms=Terms(retention=timedelta(days=7))))
    assert brief.put().body["retention"] == "7d"
    assert brief.put(JOB | {"retention": "90d"}).body["retention"] == "90d"
