"""The documents of tokens, and the request that makes one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated

from minutehand.domain.declaration import checks
from minutehand.domain.declaration.field import Field, Refused
from minutehand.domain.token import EVERYWHERE, Role, Token

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._@/+-]{0,63}", re.ASCII)
_MOST_NAMESPACES = 100


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
            most=_MOST_NAMESPACES,
            check=_check_namespace,
            pattern=rf"^(\*|{checks.NAME.pattern})$",
            examples=(["shop", "billing"], ["*"]),
        ),
    ]
    expires_in: Annotated[
        timedelta | None,
        Field("How long it is valid; only without `expires_at`.", least="1m", most="3650d", examples=("90d",)),
    ] = None
    expires_at: Annotated[
        datetime | None, Field("From when on it is refused. Without this and `expires_in`, it does not expire.")
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
