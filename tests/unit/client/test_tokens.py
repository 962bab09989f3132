"""Token operations of the client."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from minutehand.client import Client, Conflict, Invalid, NotAllowed, NotFound
from minutehand.domain.token import Role
from tests.support.api_server import NOW, ApiServer


def test_a_token_is_made_shown_listed_and_revoked(client: Client, api: ApiServer) -> None:
    made = client.create_token("ci", role="operator", namespaces=["shop"], expires_in=timedelta(days=1))
    assert (made["name"], made["role"], made["namespaces"]) == ("ci", "operator", ["shop"])
    assert made["expires_at"] == (NOW + timedelta(days=1)).isoformat().replace("+00:00", "Z")
    shown = {name: value for name, value in made.items() if name != "secret"}
    assert client.get_token(made["id"]) == shown
    assert [token for token in client.tokens() if token["name"] == "ci"] == [shown]
    with Client(api.url, made["secret"]) as own:
        grants = [{"role": "operator", "namespaces": ["shop"]}]
        assert own.own_token() == shown | {"kind": "token", "grants": grants}
        with pytest.raises(NotAllowed):
            own.create_token("more", role="viewer", namespaces=["shop"])
    client.revoke_token(made["id"])
    with pytest.raises(NotFound):
        client.get_token(made["id"])
    with pytest.raises(NotFound):
        client.revoke_token(made["id"])


def test_a_token_may_end_at_an_instant(client: Client) -> None:
    made = client.create_token("ci", role="agent", namespaces=["*"], expires_at=datetime(2027, 1, 1, tzinfo=UTC))
    assert made["expires_at"] == "2027-01-01T00:00:00Z"
    with pytest.raises(ValueError, match="no time zone"):
        client.create_token("ci", role="agent", namespaces=["*"], expires_at=datetime(2027, 1, 1))  # noqa: DTZ001


def test_all_pages_of_tokens_are_read(client: Client) -> None:
    for number in range(60):
        client.create_token(f"ci {number}", role="viewer", namespaces=["shop"])
    assert len(list(client.tokens())) == 61


def test_each_call_makes_a_token_and_a_repeated_key_makes_none(client: Client) -> None:
    first = client.create_token("ci", role="viewer", namespaces=["shop"], idempotency_key="k1")
    with pytest.raises(Conflict, match=first["id"]):
        client.create_token("ci", role="viewer", namespaces=["shop"], idempotency_key="k1")
    assert client.create_token("ci", role="viewer", namespaces=["shop"])["id"] != first["id"]


def test_an_invalid_role_is_refused(client: Client) -> None:
    with pytest.raises(Invalid, match="role"):
        client.create_token("ci", role="owner", namespaces=["shop"])


def test_a_viewer_sees_its_own_token_only(client: Client, api: ApiServer) -> None:
    api.allow(Role.VIEWER, "shop")
    assert client.own_token()["namespaces"] == ["shop"]
    with pytest.raises(NotAllowed):
        client.tokens_page()
