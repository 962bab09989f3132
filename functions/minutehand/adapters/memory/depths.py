"""In-memory depths of queues: whatever a test has put there."""

from __future__ import annotations

from collections.abc import Sequence

from minutehand.adapters.memory.state import MemoryStore
from minutehand.domain.errors import Unavailable
from minutehand.usecases.ports.queues import Depth


class MemoryQueues(MemoryStore):
    """In-memory implementation of the port `Queues`, over `MemoryState.depths`."""

    def names(self) -> Sequence[str]:
        with self._state.lock:
            return sorted(self._state.depths)

    def depth(self, name: str) -> Depth:
        with self._state.lock:
            found = self._state.depths[name]
        if found is None:
            raise Unavailable(f"GetQueueAttributes on queue {name} failed: access denied")
        return found
