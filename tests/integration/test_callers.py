"""Callers other than tokens on the deployed template, on MiniStack: signed requests, and JWTs of an issuer with real keys over HTTPS.

MiniStack checks the signatures of IAM users and their policies, and names them to the function as API Gateway does.
"""

from __future__ import annotations

import json
import ssl
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import boto3
import pytest
import trustme
import urllib3
from localstack.clients import Clients
from localstack.deployment import api_url
from localstack.lifecycle import down, up
from localstack.workspace import StackInfo, Workspace

from minutehand.client import AnswerError, Client, NotAllowed, Refused
from tests.support.issuer import AUDIENCE, Issuer, claims, served, signed

ADA = "arn:aws:iam::000000000000:user/ada"
PARAMETERS = {
    "IamRoles": f"{ADA}=admin:shop",
    "OidcAudience": AUDIENCE,
    "OidcRoles": "platform=admin:*;team-a=operator:shop",
}
JOB = {
    "namespace": "shop",
    "name": "report",
    "schedule": "@yearly",
    "target": {"type": "http", "url": "https://example.com/"},
}

pytestmark = pytest.mark.services


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Issuer]:
    """An issuer whose certificate the functions trust."""
    authority = trustme.CA()
    trusted = tmp_path_factory.mktemp("authority") / "authority.pem"
    authority.cert_pem.write_to_path(str(trusted))
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(tls)
    with pytest.MonkeyPatch.context() as patch, served(tls) as issuer:
        patch.setenv("SSL_CERT_FILE", str(trusted))
        yield issuer


@pytest.fixture(scope="module")
def info(tmp_path_factory: pytest.TempPathFactory, issuer: Issuer) -> Iterator[StackInfo]:
    workspace = Workspace(state=tmp_path_factory.mktemp("callers") / ".minutehand")
    try:
        yield up(workspace, lambda _: None, demo_jobs=False, parameters=PARAMETERS | {"OidcIssuer": issuer.url})
    finally:
        down(workspace, lambda _: None)


def _jwt(issuer: Issuer, **changed: Any) -> str:
    return signed(claims(datetime.now(UTC), iss=issuer.url, **changed))


@pytest.fixture
def signing(info: StackInfo, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    """A client with credentials of the user `ada`, whose policy lets her call the API."""
    iam = _iam(info)
    if not any(user["UserName"] == "ada" for user in iam.list_users()["Users"]):
        iam.create_user(UserName="ada")
    key = iam.create_access_key(UserName="ada")["AccessKey"]
    allowed = {"Effect": "Allow", "Action": "execute-api:Invoke", "Resource": "*"}
    policy = json.dumps({"Version": "2012-10-17", "Statement": [allowed]})
    iam.put_user_policy(UserName="ada", PolicyName="call", PolicyDocument=policy)
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", key["AccessKeyId"])
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", key["SecretAccessKey"])
    monkeypatch.setenv("AWS_REGION", info.region)
    with Client(_signed_url(info), None, auth="iam", retries=0) as client:
        yield client
    iam.delete_access_key(UserName="ada", AccessKeyId=key["AccessKeyId"])


def _iam(info: StackInfo) -> Any:
    return boto3.client(
        "iam",
        endpoint_url=info.endpoint_url,
        region_name=info.region,
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )


def _signed_url(info: StackInfo) -> str:
    stacks = Clients(info.endpoint_url).cloudformation.describe_stacks(StackName="minutehand")["Stacks"]
    [url] = [one["OutputValue"] for one in stacks[0]["Outputs"] if one["OutputKey"] == "IamApiUrl"]
    return api_url(info.endpoint_url, url)


def test_a_principal_manages_jobs_and_tokens_of_its_namespace_with_signed_requests(signing: Client) -> None:
    own = signing.own_token()
    assert (own["kind"], own["name"], own["namespaces"]) == ("principal", ADA, ["shop"])
    assert signing.apply_job(JOB)["job"]["status"]["updated_by"] == ADA
    made = signing.create_token("ci", role="viewer", namespaces=["shop"])
    assert signing.get_token(made["id"])["created_by"] == ADA
    with pytest.raises(NotAllowed, match="this needs viewer in 'bank'"):
        signing.get_job("bank/report")


def test_a_token_is_worth_nothing_where_requests_are_signed_and_the_reverse(info: StackInfo, signing: Client) -> None:
    with Client(_signed_url(info), info.token, retries=0) as by_token, pytest.raises((NotAllowed, AnswerError)):
        by_token.get_job("shop/report")
    with Client(info.url, None, auth="iam", retries=0) as by_signature, pytest.raises(NotAllowed):
        by_signature.own_token()
    with Client(info.url, info.token) as by_token:
        assert by_token.own_token()["kind"] == "token"


def test_a_wrong_signature_is_refused_by_the_gateway(
    info: StackInfo, signing: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another secret")
    with Client(_signed_url(info), None, auth="iam", retries=0) as client, pytest.raises(NotAllowed) as refused:
        client.own_token()
    assert "signature" in refused.value.message
    assert signing.own_token()["name"] == ADA


def test_a_principal_needs_a_policy_of_its_own_besides_its_role(info: StackInfo, signing: Client) -> None:
    _iam(info).delete_user_policy(UserName="ada", PolicyName="call")
    with pytest.raises(NotAllowed, match="not authorized to perform: execute-api:Invoke"):
        signing.own_token()


def test_an_issuer_that_does_not_answer_identifies_nobody(info: StackInfo, issuer: Issuer) -> None:
    issuer.down = True
    with Client(info.url, _jwt(issuer), retries=0) as client, pytest.raises(Refused) as refused:
        client.own_token()
    issuer.down = False
    assert refused.value.status == 500, "on AWS, the template makes this 503"


def test_a_person_uses_the_api_with_a_jwt_of_the_issuer(info: StackInfo, issuer: Issuer) -> None:
    _until_read_again(info, issuer)
    with Client(info.url, _jwt(issuer)) as client:
        own = client.own_token()
        assert (own["kind"], own["name"]) == ("person", f"ada@example.com ({issuer.url})")
        assert own["grants"] == [{"role": "operator", "namespaces": ["shop"]}]
        with pytest.raises(NotAllowed, match="is operator in 'shop'; this needs admin in 'shop'"):
            client.apply_job(JOB)
    with Client(info.url, _jwt(issuer, groups=["platform"])) as client:
        assert client.apply_job(JOB)["job"]["name"] == "report"
        made = client.create_token("of-ada", role="viewer", namespaces=["shop"])
        assert made["created_by"] == f"ada@example.com ({issuer.url})"


@pytest.mark.parametrize("changed", [{"exp": 1}, {"aud": "other"}, {"iss": "https://evil.example.com"}])
def test_a_jwt_that_does_not_hold_is_refused_by_the_gateway(
    info: StackInfo, issuer: Issuer, changed: dict[str, Any]
) -> None:
    text = signed(claims(datetime.now(UTC), **{"iss": issuer.url} | changed))
    for forged in (text, f"{text[:-8]}AAAAAAAA", "eyJhbGciOiJub25lIn0.e30.AAAA"):
        headers = {"Authorization": f"Bearer {forged}"}
        assert urllib3.request("GET", f"{info.url}/v1/token", headers=headers).status == 401


def _until_read_again(info: StackInfo, issuer: Issuer) -> None:
    """Wait until the functions ask an issuer again that did not answer."""
    for _ in range(60):
        with Client(info.url, _jwt(issuer), retries=0) as client:
            try:
                client.own_token()
            except Refused:
                time.sleep(1)
            else:
                return
