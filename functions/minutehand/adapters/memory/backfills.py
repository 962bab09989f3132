"""Backfills in memory."""

from __future__ import annotations

from minutehand.adapters.memory.state import MemoryState
from minutehand.adapters.paging import paged
from minutehand.domain.backfill import Backfill
from minutehand.domain.job import JobKey
from minutehand.usecases.ports import Page


class MemoryBackfills:
    """The port `Backfills` over a `MemoryState`."""

    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def create(self, backfill: Backfill) -> Backfill:
        """See `Backfills.create`."""
        with self._state.lock:
            return self._state.backfills.setdefault((backfill.job, backfill.id), backfill)

    def get(self, job: JobKey, backfill: str) -> Backfill | None:
        """See `Backfills.get`."""
        with self._state.lock:
            return self._state.backfills.get((job, backfill))

    def save(self, before: Backfill, after: Backfill) -> bool:
        """See `Backfills.save`."""
        with self._state.lock:
            stored = self._state.backfills.get((before.job, before.id))
            if stored is None or stored.version != before.version:
                return False
            self._state.backfills[before.job, before.id] = after
            return True

    def page(self, job: JobKey, limit: int, cursor: str | None) -> Page[Backfill]:
        """See `Backfills.page`."""
        with self._state.lock:
            found = [backfill for (of, _), backfill in self._state.backfills.items() if of == job]
        return paged(found, job, limit, cursor)
