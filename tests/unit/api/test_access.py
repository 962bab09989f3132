"""Who may do what."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryState, MemoryTokens
from minutehand.domain.throttle import Throttle
from minutehand.domain.token import Role, Token, digest_of
from minutehand.entrypoints.api.app import make_app
from minutehand.entrypoints.api.call import Deployment
from minutehand.entrypoints.api.callers import throttle_of
from minutehand.entrypoints.api.route import Route
from minutehand.entrypoints.api.routes import ROUTES, served_by
from minutehand.entrypoints.settings import Settings
from minutehand.usecases.ports.bundle import Ports
from tests.unit.api.conftest import JOB, NOON, PATH, Answer, Api, FakeClock

pytestmark = pytest.mark.thorough

GUARDED = [route for route in ROUTES if route.role]
NAMES = [f"{route.method} {route.path}" for route in GUARDED]
RANKS = ["viewer", "operator", "admin"]
"""The roles of people, each of which may do what the ones before it may."""


def _path(route: Route) -> str:
    names = {"namespace": "demo", "name": "heartbeat", "service": "reports", "endpoint": "web-1"}
    names |= {"pool": "web", "node": "web-1"}
    ids = {"run_id": "20261120T120000Z", "backfill_id": "abc", "token_id": "t-4k2m7xq5ab", "revision": "1"}
    return route.path.format(**names, **ids)


def _named(route: Route) -> str:
    """How the API names the namespaces that a route needs."""
    of_one = "{namespace}" in route.path and not route.everywhere
    return "any namespace" if route.somewhere else "'demo'" if of_one else "every namespace"


def _needed(route: Route) -> str:
    """How the API names the role that a route needs."""
    assert route.role
    return f"{route.role.value} or agent" if route.agents else route.role.value


def _may(role: Role, namespaces: str, route: Route) -> bool:
    """Whether a token may use a route, reckoned apart from the application."""
    assert route.role
    if route.role is Role.AGENT:
        high_enough = role is Role.AGENT
    else:
        high_enough = role.value in RANKS and RANKS.index(role.value) >= RANKS.index(route.role.value)
    of_one = "{namespace}" in route.path and not route.everywhere
    within = "*" in namespaces.split(",") or (of_one and "demo" in namespaces.split(","))
    return (high_enough or (route.agents and role.value == "agent")) and (within or route.somewhere)


def test_health_needs_no_token_and_reads_no_table() -> None:
    def no_world() -> Any:
        raise AssertionError("health must not need a world")

    answer = Api(app=make_app(Deployment(tokens_of=no_world, ports_of=no_world)), authorized=False).get("/v1/health")
    assert (answer.status, answer.body) == (200, {"status": "ok", "version": "0.1.0"})


def test_only_health_callbacks_and_the_description_need_no_token() -> None:
    open_to_all = [route.path for route in ROUTES if route.role is None]
    of_anyone = [path for path in open_to_all if not path.startswith("/v1/callbacks/")]
    assert of_anyone == ["/v1/health", "/v1/openapi.json", "/docs", "/docs/{asset}"]


def test_only_what_services_need_to_register_themselves_and_their_own_token_is_open_to_agents() -> None:
    open_to_agents = [(route.method, route.path.rpartition("}/")[2]) for route in ROUTES if route.agents]
    assert open_to_agents == [
        ("GET", "endpoints"),
        ("PUT", "endpoints/{endpoint}"),
        ("DELETE", "endpoints/{endpoint}"),
        ("GET", "/v1/token"),
    ]


def test_only_agents_may_use_the_routes_of_agents_which_have_a_function_of_their_own() -> None:
    of_agents = [(route.method, route.path.rpartition("{node}")[2]) for route in ROUTES if route.role is Role.AGENT]
    assert of_agents == [
        ("PUT", ""),
        ("DELETE", ""),
        ("POST", "/credentials"),
        ("POST", "/starts"),
        ("POST", "/beats"),
        ("POST", "/reports"),
        ("POST", "/uploads"),
    ]
    assert all((route.function == "Agents") is (route.role is Role.AGENT) for route in ROUTES)


def test_only_routes_of_tokens_across_namespaces_and_of_schedules_are_open_to_tokens_of_any_namespace() -> None:
    somewhere = {route.path.removesuffix("/{token_id}") for route in ROUTES if route.somewhere}
    across = {"/v1/namespaces", "/v1/jobs", "/v1/runs", "/v1/export", "/v1/import"}
    schedules = {f"/v1/schedules/{what}" for what in ("describe", "preview", "diff")}
    assert somewhere == {"/v1/token", "/v1/tokens"} | across | schedules


def test_only_the_operator_of_the_deployment_sets_quotas() -> None:
    everywhere = [(route.method, route.path.rpartition("/")[2], route.role) for route in ROUTES if route.everywhere]
    assert everywhere == [("PUT", "quota", Role.ADMIN), ("DELETE", "quota", Role.ADMIN)]


@pytest.mark.parametrize("route", GUARDED, ids=NAMES)
def test_every_other_route_needs_a_token(api: Api, route: Route) -> None:
    answer = api.by(authorized=False).send(route.method, _path(route), JOB)
    assert answer.status == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert "Authorization: Bearer" in answer.body["detail"]


@pytest.mark.parametrize("namespaces", ["demo", "other,demo", "other,dem,demo2", "*", ""])
@pytest.mark.parametrize("role", list(Role), ids=lambda role: role.value)
@pytest.mark.parametrize("route", GUARDED, ids=NAMES)
def test_a_token_may_use_a_route_if_its_role_and_its_namespaces_allow_it(
    api: Api, route: Route, role: Role, namespaces: str
) -> None:
    body = JOB if route.method == "PUT" else None
    answer = api.by(role=role.value, namespaces=namespaces).send(route.method, _path(route), body)
    if _may(role, namespaces, route):
        assert answer.status not in (401, 403)
    else:
        listed = ", ".join(f"'{name}'" for name in namespaces.split(",") if name)
        has = "every namespace" if namespaces == "*" else listed or "no namespace"
        assert answer.status == 403
        assert answer.body["detail"] == (
            f"the token 'ada' is {role.value} in {has}; this needs {_needed(route)} in {_named(route)}"
        )


@pytest.mark.parametrize(
    "route",
    [route for route in GUARDED if "{namespace}" in route.path],
    ids=lambda route: f"{route.method} {route.path}",
)
def test_no_answer_tells_whether_a_name_in_another_namespace_exists(api: Api, route: Route) -> None:
    stranger = api.by(namespaces="other")
    before = stranger.send(route.method, _path(route), JOB)
    api.put()
    api.put({}, "/v1/namespaces/demo/calendars/heartbeat")
    api.put({"url": "https://example.com"}, "/v1/namespaces/demo/services/reports/endpoints/web-1")
    assert stranger.send(route.method, _path(route), JOB) == before
    assert before.status == 403


@pytest.mark.parametrize("dry_run", ["true", "false"])
def test_a_job_that_depends_on_a_name_in_another_namespace_is_refused_whether_or_not_it_exists(
    api: Api, dry_run: str
) -> None:
    path = "/v1/namespaces/other/jobs/child"
    child = {"target": JOB["target"], "depends_on": [{"job": "demo/heartbeat"}]}

    def saved() -> Answer:
        return api.by(namespaces="other").put(child, path, query={"dry_run": dry_run})

    before = saved()
    api.put()
    assert saved() == before
    api.delete()
    assert saved() == before
    assert before.status == 403


@pytest.mark.parametrize("path", ["/v1/namespaces", "/v1/jobs", "/v1/runs"])
def test_a_list_across_namespaces_is_empty_for_a_token_that_may_see_none_of_them(api: Api, path: str) -> None:
    api.put()
    for caller in (api.by(namespaces="other,dem,demo2"), api.by(namespaces="")):
        answer = caller.get(path)
        assert (answer.status, answer.body["items"], answer.body["next"]) == (200, [], None)


def test_a_refused_change_changes_nothing(api: Api) -> None:
    api.put()
    api.by(role="viewer").put(JOB | {"schedule": "1 * * * *"})
    api.by(role="operator").delete()
    api.by(namespaces="other").post(f"{PATH}/pause")
    assert api.get().body["status"]["revision"] == 1


def test_a_token_without_namespaces_is_refused_everywhere(api: Api) -> None:
    answer = api.by(namespaces="").get()
    assert answer.status == 403
    assert answer.body["detail"] == "the token 'ada' is admin in no namespace; this needs viewer in 'demo'"


@pytest.mark.parametrize("token", [{"role": "viewer"}, {"namespaces": "demo"}, {"namespaces": ""}])
@pytest.mark.parametrize("namespace", ["De mo", "*", "demo,other", "demo%2F", "de%00mo"])
def test_a_caller_without_access_gets_no_errors_about_an_invalid_namespace_or_document(
    api: Api, namespace: str, token: dict[str, str]
) -> None:
    answer = api.by(**token).put({"timeout": "1h"}, f"/v1/namespaces/{namespace}/jobs/My Job")
    assert answer.status == 403
    assert "errors" not in answer.body


def test_a_missing_token_is_refused_before_the_path_is_checked(api: Api) -> None:
    assert api.by(authorized=False).put({}, "/v1/namespaces/A/jobs/B").status == 401


@pytest.fixture
def stored(state: MemoryState) -> MemoryTokens:
    tokens = MemoryTokens(state)
    tokens.put(Token(digest=digest_of("s3cret"), name="grace", role=Role.VIEWER, namespaces=("demo",)))
    return tokens


@pytest.fixture
def own(stored: MemoryTokens, ports: Ports) -> Api:
    deployment = Deployment(tokens_of=lambda: stored, ports_of=lambda: ports, clock=ports.clock)
    return Api(app=make_app(deployment), authorized=False)


HELD = {"authorization": "Bearer s3cret"}


def test_the_function_looks_the_token_up_itself(own: Api) -> None:
    assert own.get("/v1/namespaces/demo/jobs", headers=HELD).status == 200
    assert own.get("/v1/namespaces/other/jobs", headers=HELD).status == 403
    assert own.put(JOB, headers=HELD).status == 403


def test_what_the_gateway_says_of_the_token_counts_for_nothing(own: Api) -> None:
    context = {"requestId": "r", "authorizer": {"token": "ada", "role": "admin", "namespaces": "*"}}
    assert own.send("GET", "/v1/namespaces/other/jobs", headers=HELD, requestContext=context).status == 403
    assert own.send("GET", "/v1/namespaces/other/jobs", requestContext=context).status == 401


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "s3cret"}])
def test_an_unknown_token_is_refused(own: Api, headers: dict[str, str]) -> None:
    assert own.get(PATH, headers=headers).status == 401


def test_the_error_says_whether_the_header_or_its_token_is_missing(own: Api) -> None:
    assert "send the header 'Authorization: Bearer TOKEN'" in own.get(PATH).body["detail"]
    unknown = own.get(PATH, headers={"Authorization": "Bearer wrong"}).body["detail"]
    assert "has no token of this stack, or one that has expired or was revoked" in unknown
    assert "python -m localstack deploy" in unknown


def test_a_token_that_expires_in_mid_session_is_refused_at_once(
    own: Api, stored: MemoryTokens, clock: FakeClock
) -> None:
    [token] = stored.page(10, None).items
    stored.put(token._replace(expires_at=NOON + timedelta(seconds=2)))
    assert own.get("/v1/namespaces/demo/jobs", headers=HELD).status == 200
    clock.move(seconds=2)
    assert own.get("/v1/namespaces/demo/jobs", headers=HELD).status == 401


def test_a_token_that_is_revoked_in_mid_session_is_refused_within_thirty_seconds(
    own: Api, stored: MemoryTokens, clock: FakeClock
) -> None:
    assert own.get("/v1/namespaces/demo/jobs", headers=HELD).status == 200
    stored.remove(stored.page(10, None).items[0])
    clock.move(seconds=29)
    assert own.get("/v1/namespaces/demo/jobs", headers=HELD).status == 200, "it was read 29 seconds ago"
    clock.move(seconds=1)
    assert own.get("/v1/namespaces/demo/jobs", headers=HELD).status == 401


def test_a_token_that_sends_too_many_requests_is_told_when_to_send_the_next(
    stored: MemoryTokens, ports: Ports, clock: FakeClock
) -> None:
    deployment = Deployment(
        tokens_of=lambda: stored, ports_of=lambda: ports, clock=clock, throttle=Throttle(rate=1, burst=2)
    )
    api = Api(app=make_app(deployment), tokens=stored)
    assert [api.get("/v1/namespaces/demo/jobs").status for _ in range(3)] == [200, 200, 429]
    refused = api.get("/v1/namespaces/demo/jobs")
    assert refused.headers["retry-after"] == "1"
    assert refused.body["type"].endswith(":throttled")
    assert "'ada' sends more than 1 requests a second" in refused.body["detail"]
    assert api.by(token="bob").get("/v1/namespaces/demo/jobs").status == 200, "other tokens have limits of their own"
    assert api.by(authorized=False).get("/v1/health").status == 200
    clock.move(seconds=1)
    assert [api.get("/v1/namespaces/demo/jobs").status for _ in range(2)] == [200, 429]


def test_the_throttle_of_the_template_is_off_with_a_rate_of_zero() -> None:
    assert throttle_of(Settings(jobs_table="jobs", token_rate=0, token_burst=5)) is None
    assert throttle_of(Settings(jobs_table="jobs", token_rate=3, token_burst=5)) == Throttle(3, 5)


def test_a_function_serves_its_own_routes_only(stored: MemoryTokens) -> None:
    access = Api(app=make_app(Deployment(tokens_of=lambda: stored), served_by("Access")), tokens=stored)
    assert access.get("/v1/tokens").status == 200
    assert access.get("/v1/namespaces/demo/jobs").status == 404
    assert {route.path.split("/")[2] for route in served_by("Access")} == {"tokens"}
    assert {*served_by("Access"), *served_by("Api", "Agents")} == {*ROUTES}
