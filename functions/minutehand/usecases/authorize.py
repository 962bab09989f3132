"""Authorize: find the token of a request, and check what it may do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from minutehand.domain.errors import NotAllowed
from minutehand.domain.token import EVERYWHERE, Role, Token, digest_of

if TYPE_CHECKING:
    from datetime import datetime

    from minutehand.usecases.ports.tokens import TokenLookup

# RFC 9110, 11.1: the scheme `Bearer` is case-insensitive. Secrets are visible ASCII only, since Minutehand itself generates them.
_BEARER = re.compile(r"bearer +([!-~]{1,512})", re.ASCII | re.IGNORECASE)


def authorize(tokens: TokenLookup, header: str | None, now: datetime) -> Token | None:
    """The token whose secret an `Authorization` header carries.

    Returns:
        None when the header carries no secret, or one that no token has, or that of a token that has expired.

    Raises:
        Unavailable: when the store of tokens does not answer.
    """
    found = _BEARER.fullmatch((header or "").strip())
    token = tokens.get(digest_of(found[1])) if found else None
    return None if token is None or token.expired(now) else token


def require(token: Token, needed: Role, namespace: str, *, agents: bool = False) -> None:
    """Check that a token has the role `needed` in `namespace`, or in all namespaces for `EVERYWHERE`.

    Args:
        agents: whether the role `agent` is enough, too.

    Raises:
        NotAllowed: when it does not; the message says which role and namespaces the token has and which are needed.
    """
    if token.may(needed, namespace) or (agents and token.may(Role.AGENT, namespace)):
        return
    raise _refusal(token, needed, _listed((namespace,)), agents=agents)


def require_somewhere(token: Token, needed: Role, *, agents: bool = False) -> None:
    """Check that a token has the role `needed`, in whichever namespaces. Arguments and errors are those of `require`."""
    if not token.role.covers(needed) and not (agents and token.role is Role.AGENT):
        raise _refusal(token, needed, "any namespace", agents=agents)


def _refusal(token: Token, needed: Role, where: str, *, agents: bool) -> NotAllowed:
    wanted = f"{needed.value} or {Role.AGENT.value}" if agents else needed.value
    has = f"{token.role.value} in {_listed(token.namespaces)}"
    return NotAllowed(f"the token {token.name!r} is {has}; this needs {wanted} in {where}")


def _listed(namespaces: tuple[str, ...]) -> str:
    if EVERYWHERE in namespaces:
        return "every namespace"
    return ", ".join(repr(name) for name in namespaces) or "no namespace"
