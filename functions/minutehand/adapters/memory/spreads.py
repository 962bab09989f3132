"""In-memory store of spreads."""

from __future__ import annotations

from datetime import datetime

from minutehand.adapters.memory.state import MemoryStore
from minutehand.domain.run_key import RunKey
from minutehand.domain.spread import Spread


class MemorySpreads(MemoryStore):
    """In-memory implementation of the port `Spreads` over a `MemoryState`."""

    def create(self, spread: Spread, expires_at: datetime) -> Spread:  # noqa: ARG002 - nothing expires here
        with self._state.lock:
            return self._state.spreads.setdefault((spread.parent, spread.attempt), spread)

    def get(self, parent: RunKey, attempt: int) -> Spread | None:
        with self._state.lock:
            return self._state.spreads.get((parent, attempt))

    def save(self, before: Spread, after: Spread) -> bool:
        with self._state.lock:
            stored = self._state.spreads.get((before.parent, before.attempt))
            if stored is None or stored.version != before.version:
                return False
            self._state.spreads[before.parent, before.attempt] = after
            return True
