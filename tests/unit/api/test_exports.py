"""What people declared, exported from one stack and imported into another."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.domain.secret_prefixes import SecretPrefix
from minutehand.entrypoints.api.app import make_app
from minutehand.entrypoints.api.call import Deployment
from minutehand.entrypoints.api.endpoints import exports
from minutehand.entrypoints.api.forms.accept import Terms
from minutehand.targets.terms import TargetTerms
from minutehand.usecases.ports.bundle import Ports
from tests.support.memory_ports import memory_ports
from tests.unit.api.conftest import JOB, Answer, Api, FakeClock, known_tokens

SECRET = {
    "type": "http",
    "url": "https://example.com/",
    "headers": {"Authorization": "Bearer {{secret:ssm:/shop/key}}"},
}
JOBS = {
    "shop/every": {"schedule": "@every 7m"},
    "shop/anchored": {"schedule": "@every 100m", "start_at": "2026-11-19T00:03:00Z"},
    "shop/hashed": {"schedule": "H H * * *", "timezone": "Asia/Tokyo"},
    "shop/blocked": {"schedule": "0 9 * * *", "calendars": ["holidays"], "on_blocked": "next_day"},
    "shop/child": {"depends_on": [{"job": "shop/every"}, {"job": "lab/hourly", "on": "failure"}]},
    "shop/paused": {"schedule": "@daily", "paused": {"until": "2026-12-01T00:00:00Z"}},
    "shop/stopped": {"schedule": "@daily", "paused": True},
    "lab/hourly": {"schedule": "@hourly", "payload": {"days": [1, 2]}, "retry": {"max_attempts": 3}},
    "lab/limited": {"schedule": ["0 1 * * *", "0 2 * * *"], "limits": [{"name": "db", "max": 2}], "jitter": "10m"},
}


def path(job: str) -> str:
    return "/v1/namespaces/{}/jobs/{}".format(*job.split("/"))


@pytest.fixture
def full(api: Api) -> Api:
    """A stack with something of every kind."""
    api.put({"dates": ["2026-12-25"], "weekly": ["SAT,SUN"]}, "/v1/namespaces/shop/calendars/holidays")
    api.put({"max_concurrency": 7}, "/v1/namespaces/shop")
    api.post("/v1/namespaces/lab/pause", body={"until": "2026-11-22T00:00:00Z"})
    for name in sorted(JOBS, key=lambda name: "depends_on" in JOBS[name]):
        assert api.put({"target": JOB["target"], **JOBS[name]}, path(name)).status == 201
    return api


@pytest.fixture
def empty(clock: FakeClock, api_over: Callable[[Ports], Api]) -> Api:
    return api_over(memory_ports(MemoryState(), clock))


def exported(api: Api, limit: str = "100", **query: str | list[str]) -> list[dict[str, Any]]:
    items, cursor = [], None
    while True:
        answer = api.get("/v1/export", query={"limit": limit, **query} | ({"cursor": cursor} if cursor else {}))
        assert answer.status == 200, answer.body
        items += answer.body["items"]
        cursor = answer.body["next"]
        if cursor is None:
            return items


def imported(api: Api, items: list[dict[str, Any]]) -> Answer:
    return api.post("/v1/import", body={"items": items})


def results(answer: Answer) -> set[str]:
    assert answer.status == 200, answer.body
    return {each["result"] for each in answer.body["items"]}


def test_an_import_into_an_empty_stack_has_the_same_jobs_with_the_same_next_runs(full: Api, empty: Api) -> None:
    items = exported(full)
    assert len(items) == len(JOBS) + 3
    assert results(imported(empty, items)) == {"created"}
    assert exported(empty) == items
    for name in JOBS:
        assert empty.get(f"{path(name)}/next").body == full.get(f"{path(name)}/next").body
        for api in (full, empty):
            assert api.get(path(name)).status == 200
    assert empty.get("/v1/namespaces/lab").body["status"]["paused_until"] == "2026-11-22T00:00:00Z"
    assert empty.get("/v1/namespaces/shop").body["max_concurrency"] == 7


def test_an_import_puts_a_namespace_in_shadow_and_never_takes_one_out(full: Api, empty: Api) -> None:
    without = exported(full)
    full.post("/v1/namespaces/shop/shadow", body={"shadow": True})
    imported(empty, exported(full))
    assert empty.get("/v1/namespaces/shop").body["status"]["shadow"] is True
    imported(empty, without)
    assert empty.get("/v1/namespaces/shop").body["status"]["shadow"] is True


def test_an_import_keeps_a_job_in_shadow_unless_its_document_ends_that(api: Api) -> None:
    place = {"namespace": "shop", "name": "j"}
    api.put(JOB | {"shadow": True}, path("shop/j"))
    one = {"kind": "job", "document": place | JOB | {"description": "new"}}
    [item] = imported(api, [one]).body["items"]
    assert (api.get(path("shop/j")).body["shadow"], [each["path"] for each in item["warnings"]]) == (True, ["shadow"])
    one["document"] |= {"shadow": False}
    imported(api, [one])
    assert api.get(path("shop/j")).body["shadow"] is False


def test_an_import_may_be_repeated(full: Api, empty: Api) -> None:
    items = exported(full)
    imported(empty, items)
    assert results(imported(empty, items)) == {"unchanged"}
    assert results(imported(full, items)) == {"unchanged"}


def test_an_import_in_any_order_saves_what_others_need_first(full: Api, empty: Api) -> None:
    assert results(imported(empty, exported(full)[::-1])) == {"created"}


def test_two_imports_at_once_leave_each_job_whole(full: Api, empty: Api) -> None:
    items, answers = exported(full), []
    both = [threading.Thread(target=lambda: answers.append(imported(empty, items))) for _ in range(2)]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert set().union(*map(results, answers)) <= {"created", "updated", "unchanged"}
    assert exported(empty) == items
    assert all(empty.get(path(name)).body["status"]["revision"] == 1 for name in JOBS)


@pytest.mark.parametrize("limit", ["1", "2", "5"])
def test_pages_together_have_everything_once(full: Api, limit: str) -> None:
    assert exported(full, limit) == exported(full)


def test_pages_end_before_they_become_too_large(full: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = exported(full)
    monkeypatch.setattr(exports, "MOST_BYTES", 2500)
    assert len(full.get("/v1/export", query={"limit": "100"}).body["items"]) < len(whole)
    assert exported(full) == whole


def test_a_namespace_can_be_exported_alone(full: Api) -> None:
    items = exported(full, namespace="lab")
    assert {each["document"]["namespace"] for each in items} == {"lab"}
    assert [each["kind"] for each in items] == ["namespace", "job", "job"]


def test_deleted_jobs_and_ended_pauses_are_not_exported(full: Api, clock: FakeClock) -> None:
    full.delete(path("lab/limited"))
    clock.move(days=30)
    documents = {each["document"].get("name"): each["document"] for each in exported(full)}
    assert "limited" not in documents
    assert documents["paused"]["paused"] is False


def test_a_pause_that_has_ended_since_the_export_is_not_imported(full: Api, empty: Api, clock: FakeClock) -> None:
    items = exported(full)
    clock.move(days=30)
    assert results(imported(empty, items)) == {"created", "unchanged"}  # the namespace of the pause has no settings
    assert empty.get(path("shop/paused")).body["paused"] is False
    assert empty.get(path("shop/stopped")).body["paused"] is True
    assert empty.get("/v1/namespaces/lab").body["status"]["paused"] is False


def test_a_job_that_has_no_run_any_more_is_left_out(api: Api, empty: Api, clock: FakeClock) -> None:
    api.put({"target": JOB["target"], "schedule": "at(2026-11-21T00:00:00)"}, path("shop/once"))
    api.put({"target": JOB["target"], "schedule": "@daily"}, path("shop/daily"))
    items = exported(api)
    clock.move(days=2)
    answer = imported(empty, items)
    assert [each["result"] for each in answer.body["items"]] == ["created", "over"]
    assert "no occurrence" in answer.body["items"][1]["problem"]["detail"]
    assert answer.body["refused"] == 0


def test_secrets_are_exported_by_reference(ports: Ports) -> None:
    terms = Terms(targets=TargetTerms(secret_prefixes=(SecretPrefix("shop", "ssm:/shop/"),)))
    api = Api(app=make_app(Deployment(tokens_of=known_tokens, ports_of=lambda: ports, terms=terms)))
    saved = api.put({"target": SECRET, "schedule": "@daily"}, path("shop/keyed"))
    assert saved.status == 201, saved.body
    [item] = exported(api)
    assert item["document"]["target"]["headers"] == SECRET["headers"]


def test_what_is_refused_keeps_nothing_else_from_being_saved(full: Api, empty: Api) -> None:
    items = exported(full)
    for item in items:
        if item["document"].get("name") == "hourly":
            item["document"]["timeout"] = "soon"
    answer = imported(empty, items)
    refused = {each["name"]: each["problem"] for each in answer.body["items"] if each["result"] == "refused"}
    assert refused.keys() == {"hourly", "child"}
    assert refused["hourly"]["errors"][0]["pointer"] == "/timeout"


@pytest.mark.parametrize(
    ("kind", "document", "pointer"),
    [
        ("namespace", {"namespace": "a", "max_concurrency": 0}, "/max_concurrency"),
        ("namespace", {"namespace": "a", "paused": "yes"}, "/paused"),
        ("namespace", {"namespace": "a", "shadow": "yes"}, "/shadow"),
        ("namespace", {"namespace": "a", "paused": {"til": 1}}, "/paused/til"),
        ("calendar", {"namespace": "a", "name": "c", "dates": ["x"]}, "/dates/0"),
        ("job", {"namespace": "a", "name": "j", "schedule": "@daily"}, "/target"),
    ],
)
def test_a_wrong_document_is_refused_with_every_wrong_field(
    api: Api, state: MemoryState, kind: str, document: dict[str, Any], pointer: str
) -> None:
    [item] = imported(api, [{"kind": kind, "document": document}]).body["items"]
    assert (item["kind"], item["namespace"], item["result"]) == (kind, "a", "refused")
    assert pointer in {error["pointer"] for error in item["problem"]["errors"]}
    assert not [*state.definitions, *state.calendars, *state.settings]


def test_a_request_of_another_form_is_refused_whole(api: Api) -> None:
    assert imported(api, [{"kind": "token", "document": {}}]).status == 422
    assert api.get("/v1/export", query={"cursor": "x"}).status == 400
    assert api.get("/v1/export", query={"namespace": "UPPER"}).status == 400


def test_a_token_exports_and_imports_its_own_namespaces_alone(full: Api, empty: Api) -> None:
    items = exported(full)
    theirs = full.by(token="eve", role="viewer", namespaces="lab")
    assert {each["document"]["namespace"] for each in exported(theirs)} == {"lab"}
    assert theirs.get("/v1/export", query={"namespace": "shop"}).status == 403
    assert imported(theirs, items).status == 403
    answer = imported(empty.by(token="ci", namespaces="lab"), items)
    done = {(each["namespace"], each["result"]) for each in answer.body["items"]}
    assert done == {("lab", "created"), ("shop", "refused")}
