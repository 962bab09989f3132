"""In-memory store of backfills, which also places their watchdog timers in shards."""

from __future__ import annotations

from minutehand.adapters.cursors import page_of_backfills
from minutehand.adapters.memory.audits import recorded
from minutehand.adapters.memory.shards import place
from minutehand.adapters.memory.state import MemoryState
from minutehand.domain.audit import AuditRecord
from minutehand.domain.backfill import Backfill
from minutehand.domain.job_key import JobKey
from minutehand.domain.timer import Watchdog
from minutehand.usecases.ports.stores import Page


class MemoryBackfills:
    """In-memory implementation of the port `Backfills` over a `MemoryState`."""

    def __init__(self, state: MemoryState, *, shards: int = 8) -> None:
        self._state = state
        self._shards = shards

    def create(self, backfill: Backfill, audit: AuditRecord | None = None) -> Backfill:
        with self._state.lock:
            if (backfill.job, backfill.id) not in self._state.backfills:
                self._keep(None, backfill)
                recorded(self._state, audit)
            return self._state.backfills[backfill.job, backfill.id]

    def get(self, job: JobKey, backfill: str) -> Backfill | None:
        with self._state.lock:
            return self._state.backfills.get((job, backfill))

    def save(self, before: Backfill, after: Backfill, audit: AuditRecord | None = None) -> bool:
        with self._state.lock:
            stored = self._state.backfills.get((before.job, before.id))
            if stored is None or stored.version != before.version:
                return False
            self._keep(stored, after)
            recorded(self._state, audit)
            return True

    def _keep(self, before: Backfill | None, after: Backfill) -> None:
        self._state.backfills[after.job, after.id] = after
        if after.next_at is not None and (before is None or before.next_at is None):
            place(self._state, Watchdog(job=after.job, backfill=after.id, next_at=after.next_at), self._shards)

    def page(self, job: JobKey, limit: int, cursor: str | None) -> Page[Backfill]:
        with self._state.lock:
            found = [backfill for (of, _), backfill in self._state.backfills.items() if of == job]
        return page_of_backfills(found, job, limit, cursor)
