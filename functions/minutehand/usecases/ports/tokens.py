"""Store of bearer tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from minutehand.domain.audit import AuditRecord
    from minutehand.domain.token import Token
    from minutehand.usecases.ports.stores import Page


class TokenLookup(Protocol):
    """Finds bearer tokens by the digest of their secret."""

    def get(self, digest: str) -> Token | None:
        """Read a token; None when it does not exist."""


class Tokens(TokenLookup, Protocol):
    """Bearer tokens, and the list of them."""

    def put(self, token: Token) -> None:
        """Store and list a token, replacing one of the same digest."""

    def add(self, token: Token, *, key: str, until: datetime, audits: Sequence[AuditRecord] = ()) -> str | None:
        """Store and list a new token, at most one for each `key` before `until`, and the records of this change with it.

        Args:
            key: the creator's idempotency key, unique among all creators; empty for none.

        Returns:
            None if it was stored; otherwise the id of the token that was made with this key, and nothing is stored.
        """

    def find(self, token_id: str) -> Token | None:
        """A listed token by its id; None if there is none."""

    def page(self, limit: int, cursor: str | None) -> Page[Token]:
        """A page of all listed tokens, by id. It may have fewer than `limit` before the last page.

        Raises:
            Invalid: for a cursor of another list.
        """

    def remove(self, token: Token, audits: Sequence[AuditRecord] = ()) -> bool:
        """Delete a token and its entry in the list, and store the records of this change with it. Returns False, and changes nothing, if it
        does not exist."""

    def note_use(self, token: Token, now: datetime) -> None:
        """Store that a token was used, unless it was deleted, or another process stored it within the last `USE_NOTED_EVERY`."""
