"""Principals of AWS IAM, by events of the shape that AWS documents for Lambda proxy integrations with the authorization AWS_IAM.

That API Gateway checks signatures, and that it alone fills `identity`, is AWS's promise; `tests/integration/test_callers.py` sees an emulator
do both.
"""

from __future__ import annotations

from typing import Any

import pytest

from minutehand.adapters.memory import MemoryAudits, MemoryState, MemoryTokens
from minutehand.domain.role_map import parse_principals
from minutehand.domain.throttle import Throttle
from minutehand.entrypoints.api.app import make_app
from minutehand.entrypoints.api.call import Deployment
from minutehand.entrypoints.api.callers import principals_of
from minutehand.entrypoints.settings import Settings
from minutehand.usecases.ports.bundle import Ports
from tests.unit.api.conftest import JOB, PATH, Answer, Api, FakeClock

ACCOUNT = "111122223333"
DEPLOY = f"arn:aws:sts::{ACCOUNT}:assumed-role/deploy/ci-42"
USER = f"arn:aws:iam::{ACCOUNT}:user/ada"
ROLES = f"arn:aws:iam::{ACCOUNT}:role/pipelines/deploy=admin:demo;{USER}=viewer:*"
SIGNED = {"Authorization": "AWS4-HMAC-SHA256 Credential=ASIAEXAMPLE/20261120/eu-west-1/execute-api/aws4_request, …"}


def context(arn: str | None, stage: str = "iam") -> dict[str, Any]:
    """`requestContext` as AWS documents it (payload format 1.0)."""
    return {
        "accountId": ACCOUNT,
        "apiId": "a1b2c3d4e5",
        "authorizer": None,
        "domainName": "a1b2c3d4e5.execute-api.eu-west-1.amazonaws.com",
        "domainPrefix": "a1b2c3d4e5",
        "extendedRequestId": "JKJaXmPLvHcESHA=",
        "httpMethod": "GET",
        "identity": {
            "accessKey": "ASIAEXAMPLE" if arn else None,
            "accountId": ACCOUNT if arn else None,
            "apiKey": None,
            "caller": "AROAEXAMPLE:ci-42" if arn else None,
            "cognitoAuthenticationProvider": None,
            "cognitoAuthenticationType": None,
            "cognitoIdentityId": None,
            "cognitoIdentityPoolId": None,
            "principalOrgId": None,
            "sourceIp": "192.0.2.10",
            "user": "AROAEXAMPLE:ci-42" if arn else None,
            "userAgent": "minutehand/0.1.0",
            "userArn": arn,
        },
        "path": f"/{stage}{PATH}",
        "protocol": "HTTP/1.1",
        "requestId": "c6af9ac6-7b61-11e6-9a41-93e8deadbeef",
        "requestTime": "20/Nov/2026:12:00:30 +0000",
        "requestTimeEpoch": 1795176030000,
        "resourceId": "123456",
        "resourcePath": "/v1/{proxy+}",
        "stage": stage,
    }


@pytest.fixture
def tokens(state: MemoryState) -> MemoryTokens:
    return MemoryTokens(state)


@pytest.fixture
def api(ports: Ports, state: MemoryState, tokens: MemoryTokens, clock: FakeClock) -> Api:
    deployment = Deployment(
        tokens_of=lambda: tokens,
        ports_of=lambda: ports,
        audits_of=lambda: MemoryAudits(state),
        clock=clock,
        principals=parse_principals(ROLES),
    )
    return Api(app=make_app(deployment), authorized=False, tokens=tokens)


def sent(api: Api, arn: str | None, method: str = "GET", path: str = PATH, body: Any = None, **given: Any) -> Answer:
    return api.send(method, path, body, headers=SIGNED, requestContext=context(arn), **given)


def test_a_principal_may_do_what_the_parameter_gives_it(api: Api) -> None:
    assert sent(api, DEPLOY, "PUT", body=JOB).status == 201
    assert sent(api, USER).status == 200
    assert sent(api, USER, "DELETE").status == 403
    assert sent(api, DEPLOY, path="/v1/namespaces/other/jobs").status == 403


