"""Caller: who sends a request to the API, and what that caller may do."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from enum import Enum
from typing import Annotated, NamedTuple

from minutehand.domain.declaration.field import Field
from minutehand.domain.token import EVERYWHERE, Role, Token


class CallerKind(Enum):
    """How a caller proves who it is."""

    TOKEN = "token"  # noqa: S105 - no secret
    """The holder of a bearer token of this stack."""
    PERSON = "person"
    """The subject of a JSON Web Token (JWT) of the stack's OIDC issuer."""
    PRINCIPAL = "principal"
    """A principal of AWS IAM, which signs its requests."""


class Grant(NamedTuple):
    """A role in some namespaces."""

    role: Annotated[Role, Field("What the caller may do in these namespaces.")]
    namespaces: Annotated[tuple[str, ...], Field("Names of namespaces, or `*` for all.")]

    def allows(self, needed: Role, namespace: str) -> bool:
        """Whether it lets its holder act as `needed` in `namespace`."""
        return self.role.covers(needed) and (EVERYWHERE in self.namespaces or namespace in self.namespaces)


class Caller(NamedTuple):
    """Who sends a request.

    Attributes:
        digest: tells callers apart; of a token, the hash of its secret.
        name: shown as the author of changes. Only the name of a token has no colon.
        grants: roles in namespaces; the caller may do what any of them allows.
        expires_at: from when on the token is refused; None for other callers: what they may do outlasts a session of theirs.
        token: the token, if the caller is one.
    """

    digest: str
    name: str
    kind: CallerKind
    grants: tuple[Grant, ...]
    expires_at: datetime | None = None
    token: Token | None = None

    @classmethod
    def of(cls, token: Token) -> Caller:
        """The holder of a token."""
        grants = (Grant(token.role, token.namespaces),)
        return cls(token.digest, token.name, CallerKind.TOKEN, grants, token.expires_at, token)

    def may(self, needed: Role, namespace: str) -> bool:
        """Whether the caller may act as `needed` in `namespace`, or in all for `EVERYWHERE`."""
        return any(grant.allows(needed, namespace) for grant in self.grants)

    def may_somewhere(self, needed: Role) -> bool:
        """Whether the caller has a role that includes `needed`, in whichever namespaces."""
        return any(grant.role.covers(needed) for grant in self.grants)

    def manages(self, namespaces: Iterable[str]) -> bool:
        """Whether the caller is an admin of all of these namespaces."""
        return all(self.may(Role.ADMIN, namespace) for namespace in namespaces)

    def __str__(self) -> str:
        """The caller in a sentence: `the token 'ci'`."""
        what = {CallerKind.TOKEN: "the token ", CallerKind.PERSON: "", CallerKind.PRINCIPAL: "the principal "}
        return f"{what[self.kind]}{self.name!r}"


NOBODY = Caller(digest="", name="", kind=CallerKind.TOKEN, grants=())
"""The caller of a route that asks for none."""
