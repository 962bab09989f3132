"""Authorize: find the token of a request, and check what its caller may do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from minutehand.domain.errors import NotAllowed
from minutehand.domain.token import EVERYWHERE, Role, Token, digest_of

if TYPE_CHECKING:
    from datetime import datetime

    from minutehand.domain.caller import Caller, Grant
    from minutehand.usecases.ports.tokens import TokenLookup

# RFC 9110, 11.1: the scheme `Bearer` is case-insensitive. Secrets are visible ASCII only, since Minutehand itself generates them.
_BEARER = re.compile(r"bearer +([!-~]{1,512})", re.ASCII | re.IGNORECASE)
# Three parts in base64url, the first of which begins a JSON object: RFC 7515, 7.1.
_JWT = re.compile(r"bearer +(eyJ[\w-]*\.[\w-]+\.[\w-]*)", re.ASCII | re.IGNORECASE)


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


def jwt_in(header: str | None) -> str | None:
    """What an `Authorization` header carries, if it looks like a JSON Web Token (JWT). No secret of a token does."""
    found = _JWT.fullmatch((header or "").strip())
    return found[1] if found else None


def require(caller: Caller, needed: Role, namespace: str, *, agents: bool = False) -> None:
    """Check that a caller has the role `needed` in `namespace`, or in all namespaces for `EVERYWHERE`.

    Args:
        agents: whether the role `agent` is enough, too.

    Raises:
        NotAllowed: when not; the message says which roles and namespaces the caller has and which are needed.
    """
    if caller.may(needed, namespace) or (agents and caller.may(Role.AGENT, namespace)):
        return
    raise _refusal(caller, needed, _listed((namespace,)), agents=agents)


def require_somewhere(caller: Caller, needed: Role, *, agents: bool = False) -> None:
    """Check that a caller has the role `needed`, in whichever namespaces. Arguments and errors are those of `require`."""
    if not caller.may_somewhere(needed) and not (agents and caller.may_somewhere(Role.AGENT)):
        raise _refusal(caller, needed, "any namespace", agents=agents)


def _refusal(caller: Caller, needed: Role, where: str, *, agents: bool) -> NotAllowed:
    wanted = f"{needed.value} or {Role.AGENT.value}" if agents else needed.value
    return NotAllowed(f"{caller} {_has(caller.grants)}; this needs {wanted} in {where}")


def _has(grants: tuple[Grant, ...]) -> str:
    if not grants:
        return "has no role in this stack: no entry of its role map names it"
    return "is " + ", and ".join(f"{grant.role.value} in {_listed(grant.namespaces)}" for grant in grants)


def _listed(namespaces: tuple[str, ...]) -> str:
    if EVERYWHERE in namespaces:
        return "every namespace"
    return ", ".join(repr(name) for name in namespaces) or "no namespace"
