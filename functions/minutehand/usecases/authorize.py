"""Authorize: find the token of a request, and check what it may do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from minutehand.domain.errors import NotAllowed
from minutehand.domain.token import EVERYWHERE, Role, Token, digest_of

if TYPE_CHECKING:
    from minutehand.usecases.ports.tokens import Tokens

# RFC 9110, 11.1: the scheme `Bearer` is case-insensitive. Secrets are visible ASCII only, since Minutehand itself generates them.
_BEARER = re.compile(r"bearer +([!-~]{1,512})", re.ASCII | re.IGNORECASE)


def authorize(tokens: Tokens, header: str | None) -> Token | None:
    """The stored token whose secret an `Authorization` header carries; None when it carries no secret, or one that no token has.

    Raises:
        Unavailable: when the store of tokens does not answer.
    """
    found = _BEARER.fullmatch((header or "").strip())
    return tokens.get(digest_of(found[1])) if found else None


def require(token: Token, needed: Role, namespace: str) -> None:
    """Check that a token has the role `needed` in `namespace`, or in all namespaces for `EVERYWHERE`.

    Raises:
        NotAllowed: when it does not; the message says which role and namespaces the token has and which are needed.
    """
    if token.may(needed, namespace):
        return
    has, wanted = f"{token.role.value} in {_listed(token.namespaces)}", f"{needed.value} in {_listed((namespace,))}"
    raise NotAllowed(f"the token {token.name!r} is {has}; this needs {wanted}")


def _listed(namespaces: tuple[str, ...]) -> str:
    if EVERYWHERE in namespaces:
        return "every namespace"
    return ", ".join(repr(name) for name in namespaces) or "no namespace"
