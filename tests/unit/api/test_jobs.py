"""Saving, showing, listing and deleting jobs over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from minutehand.adapters.memory import MemoryState
from minutehand.domain.timer import BrokenTimer, Timer
from minutehand.entrypoints.api.app import make_app
from minutehand.entrypoints.api.call import Deployment
from minutehand.entrypoints.api.forms.accept import Terms
from minutehand.targets.terms import TargetTerms
from minutehand.usecases.ports.bundle import Ports
from tests.unit.api.conftest import HEARTBEAT, JOB, PATH, Api, FakeClock, known_tokens


def test_a_changed_job_gets_the_next_revision_and_the_callers_name(api: Api) -> None:
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


def test_a_dry_run_of_an_invalid_job_is_refused(api: Api) -> None:
    assert api.put({}, query={"dry_run": "true"}).errors.keys() == {"schedule", "target"}


def test_dry_run_false_saves(api: Api) -> None:
    assert api.put(query={"dry_run": "false"}).status == 201
    assert api.get().status == 200


def test_a_job_due_within_the_look_ahead_is_dispatched_when_it_is_saved(api: Api, state: MemoryState) -> None:
    api.put(JOB | {"schedule": "* * * * *"})
    assert [message.run.run_id for message in state.messages] == ["20261120T120100Z", "20261120T120200Z"]


def test_a_parent_in_another_namespace_needs_a_token_that_may_read_there(api: Api) -> None:
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


def test_a_deleted_job_is_404_with_who_deleted_it_and_how_to_read_its_past(api: Api) -> None:
    api.put()
    api.by(token="bob").delete()
    for answer in (api.get(), api.get(f"{PATH}/next"), api.post(f"{PATH}/pause")):
        assert answer.status == 404
        assert answer.body["detail"] == (
            "there is no job demo/heartbeat: bob deleted it at 2026-11-20T12:00:30Z, and `explain` still shows its past"
        )


def test_a_job_created_again_after_a_delete_continues_its_revisions(api: Api) -> None:
    api.put()
    api.delete()
    answer = api.put()
    assert answer.status == 201
    assert answer.body["status"]["revision"] == 3


def test_every_operation_on_an_unknown_job_is_404_with_its_name(api: Api) -> None:
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


def test_a_namespace_without_jobs_is_an_empty_list(api: Api) -> None:
    assert api.get("/v1/namespaces/nowhere/jobs").body == {"items": [], "next": None}


def test_an_unreadable_timer_is_reported_by_its_job(api: Api, state: MemoryState) -> None:
    api.put()
    timer = state.timers[HEARTBEAT]
    assert isinstance(timer, Timer)
    assert timer.next_at is not None
    state.timers[HEARTBEAT] = BrokenTimer(job=HEARTBEAT, revision=1, next_at=timer.next_at, problem="garbled")
    status = api.get().body["status"]
    assert status["next_run_at"] is None
    assert "its timer cannot be read (garbled)" in status["idle_because"]


def test_an_unreadable_schedule_does_not_hide_the_other_jobs_of_a_list(api: Api, state: MemoryState) -> None:
    api.put()
    api.put(path="/v1/namespaces/demo/jobs/other")
    broken = state.definitions[HEARTBEAT]
    revision = broken.revisions[-1]._replace(rule="garbled")
    state.definitions[HEARTBEAT] = replace(broken, revisions=(revision,))
    items = api.get("/v1/namespaces/demo/jobs").body["items"]
    assert "its schedule cannot be read" in items[0]["status"]["idle_because"]
    assert items[1]["status"]["idle_because"] is None


def test_a_deployment_may_allow_loopback_targets(ports: Ports) -> None:
    local = Api(
        app=make_app(
            Deployment(
                tokens_of=known_tokens, ports_of=lambda: ports, terms=Terms(targets=TargetTerms(allow_loopback=True))
            )
        )
    )
    target = {"type": "http", "url": "http://127.0.0.1:8080/echo"}
    assert local.put(JOB | {"target": target}).status == 201


def test_only_changes_are_logged_each_with_the_token_and_the_job(
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
