"""Tokens as they were read a moment ago, so that a process does not read a token for each of its requests."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from minutehand.domain.token import Token
    from minutehand.usecases.ports.stores import Clock
    from minutehand.usecases.ports.tokens import TokenLookup

REVOKED_WITHIN = timedelta(seconds=30)
"""How long a token may still be accepted after it was revoked."""
MOST_KEPT = 1_000


class RecentTokens:
    """The tokens of a store, each read again once what is known of it is older than `kept`. Unknown tokens are always looked up."""

    def __init__(self, tokens_of: Callable[[], TokenLookup], clock: Clock, kept: timedelta = REVOKED_WITHIN) -> None:
        self._tokens_of = tokens_of
        self._clock = clock
        self._kept = kept
        self._found: dict[str, tuple[datetime, Token]] = {}

    def get(self, digest: str) -> Token | None:
        """A token by the digest of its secret; None if it does not exist, as far as this process knows."""
        now = self._clock()
        if digest in self._found:
            read_at, token = self._found[digest]
            # A clock that goes backwards must not keep a token for longer.
            if read_at <= now < read_at + self._kept:
                return token
            del self._found[digest]
        found = self._tokens_of().get(digest)
        if found is not None:
            if len(self._found) >= MOST_KEPT:
                self._found.clear()
            self._found[digest] = now, found
        return found
