"""The authorizer: secrets in, policies out."""

from __future__ import annotations

from typing import Any

import pytest

from minutehand.adapters.memory import MemoryState, MemoryTokens
from minutehand.domain.token import Role, Token, digest_of
from minutehand.entrypoints.api.app import make_app
from minutehand.entrypoints.api.call import Deployment
from minutehand.entrypoints.authorizer import answer
from minutehand.usecases.ports.bundle import Ports
from tests.unit.api.conftest import Api

SECRET = "s3cretS3cretS3cretS3cretS3cretS3cretS3cr"
ARN = "arn:aws:execute-api:eu-west-1:123456789012:abc123/prod/GET/v1/namespaces/demo/jobs"


@pytest.fixture
def tokens(state: MemoryState) -> MemoryTokens:
    tokens = MemoryTokens(state)
    tokens.put(Token(digest=digest_of(SECRET), name="ci", role=Role.OPERATOR, namespaces=("a", "b")))
    return tokens


def _event(authorization: str | None) -> dict[str, Any]:
    return {"type": "TOKEN", "authorizationToken": authorization, "methodArn": ARN}


def test_a_known_secret_may_call_the_whole_stage(tokens: MemoryTokens) -> None:
    assert answer(_event(f"Bearer {SECRET}"), tokens) == {
        "principalId": "ci",
        "policyDocument": {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Effect": "Allow",
                    "Action": "execute-api:Invoke",
                    "Resource": "arn:aws:execute-api:eu-west-1:123456789012:abc123/prod/*",
                }
            ],
        },
        "context": {"token": "ci", "role": "operator", "namespaces": "a,b"},
    }


@pytest.mark.parametrize("written", [f"bearer {SECRET}", f"BEARER   {SECRET}", f" Bearer {SECRET} "])
def test_the_scheme_ignores_case_and_surrounding_spaces(tokens: MemoryTokens, written: str) -> None:
    assert answer(_event(written), tokens)["principalId"] == "ci"


@pytest.mark.parametrize(
    "written",
    [None, "", "Bearer", "Bearer ", SECRET, f"Basic {SECRET}", "Bearer wrong", f"Bearer {SECRET} x", "Bearer ü", "Bearer " + "a" * 600],
)  # fmt: skip
def test_anything_else_raises_the_gateways_unauthorized_error(tokens: MemoryTokens, written: str | None) -> None:
    with pytest.raises(Exception, match=r"^Unauthorized$"):
        answer(_event(written), tokens)


def test_the_digest_is_not_accepted_as_the_secret(tokens: MemoryTokens) -> None:
    with pytest.raises(Exception, match=r"^Unauthorized$"):
        answer(_event(f"Bearer {digest_of(SECRET)}"), tokens)


def test_a_request_authorizer_finds_the_header_in_any_case(tokens: MemoryTokens) -> None:
    event = {"type": "REQUEST", "methodArn": ARN, "headers": {"AUTHORIZATION": f"Bearer {SECRET}"}}
    assert answer(event, tokens)["principalId"] == "ci"


def test_a_request_without_headers_is_unauthorized(tokens: MemoryTokens) -> None:
    with pytest.raises(Exception, match=r"^Unauthorized$"):
        answer({"type": "REQUEST", "methodArn": ARN, "headers": None}, tokens)


def test_the_api_reads_what_the_authorizer_writes(tokens: MemoryTokens, ports: Ports) -> None:
    context = answer(_event(f"Bearer {SECRET}"), tokens)["context"]
    api = Api(app=make_app(Deployment(ports_of=lambda: ports)), **context)
    assert api.get("/v1/namespaces/b/jobs").status == 200
    assert api.get("/v1/namespaces/c/jobs").status == 403
