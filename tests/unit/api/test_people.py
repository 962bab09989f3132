"""People with JWTs of the stack's issuer, at the authorizer and at the application behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryAudits, MemoryState, MemoryTokens
from minutehand.adapters.oidc.issuer_keys import READ_AGAIN_AFTER, IssuerKeys
from minutehand.adapters.oidc.people import People
from minutehand.domain.errors import IssuerUnavailable
from minutehand.domain.oidc import OidcTerms
from minutehand.domain.role_map import parse_role_map
from minutehand.domain.throttle import Throttle
from minutehand.entrypoints import authorizer
from minutehand.entrypoints.api.app import make_app
from minutehand.entrypoints.api.call import Deployment
from minutehand.entrypoints.api.routes import ROUTES
from minutehand.usecases.ports.bundle import Ports
from tests.support.issuer import AUDIENCE, NOW, URL, Issuer, claims, private_key, public_jwk, signed
from tests.unit.api.conftest import JOB, NOON, Api, FakeClock

ROLES = "platform=admin:*;team-a=admin:team-a,demo;team-b=viewer:team-b"
ADA = f"ada@example.com ({URL})"
PATH = "/v1/namespaces/demo/jobs/heartbeat"
ARN = "arn:aws:execute-api:eu-west-1:123456789012:abc123/prod/GET/v1/namespaces/demo/jobs"


@pytest.fixture
def issuer() -> Issuer:
    return Issuer()


@pytest.fixture
def people(issuer: Issuer) -> People:
    return People(OidcTerms(URL, (AUDIENCE,), parse_role_map(ROLES)), IssuerKeys(URL, issuer))


@pytest.fixture
def deployment(people: People, ports: Ports, state: MemoryState, clock: FakeClock) -> Deployment:
    return Deployment(
        tokens_of=lambda: MemoryTokens(state),
        ports_of=lambda: ports,
        audits_of=lambda: MemoryAudits(state),
        clock=clock,
        people=people.identify,
    )


@pytest.fixture
def api(deployment: Deployment) -> Api:
    return Api(app=make_app(deployment), authorized=False)


def held(text: str = "", **changed: Any) -> dict[str, str]:
    return {"Authorization": f"Bearer {text or signed(claims(**changed))}"}


def test_noon_is_the_same_for_the_issuer_and_the_api() -> None:
    assert NOW == NOON


def test_a_person_may_do_what_the_roles_of_their_groups_allow(api: Api) -> None:
    both = held(groups=["team-a", "team-b"])
    assert api.put(JOB, headers=both).status == 201
    assert api.get("/v1/namespaces/team-b/jobs", headers=both).status == 200
    assert api.put(JOB, "/v1/namespaces/team-b/jobs/x", headers=both).status == 403
    assert api.get("/v1/namespaces/other/jobs", headers=both).status == 403
    assert api.get("/v1/shards", headers=both).status == 403
    assert api.get("/v1/shards", headers=held(groups=["platform"])).status == 200


def test_a_refused_person_learns_their_roles_and_the_needed_one(api: Api) -> None:
    refused = api.get("/v1/namespaces/other/jobs", headers=held(groups=["team-a", "team-b"]))
    assert refused.body["detail"] == (
        f"'{ADA}' is admin in 'team-a', 'demo', and viewer in 'team-b'; this needs viewer in 'other'"
    )


@pytest.mark.parametrize("route", [route for route in ROUTES if route.role], ids=lambda route: route.path)
def test_a_person_without_a_role_may_use_no_route_and_learns_why(api: Api, route: Any) -> None:
    path = route.path.replace("{run_id}", "20261120T120000Z").replace("{", "").replace("}", "")
    refused = api.send(route.method, path, JOB, headers=held(groups=["others"]))
    assert refused.status == 403
    assert refused.body["detail"].startswith(f"'{ADA}' has no role in this stack")


def test_no_answer_tells_a_person_whether_a_name_in_another_namespace_exists(api: Api) -> None:
    stranger = held(groups=["team-b"])
    before = [api.get(headers=stranger), api.send("DELETE", PATH, headers=stranger), api.put(JOB, headers=stranger)]
    api.put(JOB, headers=held())
    after = [api.get(headers=stranger), api.send("DELETE", PATH, headers=stranger), api.put(JOB, headers=stranger)]
    assert after == before
    assert {each.status for each in after} == {403}


def test_changes_are_recorded_under_the_persons_name_and_issuer(api: Api) -> None:
    saved = api.put(JOB, headers=held())
    assert saved.body["status"]["updated_by"] == ADA
    [record] = api.get("/v1/audit", query={"namespace": "demo", "actor": ADA}, headers=held()).body["items"]
    assert (record["actor"], record["action"]) == (ADA, "save")


def test_a_person_sees_who_they_are(api: Api) -> None:
    own = api.get("/v1/token", headers=held(groups=["team-b", "team-a"])).body
    assert (own["kind"], own["id"], own["name"]) == ("person", None, ADA)
    assert (own["role"], own["namespaces"], own["expires_at"]) == ("admin", ["team-a", "demo"], None)
    assert own["grants"] == [
        {"role": "admin", "namespaces": ["team-a", "demo"]},
        {"role": "viewer", "namespaces": ["team-b"]},
    ]


def test_a_person_makes_tokens_for_namespaces_of_which_they_are_an_admin(api: Api) -> None:
    given = {"name": "ci", "role": "viewer"}
    both = held(groups=["team-a", "team-b"])
    made = api.post("/v1/tokens", body=given | {"namespaces": ["team-a"]}, headers=both)
    assert (made.status, made.body["created_by"], made.body["expires_at"]) == (201, ADA, None)
    refused = api.post("/v1/tokens", body=given | {"namespaces": ["team-b"]}, headers=both)
    assert (refused.status, refused.body["detail"]) == (
        403,
        f"'{ADA}' has 'team-a', 'demo', and cannot make a token for 'team-b'",
    )
    assert [one["name"] for one in api.get("/v1/tokens", headers=both).body["items"]] == ["ci"]


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        (held(exp=1), "the JWT has expired"),
        (held(aud="other"), "is for the audience 'other'"),
        (held(signed(key=private_key("RSA", 1))), "Signature verification failed"),
        (held("eyJhbGciOiJub25lIn0.e30."), "algorithm is 'none'"),
        (held(f"eyJ{'A' * 9_000}.e30.AAAA"), "8192 is the most"),
    ],
)
def test_a_jwt_that_is_refused_is_401_with_the_reason(api: Api, header: dict[str, str], reason: str) -> None:
    refused = api.get(headers=header)
    assert (refused.status, refused.headers["www-authenticate"]) == (401, "Bearer")
    assert reason in refused.body["detail"]


def test_a_jwt_that_expires_in_mid_session_is_refused_at_once(api: Api, clock: FakeClock) -> None:
    header = held(exp=int(NOW.timestamp()) + 5)
    assert api.get("/v1/token", headers=header).status == 200
    clock.move(seconds=65)
    assert api.get("/v1/token", headers=header).status == 401


def test_a_rotated_key_counts_and_the_old_one_does_not_for_long(api: Api, issuer: Issuer, clock: FakeClock) -> None:
    old, new = signed(), signed(key=private_key("P-256"), algorithm="ES256", kid="k2")
    assert api.get("/v1/token", headers=held(old)).status == 200
    issuer.keys = [public_jwk(private_key("P-256"), kid="k2")]
    clock.move(seconds=30)
    assert api.get("/v1/token", headers=held(new)).status == 200
    assert api.get("/v1/token", headers=held(old)).status == 401


def test_an_issuer_that_does_not_answer_is_503_only_for_people_whose_keys_are_not_known(
    api: Api, issuer: Issuer, clock: FakeClock
) -> None:
    issuer.down = True
    refused = api.get("/v1/token", headers=held())
    assert (refused.status, refused.headers["retry-after"]) == (503, "5")
    assert refused.body["type"].endswith(":issuer-unavailable")
    assert "the OIDC issuer does not answer at" in refused.body["detail"]
    assert api.get("/v1/token", headers={"Authorization": "Bearer unknown-token"}).status == 401
    issuer.down = False
    clock.move(seconds=30)
    assert api.get("/v1/token", headers=held()).status == 200
    issuer.down = True
    clock.move(seconds=READ_AGAIN_AFTER.total_seconds())
    assert api.get("/v1/token", headers=held()).status == 200, "the known keys still serve"


def test_each_person_has_limits_of_their_own(deployment: Deployment) -> None:
    throttled = Deployment(
        tokens_of=deployment.tokens_of,
        ports_of=deployment.ports_of,
        clock=deployment.clock,
        people=deployment.people,
        throttle=Throttle(rate=1, burst=1),
    )
    api = Api(app=make_app(throttled), authorized=False)
    assert [api.get("/v1/token", headers=held(iat=at)).status for at in (1, 2)] == [200, 429], "not one for each JWT"
    refused = api.get("/v1/token", headers=held())
    assert (refused.headers["retry-after"], refused.body["type"].rpartition(":")[2]) == ("1", "throttled")
    assert refused.body["detail"].startswith(f"'{ADA}' sends more than 1 requests a second")
    assert api.get("/v1/token", headers=held(sub="u-2")).status == 200


def test_a_stack_without_an_issuer_takes_a_jwt_for_an_unknown_token(api: Api, state: MemoryState) -> None:
    without = Api(app=make_app(Deployment(tokens_of=lambda: MemoryTokens(state))), authorized=False)
    refused = without.get(headers=held())
    assert refused.status == 401
    assert "has no token of this stack" in refused.body["detail"]


def test_what_the_gateway_says_of_a_person_counts_for_nothing(api: Api) -> None:
    context = {"requestId": "r", "stage": "prod", "authorizer": {"principalId": ADA, "claims": claims()}}
    assert api.send("GET", PATH, requestContext=context).status == 401


def _authorize(people: People, text: str, state: MemoryState) -> dict[str, Any]:
    event = {"type": "TOKEN", "authorizationToken": f"Bearer {text}", "methodArn": ARN}
    tokens = MemoryTokens(state)
    return authorizer.answer(event, tokens, lambda: tokens, NOON, people.identify)


def test_the_authorizer_lets_a_person_with_a_valid_jwt_through(people: People, state: MemoryState) -> None:
    answer = _authorize(people, signed(), state)
    assert answer["principalId"] == ADA
    assert [each["Effect"] for each in answer["policyDocument"]["Statement"]] == ["Allow"]


@pytest.mark.parametrize(
    "make",
    [
        lambda: signed(claims(exp=1)),
        lambda: signed(claims(aud="other")),
        lambda: signed(key=private_key("RSA", 1)),
        lambda: "eyJhbGciOiJub25lIn0.e30.",
        lambda: f"eyJ{'A' * 9_000}.e30.AAAA",
    ],
)
def test_the_authorizer_refuses_any_other_and_logs_why(
    people: People, state: MemoryState, make: Callable[[], str], lines: Callable[[], list[dict[str, Any]]]
) -> None:
    with pytest.raises(Exception, match=r"^Unauthorized$"):
        _authorize(people, make(), state)
    [line] = [line for line in lines() if line.get("action") == "authorize"]
    assert line["message"].startswith("JWT refused: the JWT")


def test_the_authorizer_fails_without_the_issuers_keys_which_the_gateway_answers_with_503(
    people: People, state: MemoryState, issuer: Issuer
) -> None:
    issuer.down = True
    with pytest.raises(IssuerUnavailable):
        _authorize(people, signed(), state)
