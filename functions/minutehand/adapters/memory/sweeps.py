"""In-memory store of the sweep's progress and watchlists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from minutehand.adapters.memory.state import TimerStore
from minutehand.domain.instants import ceiling
from minutehand.usecases.ports.sweeps import SweepProgress, Watchlist


class MemorySweeps(TimerStore):
    """In-memory implementation of the port `Sweeps` over a `MemoryState`."""

    def progress(self) -> SweepProgress | None:
        with self._state.lock:
            return self._state.sweep_progress

    def record(self, progress: SweepProgress) -> bool:
        with self._state.lock:
            before = self._state.sweep_progress
            if before is not None and before.version != progress.version - 1:
                return False
            self._state.sweep_progress = progress
            return True

    def watch(self, watchlist: Watchlist) -> None:
        with self._state.lock:
            self._state.watchlists.add(_as_stored(watchlist))

    def due(self, now: datetime) -> Iterator[Sequence[Watchlist]]:
        with self._state.lock:
            found = sorted((one for one in self._state.watchlists if one.look_at <= now), reverse=True)
        for first in range(0, len(found), self._page_size):
            yield found[first : first + self._page_size]

    def drop(self, watchlist: Watchlist) -> None:
        with self._state.lock:
            self._state.watchlists.discard(_as_stored(watchlist))


def _as_stored(watchlist: Watchlist) -> Watchlist:
    return watchlist._replace(look_at=ceiling(watchlist.look_at))
