"""In-memory lists of runs, newest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby
from operator import attrgetter

from minutehand.adapters.memory.runs import MemoryRuns
from minutehand.adapters.memory.state import MemoryState, MemoryStore
from minutehand.domain.errors import Unread, ignored
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Run
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.run_lists import Ended

_RUN_ID = attrgetter("run_id")


class MemoryRunLists(MemoryStore):
    """In-memory implementation of the port `RunLists` over a `MemoryState`."""

    def __init__(self, state: MemoryState) -> None:
        super().__init__(state)
        self._runs = MemoryRuns(state)

    def by_time(
        self, namespace: str, start: datetime, end: datetime, unreadable: Unread = ignored
    ) -> Iterator[Sequence[RunKey]]:
        keys = [key for page in self._runs.within(namespace, start, end, unreadable) for key in page]
        keys.sort(key=_RUN_ID, reverse=True)
        for _, page in groupby(keys, key=_RUN_ID):
            yield sorted(page)

    def by_end(self, namespace: str, start: datetime, end: datetime) -> Iterator[Sequence[Ended]]:
        with self._state.lock:
            found = [
                Ended(run.finished_at, run.key)
                for run in self._state.runs.values()
                if run.key.job.namespace == namespace and run.state.wants_attention and not run.key.on_node
                if run.finished_at is not None and start <= run.finished_at < end
            ]
        found.sort(key=lambda ended: (-ended.at.timestamp(), ended.run))
        yield from ([ended] for ended in found)

    def of_job(
        self,
        job: JobKey,
        start: datetime,
        end: datetime,
        limit: int,
        unreadable: Unread = ignored,  # noqa: ARG002 - memory keeps no run that cannot be read
    ) -> Sequence[Run]:
        with self._state.lock:
            found = [
                run
                for key, run in self._state.runs.items()
                if key.job == job and not key.on_node and start <= run.scheduled_for < end
            ]
        return sorted(found, key=lambda run: run.key.run_id, reverse=True)[:limit]
