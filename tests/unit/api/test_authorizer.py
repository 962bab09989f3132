"""The authorizer: secrets in, policies out."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryState, MemoryTokens
from minutehand.domain.errors import Unavailable
from minutehand.domain.token import Role, Token, digest_of
from minutehand.entrypoints.authorizer import answer
from tests.unit.api.conftest import NOON

SECRET = "s3cretS3cretS3cretS3cretS3cretS3cretS3cr"
ARN = "arn:aws:execute-api:eu-west-1:123456789012:abc123/prod/GET/v1/namespaces/demo/jobs"


@pytest.fixture
def tokens(state: MemoryState) -> MemoryTokens:
    tokens = MemoryTokens(state)
    tokens.put(Token(digest=digest_of(SECRET), name="ci", role=Role.OPERATOR, namespaces=("a", "b")))
    return tokens


def _event(authorization: str | None) -> dict[str, Any]:
    return {"type": "TOKEN", "authorizationToken": authorization, "methodArn": ARN}


def _answer(tokens: MemoryTokens, now: datetime = NOON) -> dict[str, Any]:
    return answer(_event(f"Bearer {SECRET}"), tokens, lambda: tokens, now)


def test_a_known_secret_may_call_the_whole_stage(tokens: MemoryTokens) -> None:
    assert _answer(tokens) == {
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
    }


@pytest.mark.parametrize("written", [f"bearer {SECRET}", f"BEARER   {SECRET}", f" Bearer {SECRET} "])
def test_the_scheme_ignores_case_and_surrounding_spaces(tokens: MemoryTokens, written: str) -> None:
    assert answer(_event(written), tokens, lambda: tokens, NOON)["principalId"] == "ci"


@pytest.mark.parametrize(
    "written",
    [None, "", "Bearer", "Bearer ", SECRET, f"Basic {SECRET}", "Bearer wrong", f"Bearer {SECRET} x", "Bearer ü", "Bearer " + "a" * 600],
)  # fmt: skip
def test_anything_else_raises_the_gateways_unauthorized_error(tokens: MemoryTokens, written: str | None) -> None:
    with pytest.raises(Exception, match=r"^Unauthorized$"):
        answer(_event(written), tokens, lambda: tokens, NOON)


def test_the_digest_is_not_accepted_as_the_secret(tokens: MemoryTokens) -> None:
    with pytest.raises(Exception, match=r"^Unauthorized$"):
        answer(_event(f"Bearer {digest_of(SECRET)}"), tokens, lambda: tokens, NOON)


def test_a_request_authorizer_finds_the_header_in_any_case(tokens: MemoryTokens) -> None:
    event = {"type": "REQUEST", "methodArn": ARN, "headers": {"AUTHORIZATION": f"Bearer {SECRET}"}}
    assert answer(event, tokens, lambda: tokens, NOON)["principalId"] == "ci"


def test_a_request_without_headers_is_unauthorized(tokens: MemoryTokens) -> None:
    with pytest.raises(Exception, match=r"^Unauthorized$"):
        answer({"type": "REQUEST", "methodArn": ARN, "headers": None}, tokens, lambda: tokens, NOON)


def test_an_expired_token_is_unauthorized(tokens: MemoryTokens) -> None:
    [token] = tokens.page(10, None).items
    tokens.put(token._replace(expires_at=NOON))
    assert _answer(tokens, NOON - timedelta(milliseconds=1))["principalId"] == "ci"
    with pytest.raises(Exception, match=r"^Unauthorized$"):
        _answer(tokens, NOON)


def test_the_use_of_a_token_is_noted_once_an_hour(tokens: MemoryTokens) -> None:
    noted = []
    for minutes in (0, 1, 59, 60, 61):
        _answer(tokens, NOON + timedelta(minutes=minutes))
        [token] = tokens.page(10, None).items
        noted.append(token.last_used_at)
    assert noted == [NOON, NOON, NOON, NOON + timedelta(hours=1), NOON + timedelta(hours=1)]


def test_a_use_that_cannot_be_noted_fails_no_request(tokens: MemoryTokens) -> None:
    def broken() -> MemoryTokens:
        raise Unavailable("the table refuses writes")

    assert answer(_event(f"Bearer {SECRET}"), tokens, broken, NOON)["principalId"] == "ci"
