"""Tokens by way of the API: made, listed, shown and revoked."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryState, MemoryTokens
from minutehand.domain.token import Role, Token, digest_of
from minutehand.entrypoints.api.app import make_app
from minutehand.entrypoints.api.call import Deployment
from tests.unit.api.conftest import NOON, Answer, Api, FakeClock

TOKENS = "/v1/tokens"
CI = {"name": "ci", "role": "operator", "namespaces": ["shop"]}


@pytest.fixture
def tokens() -> MemoryTokens:
    return MemoryTokens(MemoryState())


@pytest.fixture
def api(tokens: MemoryTokens, clock: FakeClock) -> Api:
    deployment = Deployment(tokens_of=lambda: tokens, clock=clock, tokens_kept=timedelta(0))
    return Api(app=make_app(deployment), tokens=tokens)


def made(api: Api, key: str = "", **changed: Any) -> Answer:
    return api.post(TOKENS, body=CI | changed, headers={"Idempotency-Key": key} if key else None)


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def test_a_new_token_is_answered_with_its_secret_and_works(api: Api, tokens: MemoryTokens) -> None:
    answer = made(api)
    assert answer.status == 201
    secret = answer.body.pop("secret")
    token = tokens.get(digest_of(secret))
    assert token is not None
    assert len(secret) == 40
    assert answer.body == {
        "id": token.id,
        **CI,
        "created_at": "2026-11-20T12:00:30Z",
        "created_by": "ada",
        "expires_at": None,
        "last_used_at": None,
    }
    own = api.by(authorized=False).get("/v1/token", headers=bearer(secret))
    grants = [{"role": "operator", "namespaces": ["shop"]}]
    assert (own.status, own.body) == (200, answer.body | {"kind": "token", "grants": grants})


def test_a_secret_is_answered_once_and_neither_stored_nor_logged(
    api: Api, tokens: MemoryTokens, lines: Callable[[], list[dict[str, Any]]]
) -> None:
    answer = made(api)
    secret, token_id = answer.body["secret"], answer.body["id"]
    later = [api.get(TOKENS).body, api.get(f"{TOKENS}/{token_id}").body]
    assert secret not in f"{later} {tokens._state} {lines()}"
    assert next(line for line in lines() if line.get("action") == "create_token")["token_id"] == token_id


@pytest.mark.parametrize(
    ("given", "expires_at"),
    [
        ({"expires_in": "90d"}, "2027-02-18T12:00:30Z"),
        ({"expires_at": "2027-01-01T01:00:00+01:00"}, "2027-01-01T00:00:00Z"),
        ({"expires_at": None, "expires_in": None}, None),
        ({"expires_at": "2036-11-17T12:00:30Z"}, "2036-11-17T12:00:30Z"),
        ({"expires_in": "3650d"}, "2036-11-17T12:00:30Z"),
    ],
)
def test_an_expiry_is_a_duration_or_an_instant(api: Api, given: dict[str, Any], expires_at: str | None) -> None:
    assert made(api, **given).body["expires_at"] == expires_at


def test_an_answered_expiry_can_be_sent_for_another_token(api: Api, clock: FakeClock) -> None:
    clock.move(seconds=0.268)
    answered = made(api, expires_in="90d").body["expires_at"]
    assert (answered, made(api, expires_at=answered).status) == ("2027-02-18T12:00:30Z", 201)


@pytest.mark.parametrize(
    ("changed", "path", "said"),
    [
        ({"name": ""}, "name", "is not a valid name of a token"),
        ({"name": "a\nb"}, "name", "is not a valid name of a token"),
        ({"name": "x" * 65}, "name", "is not a valid name of a token"),
        ({"role": "owner"}, "role", "is not a valid value"),
        ({"namespaces": []}, "namespaces", "this is empty"),
        ({"namespaces": ["a", "*"]}, "namespaces", "`*` means all namespaces"),
        ({"namespaces": ["a", "a"]}, "namespaces", "a namespace is named twice"),
        ({"namespaces": ["a,b"]}, "namespaces[0]", "is not a valid name"),
        ({"namespaces": [f"n{number}" for number in range(91)]}, "namespaces", "90 is the most"),
        ({"expires_in": "5"}, "expires_in", "duration"),
        ({"expires_in": "1s"}, "expires_in", ""),
        ({"expires_at": "2026-11-20T12:00:30Z"}, "expires_at", "this is not in the future"),
        ({"expires_at": "9999-12-15T00:00:00Z"}, "expires_at", "this is more than 3650 days from now"),
        ({"expires_at": "2036-11-17T12:00:31Z"}, "expires_at", "this is more than 3650 days from now"),
        ({"expires_at": "2027-01-01T00:00:00Z", "expires_in": "1d"}, "expires_in", "`expires_at` is given, too"),
        ({"secret": "my own"}, "secret", "unknown field"),
    ],
)
def test_an_invalid_token_is_refused_with_every_wrong_field(
    api: Api, tokens: MemoryTokens, changed: dict[str, Any], path: str, said: str
) -> None:
    answer = made(api, **changed)
    assert answer.status == 422
    assert said in answer.errors[path]["message"]
    assert [token.name for token in tokens.page(10, None).items] == ["ada"]


@pytest.mark.parametrize(
    ("namespaces", "wanted", "said"),
    [
        ("shop", ["bank"], "the token 'ada' has 'shop', and cannot make a token for 'bank'"),
        ("shop,bank", ["shop", "farm"], "the token 'ada' has 'shop', 'bank', and cannot make a token for 'farm'"),
        ("shop", ["*"], "the token 'ada' has 'shop', and cannot make a token for every namespace"),
        ("", ["shop"], "the token 'ada' has no namespace, and cannot make a token for 'shop'"),
    ],
)
def test_nobody_makes_a_token_for_more_namespaces_than_their_own(
    api: Api, namespaces: str, wanted: list[str], said: str
) -> None:
    answer = made(api.by(namespaces=namespaces), namespaces=wanted)
    assert (answer.status, answer.body["detail"]) == (403, said)
    assert made(api.by(namespaces="shop,bank"), namespaces=["bank"]).status == 201


@pytest.mark.parametrize("role", ["viewer", "operator", "agent"])
def test_only_admins_make_tokens_so_that_nobody_makes_one_with_a_higher_role(api: Api, role: str) -> None:
    assert made(api.by(role=role), role="viewer").status == 403
    assert made(api, role=role).status == 201


def test_a_token_that_expires_makes_none_that_lasts_longer(api: Api, tokens: MemoryTokens) -> None:
    soon = NOON + timedelta(hours=1)
    tokens.put(Token(digest=digest_of("s3cret"), name="eve", role=Role.ADMIN, namespaces=("*",), expires_at=soon))

    def by_eve(**changed: Any) -> Answer:
        return api.by(authorized=False).post(TOKENS, body=CI | changed, headers=bearer("s3cret"))

    for longer in ({}, {"expires_in": "61m"}):
        answer = by_eve(**longer)
        assert answer.status == 403
        assert "expires at 2026-11-20T13:00:30Z, and cannot make a token that lasts longer" in answer.body["detail"]
    assert by_eve(expires_in="60m").status == 201


def test_a_repeated_idempotency_key_makes_no_second_token_and_names_the_first(api: Api, tokens: MemoryTokens) -> None:
    first = made(api, key="k1")
    again = made(api, key="k1")
    assert (again.status, again.body["type"].rpartition(":")[2]) == (409, "key-reused")
    assert first.body["id"] in again.body["detail"]
    assert first.body["secret"] not in json.dumps(again.body)
    assert made(api, key="k2").status == 201
    assert made(api.by(token="bob"), key="k1").status == 201, "another caller's keys are others"
    assert len([token for token in tokens.page(10, None).items if token.name == "ci"]) == 3


def test_tokens_are_listed_page_by_page_and_a_foreign_cursor_is_refused(api: Api) -> None:
    ids = sorted(made(api).body["id"] for _ in range(4))
    found: list[str] = []
    query = {"limit": "2"}
    while True:
        page = api.get(TOKENS, query=query).body
        assert len(page["items"]) <= 2
        assert all("secret" not in item and "digest" not in item for item in page["items"])
        found += [item["id"] for item in page["items"] if item["name"] == "ci"]
        if page["next"] is None:
            break
        query["cursor"] = page["next"]
    assert found == ids
    assert api.get(TOKENS, query={"cursor": "WyJqb2JzIiwiZGVtbyIsImEiXQ"}).status == 400
    assert api.get(TOKENS, query={"limit": "101"}).status == 400


def test_an_admin_of_some_namespaces_sees_and_revokes_only_tokens_of_these(api: Api) -> None:
    ids = {names: made(api, namespaces=names.split(",")).body["id"] for names in ("shop", "bank", "shop,bank", "*")}
    local = api.by(token="local", namespaces="shop")
    seen = {item["id"] for item in local.get(TOKENS).body["items"]} & set(ids.values())
    assert seen == {ids["shop"]}
    unknown = local.get(f"{TOKENS}/t-aaaaaaaaaa")
    for names, token_id in ids.items():
        for method in ("GET", "DELETE"):
            answer = local.send(method, f"{TOKENS}/{token_id}")
            if names == "shop":
                assert answer.status in (200, 204)
            else:
                assert answer.status == unknown.status == 404
                assert answer.body["detail"].replace(token_id, "t-aaaaaaaaaa") == unknown.body["detail"]
    assert {item["id"] for item in api.get(TOKENS).body["items"]} >= {ids["bank"], ids["shop,bank"], ids["*"]}


def test_a_revoked_token_is_refused_gone_and_cannot_be_revoked_again(api: Api) -> None:
    answer = made(api)
    path, held = f"{TOKENS}/{answer.body['id']}", bearer(answer.body["secret"])
    assert api.delete(path).status == 204
    assert api.by(authorized=False).get("/v1/token", headers=held).status == 401
    assert api.get(path).status == api.delete(path).status == 404


def test_every_role_may_see_its_own_token(api: Api) -> None:
    for role in Role:
        own = api.by(role=role.value, namespaces="shop").get("/v1/token").body
        assert (own["name"], own["role"], own["namespaces"]) == ("ada", role.value, ["shop"])


def test_a_token_of_an_earlier_version_is_shown_without_what_was_not_recorded(api: Api) -> None:
    own = api.get("/v1/token").body
    assert (own["created_at"], own["created_by"], own["expires_at"]) == (None, None, None)