def test_changes_are_recorded_under_the_principals_arn_and_address(api: Api) -> None:
    assert sent(api, DEPLOY, "PUT", body=JOB).body["status"]["updated_by"] == DEPLOY
    [record] = sent(api, USER, path="/v1/audit", query={"namespace": "demo"}).body["items"]
    assert (record["actor"], record["address"], record["client"]) == (DEPLOY, "192.0.2.10", "minutehand/0.1.0")


def test_a_principal_sees_who_it_is(api: Api) -> None:
    own = sent(api, DEPLOY, path="/v1/token").body
    assert (own["kind"], own["id"], own["name"], own["role"], own["namespaces"]) == (
        "principal",
        None,
        DEPLOY,
        "admin",
        ["demo"],
    )


def test_a_principal_that_the_parameter_does_not_name_has_no_role_and_learns_why(api: Api) -> None:
    refused = sent(api, f"arn:aws:sts::{ACCOUNT}:assumed-role/other/ci-42")
    assert refused.status == 403
    assert refused.body["detail"].startswith(
        f"the principal 'arn:aws:sts::{ACCOUNT}:assumed-role/other/ci-42' has no role in this stack"
    )


def test_no_answer_tells_a_principal_whether_a_name_in_another_namespace_exists(api: Api) -> None:
    path = "/v1/namespaces/other/jobs/heartbeat"
    before = sent(api, DEPLOY, path=path)
    api.by(authorized=True).put(JOB, path)
    assert sent(api, DEPLOY, path=path) == before
    assert before.status == 403


@pytest.mark.parametrize("arn", [None, "", 5, ["arn"], {}])
def test_a_request_whose_principal_the_gateway_does_not_name_is_refused(api: Api, arn: Any) -> None:
    refused = sent(api, arn)
    assert refused.status == 401
    assert "sign the request with credentials of AWS IAM" in refused.body["detail"]


def test_a_principal_that_the_gateway_of_tokens_names_counts_for_nothing(api: Api) -> None:
    for stage in ("prod", "test-invoke-stage", "IAM", "", None):
        refused = api.send("GET", PATH, headers=SIGNED, requestContext=context(USER, "prod") | {"stage": stage})
        assert refused.status == 401, stage


def test_a_token_counts_for_nothing_where_requests_are_signed(api: Api) -> None:
    api.by(authorized=True).put()
    bearer = {"Authorization": f"Bearer {api.secret()}"}
    assert api.get(headers=bearer).status == 200
    assert api.send("GET", PATH, headers=bearer, requestContext=context(None)).status == 401
    outsider = api.send("GET", PATH, headers=bearer, requestContext=context(f"arn:aws:iam::{ACCOUNT}:user/eve"))
    assert outsider.status == 403


def test_a_stack_without_principals_believes_no_gateway(api: Api, ports: Ports, tokens: MemoryTokens) -> None:
    without = Api(app=make_app(Deployment(tokens_of=lambda: tokens, ports_of=lambda: ports)), authorized=False)
    assert sent(without, USER).status == 401
    assert principals_of(Settings(jobs_table="jobs")) is None
    assert principals_of(Settings(jobs_table="jobs", iam_roles=ROLES)) == parse_principals(ROLES)


def test_a_headers_own_claims_about_the_principal_count_for_nothing(api: Api) -> None:
    forged = SIGNED | {"X-Amzn-Caller-Arn": USER, "userArn": USER, "X-Forwarded-User": USER}
    assert api.send("GET", PATH, headers=forged, requestContext=context(None)).status == 401


def test_each_principal_has_limits_of_its_own(ports: Ports, tokens: MemoryTokens, clock: FakeClock) -> None:
    deployment = Deployment(
        tokens_of=lambda: tokens,
        ports_of=lambda: ports,
        clock=clock,
        principals=parse_principals(ROLES),
        throttle=Throttle(rate=1, burst=1),
    )
    api = Api(app=make_app(deployment), authorized=False)
    assert [sent(api, DEPLOY, path="/v1/token").status for _ in range(2)] == [200, 429]
    assert sent(api, DEPLOY, path="/v1/token").headers["retry-after"] == "1"
    assert sent(api, USER, path="/v1/token").status == 200
