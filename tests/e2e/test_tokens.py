"""Tokens, by HTTP against the deployed stack."""

from __future__ import annotations

from datetime import timedelta

import pytest

from minutehand.client import Client, NotAllowed
from minutehand.domain.token import id_of
from tests.e2e.conftest import Stack, eventually


def test_a_token_is_made_used_noted_listed_and_revoked(stack: Stack, namespace: str) -> None:
    admin = stack.client
    made = admin.create_token("e2e", role="viewer", namespaces=[namespace], expires_in=timedelta(hours=1))
    with Client(stack.record.url, made["secret"], retries=0) as own:
        assert own.own_token()["id"] == made["id"]
        assert list(own.list_jobs(namespace)) == []
        with pytest.raises(NotAllowed):
            list(own.list_jobs("other"))
        with pytest.raises(NotAllowed):
            own.create_token("more", role="viewer", namespaces=[namespace])
    eventually(lambda: admin.get_token(made["id"])["last_used_at"], seconds=5, what="a note of the use")
    assert made["id"] in {token["id"] for token in admin.tokens()}
    admin.revoke_token(made["id"])
    for records in (admin.audit(namespace=namespace), admin.audit()):
        about = [each["action"] for each in records if each["about"].get("token_id") == made["id"]]
        assert about == ["revoke_token", "create_token"]
    assert stack.ask("GET", f"/v1/tokens/{made['id']}").status == 404
    _refused(stack, "/v1/token", made["secret"], seconds=40)


def test_a_token_that_expires_is_refused_from_then_on(stack: Stack, namespace: str) -> None:
    made = stack.client.create_token("e2e", role="viewer", namespaces=[namespace], expires_in=timedelta(minutes=1))
    path = f"/v1/namespaces/{namespace}/jobs"
    assert stack.ask("GET", path, token=made["secret"]).status == 200
    _refused(stack, path, made["secret"], seconds=70)


def test_the_first_token_is_listed(stack: Stack) -> None:
    names = {token["id"]: token["name"] for token in stack.client.tokens()}
    own = stack.client.own_token()
    assert (names[own["id"]], own["name"]) == ("admin", "admin")
    assert id_of("0" * 64) not in names


def test_a_repeated_idempotency_key_makes_one_token(stack: Stack, namespace: str) -> None:
    body = {"name": "e2e", "role": "agent", "namespaces": [namespace]}
    headers = {"Idempotency-Key": f"key-of-{namespace}"}
    first, again = (stack.ask("POST", "/v1/tokens", body, headers=headers) for _ in range(2))
    assert (first.status, again.status) == (201, 409)
    assert first.body["id"] in again.body["detail"]
    path = f"/v1/namespaces/{namespace}/services/web/endpoints/a"
    endpoint = {"url": "http://10.0.3.7:8080"}
    assert stack.ask("PUT", path, endpoint, token=first.body["secret"]).status == 201
    assert stack.ask("GET", f"/v1/namespaces/{namespace}/jobs", token=first.body["secret"]).status == 403


def _refused(stack: Stack, path: str, secret: str, *, seconds: float) -> None:
    """Wait until a token is refused."""
    eventually(
        lambda: stack.ask("GET", path, token=secret).status == 401 or None,
        seconds=seconds,
        what="the refusal of a token",
        every=1,
    )
