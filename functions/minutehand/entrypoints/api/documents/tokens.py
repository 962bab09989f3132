"""The documents of tokens, and the request that makes one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated

from minutehand.domain.caller import Caller, CallerKind, Grant
from minutehand.domain.declaration import checks
from minutehand.domain.declaration.field import Field, Refused
from minutehand.domain.token import EVERYWHERE, LONGEST_VALID, MOST_NAMESPACES, Role, Token

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._@/+-]{0,63}", re.ASCII)
_RANKS = (Role.AGENT, Role.VIEWER, Role.OPERATOR, Role.ADMIN)


def _check_name(text: str) -> None:
    if not _NAME.fullmatch(text):
        raise Refused(
            f"{text!r:.80} is not a valid name of a token",
            "write 1 to 64 of A-Z, a-z, 0-9, blank, `.`, `_`, `@`, `/`, `+` and `-`, the first a letter or digit",
        )


def _check_namespace(text: str) -> None:
    if text != EVERYWHERE:
        checks.name(text)


@dataclass(frozen=True, kw_only=True, slots=True)
class TokenRequest:
    """A token to make."""

    name: Annotated[
        str,
        Field(
            "Its name, shown as the author of changes. Several tokens may have the same.",
            check=_check_name,
            pattern=f"^{_NAME.pattern}$",
            examples=("deploy-pipeline", "ada@example.com"),
        ),
    ]
    role: Annotated[Role, Field("What it may do in its namespaces.")]
    namespaces: Annotated[
        tuple[str, ...],
        Field(
            'Names of namespaces, or `["*"]` for all. They need not exist yet.',
            most=MOST_NAMESPACES,
            check=_check_namespace,
            pattern=rf"^(\*|{checks.NAME.pattern})$",
            examples=(["shop", "billing"], ["*"]),
        ),
    ]
    expires_in: Annotated[
        timedelta | None,
        Field(
            "How long it is valid; only without `expires_at`.",
            least="1m",
            most=f"{LONGEST_VALID.days}d",
            examples=("90d",),
        ),
    ] = None
    expires_at: Annotated[
        datetime | None,
        Field(
            f"From when on it is refused, within {LONGEST_VALID.days} days. Without this and `expires_in`, it does not expire."
        ),
    ] = None


@dataclass(frozen=True, kw_only=True, slots=True)
class TokenDocument:
    """A token, without its secret."""

    id: Annotated[str, Field("Its id, such as `t-4k2m7xq5ab`.")]
    token: Annotated[Token, Field(inline=True)]


@dataclass(frozen=True, kw_only=True, slots=True)
class CreatedTokenDocument:
    """A new token, with its secret: the only answer that has it."""

    id: Annotated[str, Field("Its id, such as `t-4k2m7xq5ab`.")]
    token: Annotated[Token, Field(inline=True)]
    secret: Annotated[str, Field("The secret to send as `Authorization: Bearer SECRET`. It cannot be read again.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class CallerDocument:
    """Who sends a request: a token, a person or a principal of AWS."""

    kind: Annotated[
        CallerKind,
        Field("`token`; `person`, with a JWT of the OIDC issuer; or `principal` of AWS IAM, which signed the request."),
    ]
    id: Annotated[str | None, Field("The token's id, such as `t-4k2m7xq5ab`; null for people and principals.")]
    name: Annotated[str, Field("The name that is shown as the author of changes.")]
    role: Annotated[Role, Field("The highest of its roles.")]
    namespaces: Annotated[tuple[str, ...], Field("Where it has this role: names of namespaces, or `*` for all.")]
    grants: Annotated[tuple[Grant, ...], Field("Everything that it may do: each role, with its namespaces.")]
    created_at: Annotated[datetime | None, Field("Of a token: when it was made; null if that was not recorded.")]
    created_by: Annotated[str | None, Field("Of a token: who made it; null if that was not recorded.")]
    expires_at: Annotated[datetime | None, Field("Of a token: from when on it is refused; null if it does not expire.")]
    last_used_at: Annotated[
        datetime | None, Field("Of a token: when it was used, as noted once an hour at most; null if it never was.")
    ]


def caller_document(caller: Caller) -> CallerDocument:
    """The document of a caller that has a role."""
    token = caller.token
    role = max((grant.role for grant in caller.grants), key=_RANKS.index)
    where = (name for grant in caller.grants if grant.role is role for name in grant.namespaces)
    return CallerDocument(
        kind=caller.kind,
        id=token.id if token else None,
        name=caller.name,
        role=role,
        namespaces=tuple(dict.fromkeys(where)),
        grants=caller.grants,
        created_at=token.created_at if token else None,
        created_by=token.created_by if token else None,
        expires_at=caller.expires_at,
        last_used_at=token.last_used_at if token else None,
    )
