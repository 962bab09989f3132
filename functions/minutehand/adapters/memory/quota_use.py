"""In-memory store of the use of namespaces' quotas."""

from __future__ import annotations

from datetime import datetime

from minutehand.adapters.memory.state import MemoryStore
from minutehand.domain.quota import NO_PACE, JobCount, Pace


class MemoryQuotaUse(MemoryStore):
    """In-memory implementation of the port `QuotaUse` over a `MemoryState`."""

    def job_count(self, namespace: str) -> JobCount | None:
        with self._state.lock:
            return self._state.job_counts.get(namespace)

    def count_jobs(self, namespace: str) -> int:
        with self._state.lock:
            found = self._state.definitions.items()
            return sum(key.namespace == namespace and not definition.deleted for key, definition in found)

    def save_job_count(self, namespace: str, before: JobCount | None, after: JobCount) -> bool:
        with self._state.lock:
            stored = self._state.job_counts.get(namespace)
            if (stored and stored.version) != (before and before.version):
                return False
            self._state.job_counts[namespace] = after
            return True

    def pace(self, namespace: str) -> Pace:
        with self._state.lock:
            return self._state.paces.get(namespace, NO_PACE)

    def take_place(self, namespace: str) -> Pace:
        with self._state.lock:
            self._state.uses(write=1)
            before = self.pace(namespace)
            self._state.paces[namespace] = before._replace(taken=before.taken + 1)
            return self._state.paces[namespace]

    def restart_pace(
        self, namespace: str, since: datetime | None, minute: datetime, *, most_taken: int | None = None
    ) -> bool:
        with self._state.lock:
            self._state.uses(write=1)
            pace = self.pace(namespace)
            if pace.since != since or (most_taken is not None and pace.taken > most_taken):
                return False
            self._state.paces[namespace] = Pace(minute, 1)
            return True
