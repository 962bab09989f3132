"""Records of changes of tokens."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryAudits, MemoryState, MemoryTokens
from minutehand.domain.audit import AuditRecord
from minutehand.domain.token import EVERYWHERE, Token
from minutehand.entrypoints.api.app import make_app
from minutehand.entrypoints.api.call import Deployment
from minutehand.entrypoints.api.routes import served_by
from minutehand.usecases.ports.bundle import Ports
from tests.unit.api.conftest import Api, FakeClock
from tests.unit.api.test_audit import ADAS_TOKEN, FROM, audit

TOKENS = "/v1/tokens"
CI = {"name": "ci", "role": "operator", "namespaces": ["shop"]}


class Tokens(MemoryTokens):
    """A store whose `remove` finds that another request was faster."""

    late = False

    def remove(self, token: Token, audits: Sequence[AuditRecord] = ()) -> bool:
        if self.late:
            super().remove(token)
        return super().remove(token, audits)


@pytest.fixture
def tokens(state: MemoryState) -> Tokens:
    return Tokens(state)


@pytest.fixture
def api(state: MemoryState, ports: Ports, tokens: Tokens, clock: FakeClock) -> Api:
    deployment = Deployment(
        tokens_of=lambda: tokens,
        ports_of=lambda: ports,
        audits_of=lambda: MemoryAudits(state),
        clock=clock,
        tokens_kept=timedelta(0),
        audit_retention=timedelta(days=9),
    )
    return Api(app=make_app(deployment), tokens=tokens)


def test_a_new_and_a_revoked_token_are_recorded_with_who_when_and_from_where(api: Api, clock: FakeClock) -> None:
    made = api.post(TOKENS, body=CI | {"expires_in": "90d"}, **FROM).body
    clock.move(seconds=5)
    assert api.by(token="bob").delete(f"{TOKENS}/{made['id']}").status == 204
    revoked, created = audit(api)
    assert created == {
        "at": "2026-11-20T12:00:30Z",
        "actor": "ada",
        "actor_id": ADAS_TOKEN,
        "address": "198.51.100.7",
        "client": "curl/8.5 [2J",
        "request_id": "req-7",
        "action": "create_token",
        "namespace": "*",
        "job": None,
        "calendar": None,
        "revision": None,
        "about": {"token_id": made["id"]},
        "changes": [
            {"path": "/name", "after": "ci"},
            {"path": "/role", "after": "operator"},
            {"path": "/namespaces", "after": ["shop"]},
            {"path": "/expires_at", "after": "2027-02-18T12:00:30Z"},
        ],
        "changes_left_out": 0,
    }
    assert (revoked["actor"], revoked["action"], revoked["at"]) == ("bob", "revoke_token", "2026-11-20T12:00:35Z")
    assert [(each["path"], each.get("before"), "after" in each) for each in revoked["changes"]] == [
        (each["path"], each["after"], False) for each in created["changes"]
    ]


def test_no_record_has_the_secret_or_its_hash(api: Api, state: MemoryState) -> None:
    secret = api.post(TOKENS, body=CI).body["secret"]
    digest = next(token.digest for token in state.tokens.values() if token.name == "ci")
    kept = repr(state.audits)
    assert secret not in kept
    assert digest not in kept
    assert secret not in json.dumps(audit(api))


def test_a_namespace_has_the_records_of_the_tokens_that_name_it_without_their_other_namespaces(api: Api) -> None:
    api.post(TOKENS, body=CI | {"namespaces": ["shop", "bank"]})
    api.post(TOKENS, body=CI | {"namespaces": ["*"]})
    for name in ("shop", "bank"):
        [record] = audit(api.by(role="viewer", namespaces=name), namespace=name)
        assert (record["namespace"], record["action"]) == (name, "create_token")
        assert {"path": "/namespaces", "after": [name]} in record["changes"]
    assert audit(api, namespace="farm") == []


def test_the_records_of_all_namespaces_have_each_token_once(api: Api) -> None:
    api.put()
    api.post(TOKENS, body=CI | {"namespaces": ["demo", "unused"]})
    assert [(each["action"], each["namespace"]) for each in audit(api)] == [("create_token", "*"), ("save", "demo")]
    [record] = audit(api, action="create_token", actor="ada")
    assert {"path": "/namespaces", "after": ["demo", "unused"]} in record["changes"]


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", TOKENS, CI | {"role": "owner"}, 422),
        ("POST", TOKENS, CI | {"namespaces": []}, 422),
        ("DELETE", f"{TOKENS}/t-aaaaaaaaaa", None, 404),
        ("GET", TOKENS, None, 200),
    ],
)
def test_what_changes_no_token_is_not_recorded(
    api: Api, state: MemoryState, method: str, path: str, body: Any, status: int
) -> None:
    assert api.send(method, path, body).status == status
    assert not state.audits


def test_a_repeated_key_records_one_token(api: Api) -> None:
    for status in (201, 409):
        assert api.post(TOKENS, body=CI, headers={"Idempotency-Key": "k1"}).status == status
    assert len(audit(api, namespace="shop")) == 1


def test_of_two_who_revoke_a_token_at_once_one_is_recorded(api: Api, tokens: Tokens) -> None:
    made = api.post(TOKENS, body=CI).body
    tokens.late = True
    assert api.delete(f"{TOKENS}/{made['id']}").status == 404
    assert [each["action"] for each in audit(api, namespace="shop")] == ["create_token"]


def test_records_expire_after_the_time_that_the_deployment_sets(api: Api, state: MemoryState, clock: FakeClock) -> None:
    api.post(TOKENS, body=CI)
    assert {record.expires_at for record in state.audits.values()} == {clock.now + timedelta(days=9)}
    assert {record.namespace for record in state.audits.values()} == {EVERYWHERE, "shop"}


def test_the_function_of_the_routes_of_tokens_needs_no_ports_to_record(state: MemoryState, tokens: Tokens) -> None:
    access = Api(app=make_app(Deployment(tokens_of=lambda: tokens), served_by("Access")), tokens=tokens)
    made = access.post(TOKENS, body=CI)
    assert made.status == 201
    assert access.delete(f"{TOKENS}/{made.body['id']}").status == 204
    assert len(state.audits) == 4
