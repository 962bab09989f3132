"""Bad input at the deployed API: a clear answer each, and nothing half-saved."""

from __future__ import annotations

from typing import Any

import pytest

from minutehand.adapters.dynamodb.tokens import DynamoTokens
from minutehand.domain.token import Role, Token, digest_of
from tests.e2e.conftest import Stack

pytestmark = pytest.mark.services

GOOD: dict[str, Any] = {
    "schedule": "* * * * *",
    "target": {"type": "http", "method": "GET", "url": "https://example.com/"},
}


@pytest.mark.parametrize(
    ("changes", "path", "word"),
    [
        ({"schedule": "0 0 30 2 *"}, "schedule", "never"),
        ({"schedule": "61 * * * *"}, "schedule", "61"),
        ({"timezone": "Europe/Pariss"}, "timezone", "Paris"),
        ({"shedule": "* * * * *"}, "shedule", "schedule"),
        ({"timeout": "8d"}, "timeout", "7d"),
        ({"target": {"type": "http", "method": "GET", "url": "ftp://example.com"}}, "target.url", "http"),
        ({"takeovers": -1}, "takeovers", "0"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_bad_field_is_named_with_what_would_be_right(
    stack: Stack, namespace: str, changes: dict[str, Any], path: str, word: str
) -> None:
    url = f"/v1/namespaces/{namespace}/jobs/bad"
    answer = stack.ask("PUT", url, GOOD | changes)
    assert answer.status == 422
    assert answer.type.startswith("application/problem+json")
    [error] = [error for error in answer.body["errors"] if error["path"] == path]
    assert word in f"{error['message']} {error.get('hint', '')}"
    assert stack.ask("GET", url).status == 404


def test_every_bad_field_is_reported_at_once(stack: Stack, namespace: str) -> None:
    bad = {
        "schedule": "* * *",
        "timezone": "Mars/Base",
        "timeout": "soon",
        "target": {"type": "http", "url": "nowhere"},
    }
    answer = stack.ask("PUT", f"/v1/namespaces/{namespace}/jobs/bad", bad)
    paths = {error["path"] for error in answer.body["errors"]}
    assert {"timezone", "timeout", "target.url"} <= paths
    assert answer.status == 422


def test_a_body_of_300_kilobytes_is_too_large(stack: Stack, namespace: str) -> None:
    answer = stack.ask("PUT", f"/v1/namespaces/{namespace}/jobs/big", GOOD | {"payload": "x" * 300_000})
    assert answer.status == 413
    assert stack.ask("GET", f"/v1/namespaces/{namespace}/jobs/big").status == 404


def test_a_name_with_spaces_is_refused(stack: Stack, namespace: str) -> None:
    answer = stack.ask("PUT", f"/v1/namespaces/{namespace}/jobs/my%20job", GOOD)
    assert answer.status == 422
    assert answer.body["errors"][0]["path"] == "name"


def test_a_body_that_is_not_json_is_refused_with_its_place(stack: Stack, namespace: str) -> None:
    answer = stack.ask("PUT", f"/v1/namespaces/{namespace}/jobs/bad", b'{"schedule": }')
    assert answer.status == 400
    assert "line 1" in answer.body["detail"] + str(answer.body.get("errors"))


@pytest.mark.parametrize("token", [None, "wrong"])
def test_without_a_known_token_the_api_reveals_nothing(stack: Stack, namespace: str, token: str | None) -> None:
    assert stack.ask("GET", f"/v1/namespaces/{namespace}/jobs", token=token).status == 401


def test_a_token_reaches_its_own_namespaces_and_role_alone(stack: Stack, namespace: str) -> None:
    secret = f"viewer-of-{namespace}"
    token = Token(digest=digest_of(secret), name="viewer", role=Role.VIEWER, namespaces=(namespace,))
    DynamoTokens(stack.dynamodb, stack.record.jobs_table).put(token)
    assert stack.ask("GET", f"/v1/namespaces/{namespace}/jobs", token=secret).status == 200
    elsewhere = stack.ask("GET", "/v1/namespaces/other/jobs", token=secret)
    assert elsewhere.status == 403
    assert namespace in elsewhere.body["detail"]
    assert stack.ask("PUT", f"/v1/namespaces/{namespace}/jobs/new", GOOD, token=secret).status == 403
    assert stack.ask("GET", f"/v1/namespaces/{namespace}/jobs/new").status == 404


def test_health_needs_no_token(stack: Stack) -> None:
    answer = stack.ask("GET", "/v1/health", token=None)
    assert (answer.status, answer.body["status"]) == (200, "ok")


def test_a_cursor_that_nobody_gave_is_refused(stack: Stack, namespace: str) -> None:
    answer = stack.ask("GET", f"/v1/namespaces/{namespace}/jobs?cursor=nonsense")
    assert answer.status == 400


def test_deleting_answers_nothing_and_then_there_is_nothing(stack: Stack, namespace: str) -> None:
    url = f"/v1/namespaces/{namespace}/jobs/gone"
    assert stack.ask("PUT", url, GOOD | {"schedule": "0 0 1 1 *"}).status == 201
    deleted = stack.ask("DELETE", url)
    assert (deleted.status, deleted.body) == (204, None)
    assert stack.ask("GET", url).status == 404
    assert stack.ask("DELETE", url).status == 404
