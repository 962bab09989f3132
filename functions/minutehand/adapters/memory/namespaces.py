"""In-memory store of namespace settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from minutehand.adapters.memory.state import MemoryState
from minutehand.domain.namespace import Namespace


class MemoryNamespaces:
    """The port `Namespaces` over a `MemoryState`."""

    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def get(self, names: Sequence[str]) -> Mapping[str, Namespace]:
        """See `Namespaces.get`."""
        with self._state.lock:
            return {name: self._state.settings[name] for name in names if name in self._state.settings}

    def save(self, before: Namespace | None, after: Namespace) -> bool:
        """See `Namespaces.save`."""
        with self._state.lock:
            stored = self._state.settings.get(after.name)
            if (stored and stored.revision) != (before and before.revision):
                return False
            self._state.settings[after.name] = after
            return True
