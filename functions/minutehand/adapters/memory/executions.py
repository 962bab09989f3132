"""In-memory store of executions whose ends attempts wait for."""

from __future__ import annotations

from datetime import datetime

from minutehand.adapters.memory.state import MemoryStore
from minutehand.usecases.ports.executions import Awaiting


class MemoryExecutions(MemoryStore):
    """In-memory implementation of the port `Executions` over a `MemoryState`."""

    def expect(self, execution: str, awaiting: Awaiting, until: datetime) -> None:  # noqa: ARG002 - nothing expires here
        with self._state.lock:
            self._state.executions.setdefault(execution, awaiting)

    def awaiting(self, execution: str) -> Awaiting | None:
        with self._state.lock:
            return self._state.executions.get(execution)
