"""In-memory store of tokens."""

from __future__ import annotations

from minutehand.adapters.memory.state import MemoryState
from minutehand.domain.token import Token


class MemoryTokens:
    """The port `Tokens` over a `MemoryState`."""

    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def get(self, digest: str) -> Token | None:
        """See `Tokens.get`."""
        with self._state.lock:
            return self._state.tokens.get(digest)

    def put(self, token: Token) -> None:
        """See `Tokens.put`."""
        with self._state.lock:
            self._state.tokens[token.digest] = token
