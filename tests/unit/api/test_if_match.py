"""Preconditions: `ETag` of answers, `If-Match` and `If-None-Match` of requests."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.domain.token import Role
from minutehand.entrypoints.api.route import Route
from minutehand.entrypoints.api.routes import ROUTES
from minutehand.usecases.ports.bundle import Ports
from tests.unit.api.conftest import JOB, PATH, Answer, Api, FakeClock

NAMESPACE = "/v1/namespaces/demo"
CALENDAR = f"{NAMESPACE}/calendars/quiet"
OTHER: dict[str, Any] = JOB | {"description": "other"}


def with_tag(tag: str) -> dict[str, str]:
    return {"If-Match": tag}


def put(api: Api, path: str, number: int, **headers: str) -> Answer:
    body: dict[str, Any] = {
        PATH: JOB | {"description": str(number)},
        CALENDAR: {"description": str(number)},
        NAMESPACE: {"max_concurrency": number},
    }[path]
    return api.put(body, path=path, headers=headers)


@pytest.fixture(params=[PATH, CALENDAR, NAMESPACE])
def path(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_an_answer_has_the_tag_of_the_stored_version(api: Api, path: str) -> None:
    first = put(api, path, 1).headers["etag"]
    assert first.startswith('"1')
    assert first.endswith('"')
    assert api.get(path).headers["etag"] == first
    assert put(api, path, 1).headers["etag"] == first, "nothing changed"
    assert put(api, path, 2).headers["etag"] not in ("", first)


def test_a_change_of_the_version_that_was_read_is_made(api: Api, path: str) -> None:
    tag = put(api, path, 1).headers["etag"]
    assert put(api, path, 2, **with_tag(tag)).status == 200
    assert put(api, path, 3, **with_tag(f'"x", {api.get(path).headers["etag"]}')).status == 200
    assert put(api, path, 4, **with_tag("*")).status == 200


def test_a_change_of_another_version_is_refused_and_the_answer_says_who_changed_it_when(
    api: Api, path: str, clock: FakeClock
) -> None:
    tag = put(api, path, 1).headers["etag"]
    clock.move(minutes=5)
    put(api.by(token="eve"), path, 2)
    answer = put(api, path, 3, **with_tag(tag))
    assert (answer.status, answer.body["type"].rpartition(":")[2]) == (412, "changed-meanwhile")
    assert "revision 2, which eve made at 2026-11-20T12:05:30Z" in answer.body["detail"]
    assert answer.headers["etag"] == api.get(path).headers["etag"]
    assert api.get(path).body["status"]["revision"] == 2
    assert put(api, path, 3, **with_tag(answer.headers["etag"])).status == 200


@pytest.mark.parametrize("headers", [{"If-Match": '"1"'}, {"If-Match": "*"}])
def test_a_version_that_must_exist_is_not_created(api: Api, path: str, headers: dict[str, str]) -> None:
    answer = put(api, path, 1, **headers)
    assert answer.status == 412
    assert "etag" not in answer.headers


def test_what_must_not_exist_is_only_created(api: Api, path: str) -> None:
    assert put(api, path, 1, **{"If-None-Match": "*"}).status in (200, 201)
    assert put(api, path, 2, **{"If-None-Match": "*"}).status == 412
    assert api.get(path).body["status"]["revision"] == 1


def test_a_weak_tag_matches_nothing(api: Api, path: str) -> None:
    tag = put(api, path, 1).headers["etag"]
    assert put(api, path, 2, **with_tag(f"W/{tag}")).status == 412


@pytest.mark.parametrize("text", ["1", "", '"1', '"1" "2"', "'1'", '"1",,"2"x', '"ü"', "* , *"])
def test_what_is_no_list_of_tags_is_refused(api: Api, path: str, text: str) -> None:
    put(api, path, 1)
    answer = put(api, path, 2, **with_tag(text))
    assert answer.status == 400
    assert "If-Match" in answer.errors
    assert api.get(path).body["status"]["revision"] == 1


def test_only_a_star_is_known_of_if_none_match(api: Api, path: str) -> None:
    assert put(api, path, 1, **{"If-None-Match": '"1"'}).status == 400


@pytest.mark.parametrize("ask", ["pause", "resume", "revisions/1/restore"])
def test_other_changes_of_a_job_honour_it_too(api: Api, ask: str) -> None:
    api.put()
    api.put(OTHER)
    assert api.post(f"{PATH}/{ask}", headers=with_tag('"1"')).status == 412
    answer = api.post(f"{PATH}/{ask}", headers=with_tag('"2"'))
    assert answer.status == 200
    assert answer.headers["etag"] == f'"{answer.body["status"]["revision"]}"'


@pytest.mark.parametrize("ask", ["pause", "resume"])
def test_other_changes_of_a_namespace_honour_it_too(api: Api, ask: str) -> None:
    put(api, NAMESPACE, 1)
    put(api, NAMESPACE, 2)
    assert api.post(f"{NAMESPACE}/{ask}", headers=with_tag('"1"')).status == 412
    assert api.post(f"{NAMESPACE}/{ask}", headers=with_tag('"2"')).status == 200


BACKFILL = {"from": "2026-11-20T00:00:00Z", "to": "2026-11-20T06:00:00Z"}


@pytest.mark.parametrize(
    ("ask", "body"),
    [
        ("trigger", None),
        ("backfills", BACKFILL),
        ("backfills", BACKFILL | {"dry_run": True}),
        ("purge", {}),
        ("redrive", {}),
    ],
)
def test_what_does_not_change_the_job_itself_honours_it_too(api: Api, state: MemoryState, ask: str, body: Any) -> None:
    api.put()
    api.put(OTHER)
    before = [*state.runs], [*state.audits]
    for headers in (with_tag('"1"'), {"If-None-Match": "*"}):
        assert api.post(f"{PATH}/{ask}", body=body, headers=headers).status == 412
    assert ([*state.runs], [*state.audits]) == before
    assert api.post(f"{PATH}/{ask}", body=body, headers=with_tag('"2"')).status in (200, 202)


def test_a_redrive_of_a_namespace_honours_it_too(api: Api) -> None:
    put(api, NAMESPACE, 1)
    assert api.post(f"{NAMESPACE}/redrive", headers=with_tag('"2"')).status == 412
    assert api.post(f"{NAMESPACE}/redrive", headers=with_tag('"1"')).status == 200


def test_a_token_has_a_tag_by_which_it_is_revoked(api: Api) -> None:
    made = api.post("/v1/tokens", body={"name": "ci", "role": "viewer", "namespaces": ["demo"]})
    path = f"/v1/tokens/{made.body['id']}"
    assert made.headers["etag"] == api.get(path).headers["etag"]
    assert api.send("DELETE", path, headers=with_tag('"x"')).status == 412
    assert api.send("DELETE", path, headers=with_tag(made.headers["etag"])).status == 204


@pytest.mark.parametrize("headers", [{"If-Match": '"1"'}, {"If-Match": "*"}, {"If-None-Match": "*"}])
@pytest.mark.parametrize(
    "route",
    [each for each in ROUTES if each.method != "GET" and not each.conditional],
    ids=lambda route: f"{route.method} {route.path}",
)
def test_a_change_of_what_has_no_tag_is_refused_with_a_precondition(
    api: Api, state: MemoryState, route: Route, headers: dict[str, str]
) -> None:
    api.put()
    before = repr((state.runs, state.backfills, state.services, state.audits))
    path = route.path.format(
        namespace="demo",
        name="heartbeat",
        run_id="20261120T120000Z",
        attempt=1,
        backfill_id="b",
        service="web",
        endpoint="a",
        pool="web",
        node="a",
    )
    asking = api.by(role="agent") if route.role is Role.AGENT else api
    answer = asking.send(route.method, path, {"name": "ci", "role": "viewer", "namespaces": ["demo"]}, headers=headers)
    assert answer.status == 412
    assert "has no ETag" in answer.body["detail"]
    assert repr((state.runs, state.backfills, state.services, state.audits)) == before


def test_the_number_of_a_revision_is_a_tag_of_its_own(api: Api, path: str) -> None:
    put(api, path, 1)
    put(api, path, 2)
    assert put(api, path, 3, **with_tag('"1"')).status == 412
    assert put(api, path, 3, **with_tag('"2"')).status == 200


@pytest.mark.parametrize("path", [PATH, CALENDAR])
def test_a_delete_honours_it_too(api: Api, path: str) -> None:
    first = put(api, path, 1).headers["etag"]
    second = put(api, path, 2).headers["etag"]
    assert api.send("DELETE", path, headers=with_tag(first)).status == 412
    assert api.send("DELETE", path, headers=with_tag(second)).status == 204
    assert api.send("DELETE", path, headers=with_tag(second)).status == 404


def test_a_deleted_job_is_created_only_where_none_may_exist(api: Api) -> None:
    api.put()
    api.delete()
    assert api.put(headers=with_tag('"2"')).status == 412, "the delete's revision is no version of a job"
    assert api.put(headers={"If-None-Match": "*"}).status == 201


def test_a_calendar_that_was_deleted_and_created_again_has_another_tag(api: Api, clock: FakeClock) -> None:
    first = put(api, CALENDAR, 1).headers["etag"]
    api.delete(CALENDAR)
    clock.move(seconds=1)
    assert put(api, CALENDAR, 1).headers["etag"] != first
    assert put(api, CALENDAR, 2, **with_tag(first)).status == 412


def test_a_dry_run_compares_too_and_has_no_tag(api: Api) -> None:
    api.put()
    dry = {"dry_run": "true"}
    assert api.put(OTHER, query=dry, headers=with_tag('"2"')).status == 412
    answer = api.put(OTHER, query=dry, headers=with_tag('"1"'))
    assert answer.status == 200
    assert "etag" not in answer.headers


def test_browsers_may_send_and_read_the_headers(api: Api) -> None:
    headers = api.get("/v1/health", headers={"Origin": "https://console.test"}).headers
    assert {"If-Match", "If-None-Match"} <= set(headers["access-control-allow-headers"].split(","))
    assert "ETag" in headers["access-control-expose-headers"]


def test_of_many_edits_at_once_with_one_tag_exactly_one_is_made(
    state: MemoryState, ports: Ports, api_over: Callable[[Ports], Api]
) -> None:
    api_over(ports).put()
    together, answers = threading.Barrier(8), list[int]()

    class Waiting:
        """The store of definitions, which lets all edits read before one writes."""

        def __init__(self) -> None:
            self._first = threading.local()

        def __getattr__(self, name: str) -> Any:
            if name == "get" and not getattr(self._first, "done", False):
                self._first.done = True
                found = ports.definitions.get
                return lambda keys: (found(keys), together.wait(10))[0]
            return getattr(ports.definitions, name)

    waiting: Any = Waiting()

    def edit(number: int) -> None:
        api = api_over(ports._replace(definitions=waiting))
        answers.append(api.put(JOB | {"description": str(number)}, headers=with_tag('"1"')).status)

    threads = [threading.Thread(target=edit, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [200, *[412] * 7]
    assert [past.number for past in next(iter(state.histories.values()))] == [1, 2]
