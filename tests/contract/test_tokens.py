"""Contract of stores of tokens."""

from __future__ import annotations

import pytest

from minutehand.domain.token import Role, Token, digest_of


@pytest.mark.parametrize("role", list(Role))
def test_a_token_comes_back_as_it_was_stored(stores, namespace, role):
    token = Token(digest=digest_of(namespace), name="ada", role=role, namespaces=("*", namespace))
    stores.tokens.put(token)
    assert stores.tokens.get(token.digest) == token


def test_an_unknown_token_is_none(stores):
    assert stores.tokens.get(digest_of("nobody's secret")) is None


def test_a_token_replaces_one_of_the_same_digest(stores, namespace):
    digest = digest_of(namespace)
    stores.tokens.put(Token(digest=digest, name="ada", role=Role.ADMIN, namespaces=("*",)))
    stores.tokens.put(Token(digest=digest, name="bob", role=Role.VIEWER, namespaces=()))
    assert stores.tokens.get(digest) == Token(digest=digest, name="bob", role=Role.VIEWER, namespaces=())
