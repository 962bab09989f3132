"""Who may do what."""

from __future__ import annotations

import pytest

from minutehand.adapters.memory import MemoryState, MemoryTokens
from minutehand.domain.token import Role, Token, digest_of
from minutehand.entrypoints.api.app import make_app
from minutehand.entrypoints.api.call import Deployment
from minutehand.entrypoints.api.routes import ROUTES
from minutehand.usecases.ports.bundle import Ports
from tests.unit.api.conftest import JOB, PATH, Api

ACROSS = {endpoint.path for endpoint in ROUTES if endpoint.across}
ROUTES = [(endpoint.method, endpoint.path, endpoint.role) for endpoint in ROUTES]
GUARDED = [route for route in ROUTES if route[2]]
OF_A_NAMESPACE = [route for route in GUARDED if route[1] not in ACROSS]


def _path(template: str) -> str:
    names = {"namespace": "demo", "name": "heartbeat", "service": "reports", "endpoint": "web-1"}
    return template.format(**names, run_id="20261120T120000Z", backfill_id="abc")


def _where(template: str) -> tuple[str, str]:
    """The namespace that a token needs for a path, and how the API names it."""
    return ("demo", "'demo'") if "{namespace}" in template else ("*", "every namespace")


def test_health_needs_no_token_and_reads_no_table() -> None:
    def no_world() -> Ports:
        raise AssertionError("health must not need a world")

    answer = Api(app=make_app(Deployment(ports_of=no_world)), authorized=False).get("/v1/health")
    assert (answer.status, answer.body) == (200, {"status": "ok", "version": "0.1.0"})


def test_only_health_and_callbacks_need_no_token() -> None:
    open_to_all = [path for _, path, role in ROUTES if role is None]
    assert open_to_all[0] == "/v1/health"
    assert all(path.startswith("/v1/callbacks/") for path in open_to_all[1:])


@pytest.mark.parametrize(("method", "path", "role"), GUARDED)
def test_every_other_route_needs_a_token(api: Api, method: str, path: str, role: Role) -> None:
    answer = api.by(authorized=False).send(method, _path(path), JOB)
    assert answer.status == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert "Authorization: Bearer" in answer.body["detail"]


@pytest.mark.parametrize(("method", "path", "role"), GUARDED)
def test_a_lesser_role_is_refused_and_the_error_names_both_roles(api: Api, method: str, path: str, role: Role) -> None:
    namespaces, named = _where(path)
    for lesser in Role:
        if lesser.covers(role):
            continue
        answer = api.by(role=lesser.value, namespaces=namespaces).send(method, _path(path), JOB)
        assert answer.status == 403
        assert answer.body["detail"] == (
            f"the token 'ada' is {lesser.value} in {named}; this needs {role.value} in {named}"
        )


@pytest.mark.parametrize(("method", "path", "role"), GUARDED)
def test_the_required_role_is_enough(api: Api, method: str, path: str, role: Role) -> None:
    body = JOB if method == "PUT" else None
    assert api.by(role=role.value, namespaces=f"other,{_where(path)[0]}").send(
        method, _path(path), body
    ).status not in (401, 403)


@pytest.mark.parametrize("path", sorted(ACROSS))
def test_a_list_across_namespaces_is_empty_for_a_token_that_may_see_none_of_them(api: Api, path: str) -> None:
    api.put()
    for caller in (api.by(namespaces="other,dem,demo2"), api.by(namespaces="")):
        answer = caller.get(path)
        assert (answer.status, answer.body["items"], answer.body["next"]) == (200, [], None)


@pytest.mark.parametrize(("method", "path", "role"), OF_A_NAMESPACE)
def test_a_token_of_another_namespace_is_refused(api: Api, method: str, path: str, role: Role) -> None:
    answer = api.by(namespaces="other,dem,demo2").send(method, _path(path), JOB)
    assert answer.status == 403
    assert answer.body["detail"] == (
        f"the token 'ada' is admin in 'other', 'dem', 'demo2'; this needs {role.value} in {_where(path)[1]}"
    )


def test_a_refused_change_changes_nothing(api: Api) -> None:
    api.put()
    api.by(role="viewer").put(JOB | {"schedule": "1 * * * *"})
    api.by(role="operator").delete()
    api.by(namespaces="other").post(f"{PATH}/pause")
    assert api.get().body["status"]["revision"] == 1


@pytest.mark.parametrize("changed", [{"role": "owner"}, {"role": ""}])
def test_an_unknown_role_from_the_authorizer_is_not_a_token(api: Api, changed: dict[str, str]) -> None:
    assert api.by(**changed).get().status == 401


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


def _api_without_authorizer(ports: Ports, state: MemoryState) -> Api:
    tokens = MemoryTokens(state)
    tokens.put(Token(digest=digest_of("s3cret"), name="grace", role=Role.VIEWER, namespaces=("demo",)))
    return Api(app=make_app(Deployment(ports_of=lambda: ports, tokens_of=lambda: tokens)), authorized=False)


def test_without_an_authorizer_the_api_looks_up_the_token(ports: Ports, state: MemoryState) -> None:
    api = _api_without_authorizer(ports, state)
    held = {"authorization": "Bearer s3cret"}
    assert api.get("/v1/namespaces/demo/jobs", headers=held).status == 200
    assert api.get("/v1/namespaces/other/jobs", headers=held).status == 403
    assert api.put(JOB, headers=held).status == 403


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "s3cret"}])
def test_without_an_authorizer_an_unknown_token_is_refused(
    ports: Ports, state: MemoryState, headers: dict[str, str]
) -> None:
    assert _api_without_authorizer(ports, state).get(PATH, headers=headers).status == 401


def test_without_an_authorizer_the_error_says_whether_the_header_or_its_token_is_missing(
    ports: Ports, state: MemoryState
) -> None:
    api = _api_without_authorizer(ports, state)
    assert "send the header 'Authorization: Bearer TOKEN'" in api.get(PATH).body["detail"]
    unknown = api.get(PATH, headers={"Authorization": "Bearer wrong"}).body["detail"]
    assert "has no token of this stack" in unknown
    assert "python -m localstack deploy" in unknown


def test_a_token_accepted_by_the_authorizer_is_not_looked_up_again(ports: Ports) -> None:
    def no_tokens() -> MemoryTokens:
        raise AssertionError("the authorizer has looked it up")

    api = Api(app=make_app(Deployment(ports_of=lambda: ports, tokens_of=no_tokens)))
    assert api.get("/v1/namespaces/demo/jobs", headers={"Authorization": "Bearer other"}).status == 200
