from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from minutehand.adapters.memory import MemoryState, MemoryTokens
from minutehand.domain.caller import Caller
from minutehand.domain.errors import NotAllowed
from minutehand.domain.token import Role, Token, digest_of
from minutehand.usecases.authorize import authorize, require, require_somewhere

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def token(role: Role = Role.OPERATOR, *namespaces: str) -> Token:
    return Token(digest=digest_of("s3cret"), name="ci", role=role, namespaces=namespaces)


def caller(role: Role = Role.OPERATOR, *namespaces: str) -> Caller:
    return Caller.of(token(role, *namespaces))


@pytest.fixture
def tokens() -> MemoryTokens:
    tokens = MemoryTokens(MemoryState())
    tokens.put(token(Role.OPERATOR, "shop"))
    return tokens


@pytest.mark.parametrize("header", ["Bearer s3cret", "bearer s3cret", "BEARER   s3cret", "  Bearer s3cret "])
def test_a_bearer_secret_is_known_by_its_hash(tokens: MemoryTokens, header: str) -> None:
    assert authorize(tokens, header, NOW) == token(Role.OPERATOR, "shop")


@pytest.mark.parametrize(
    ("header", "why"),
    [
        (None, "no header"),
        ("", "an empty one"),
        ("s3cret", "no scheme"),
        ("Basic s3cret", "another scheme"),
        ("Bearers3cret", "no blank between"),
        ("Bearer s3cret more", "two words"),
        ("Bearer S3cret", "secrets have a case"),
        ("Bearer s3cr\u00e9t", "no visible ASCII"),
        ("Bearer " + "x" * 513, "longer than any of ours"),
        (f"Bearer {digest_of('s3cret')}", "the hash is no secret"),
    ],
)
def test_an_unknown_secret_has_no_token(tokens: MemoryTokens, header: str | None, why: str) -> None:
    assert authorize(tokens, header, NOW) is None, why


def test_a_token_is_refused_from_the_instant_of_its_expiry_on(tokens: MemoryTokens) -> None:
    tokens.put(token(Role.OPERATOR, "shop")._replace(expires_at=NOW))
    assert authorize(tokens, "Bearer s3cret", NOW - timedelta(milliseconds=1)) is not None
    assert authorize(tokens, "Bearer s3cret", NOW) is None


def test_an_agent_passes_only_where_agents_do() -> None:
    require(caller(Role.AGENT, "shop"), Role.VIEWER, "shop", agents=True)
    for needed, namespace, agents in ((Role.VIEWER, "shop", False), (Role.VIEWER, "bank", True)):
        with pytest.raises(NotAllowed):
            require(caller(Role.AGENT, "shop"), needed, namespace, agents=agents)


def test_a_token_of_any_namespace_passes_where_that_is_enough() -> None:
    require_somewhere(caller(Role.ADMIN, "shop"), Role.ADMIN)
    require_somewhere(caller(Role.AGENT, "shop"), Role.VIEWER, agents=True)
    with pytest.raises(NotAllowed, match="the token 'ci' is agent in 'shop'; this needs viewer in any namespace"):
        require_somewhere(caller(Role.AGENT, "shop"), Role.VIEWER)


def test_a_token_passes_where_it_may_act() -> None:
    require(caller(Role.OPERATOR, "shop"), Role.VIEWER, "shop")
    require(caller(Role.ADMIN, "*"), Role.ADMIN, "anywhere")


@pytest.mark.parametrize(
    ("given", "needed", "message"),
    [
        (token(Role.VIEWER, "shop"), Role.ADMIN, "the token 'ci' is viewer in 'shop'; this needs admin in 'shop'"),
        (token(Role.ADMIN, "a", "b"), Role.VIEWER, "the token 'ci' is admin in 'a', 'b'; this needs viewer in 'shop'"),
        (
            token(Role.VIEWER, "*"),
            Role.OPERATOR,
            "the token 'ci' is viewer in every namespace; this needs operator in 'shop'",
        ),
        (token(Role.ADMIN), Role.VIEWER, "the token 'ci' is admin in no namespace; this needs viewer in 'shop'"),
    ],
)
def test_a_refused_token_learns_its_role_and_the_needed_one(given: Token, needed: Role, message: str) -> None:
    with pytest.raises(NotAllowed) as refused:
        require(Caller.of(given), needed, "shop")
    assert str(refused.value) == message
