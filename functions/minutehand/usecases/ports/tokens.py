"""Store of bearer tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from minutehand.domain.token import Token


class Tokens(Protocol):
    """Bearer tokens by the digest of their secret."""

    def get(self, digest: str) -> Token | None:
        """Read a token; None when it does not exist."""

    def put(self, token: Token) -> None:
        """Store a token, replacing one of the same digest."""
