from __future__ import annotations

import pytest

from minutehand.domain.token import Role, Token, digest_of


@pytest.mark.parametrize(
    ("role", "covered"),
    [
        (Role.VIEWER, {Role.VIEWER}),
        (Role.OPERATOR, {Role.VIEWER, Role.OPERATOR}),
        (Role.ADMIN, {Role.VIEWER, Role.OPERATOR, Role.ADMIN}),
    ],
)
def test_a_role_may_do_what_the_ones_below_it_may(role: Role, covered: set[Role]) -> None:
    assert {needed for needed in Role if role.covers(needed)} == covered


@pytest.mark.parametrize(
    ("namespaces", "namespace", "allowed"),
    [
        (("shop",), "shop", True),
        (("shop", "bank"), "bank", True),
        (("shop",), "shopping", False),
        (("*",), "anything", True),
        ((), "shop", False),
    ],
)
def test_a_token_counts_in_its_own_namespaces(namespaces: tuple[str, ...], namespace: str, allowed: bool) -> None:
    token = Token(digest="x", name="ci", role=Role.OPERATOR, namespaces=namespaces)
    assert token.may(Role.VIEWER, namespace) is allowed
    assert not token.may(Role.ADMIN, namespace), "its role counts too"


def test_a_secret_is_stored_as_its_sha_256() -> None:
    assert digest_of("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
