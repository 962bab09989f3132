from __future__ import annotations

import base64

import pytest

from minutehand.domain.token import Role, Token, digest_of, id_of


@pytest.mark.parametrize(
    ("role", "covered"),
    [
        (Role.VIEWER, {Role.VIEWER}),
        (Role.OPERATOR, {Role.VIEWER, Role.OPERATOR}),
        (Role.ADMIN, {Role.VIEWER, Role.OPERATOR, Role.ADMIN}),
        (Role.AGENT, {Role.AGENT}),
    ],
)
def test_a_role_may_do_what_the_ones_below_it_may(role: Role, covered: set[Role]) -> None:
    assert {needed for needed in Role if role.covers(needed)} == covered


def test_a_secret_is_stored_as_its_sha_256() -> None:
    assert digest_of("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_the_id_of_a_token_is_the_beginning_of_its_digest_in_base32() -> None:
    digest = digest_of("abc")
    assert id_of(digest) == "t-" + base64.b32encode(bytes.fromhex(digest))[:10].decode().lower()
    assert Token(digest=digest, name="ci", role=Role.VIEWER, namespaces=()).id == id_of(digest)
