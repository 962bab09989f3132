"""In-memory store of the shards of the due index."""

from __future__ import annotations

from collections.abc import Sequence

from minutehand.adapters.memory.due_index import indexed, job_of, key_of
from minutehand.adapters.memory.state import MemoryState
from minutehand.adapters.sharding import shard_of
from minutehand.domain.instants import to_text
from minutehand.usecases.ports.shards import Layout, Place
from minutehand.usecases.ports.stores import Page


class MemoryShards:
    """The port `Shards` over a `MemoryState`. A cursor is the instant and the key of the last timer of the previous page."""

    def __init__(self, state: MemoryState, *, shards: int = 8, page_size: int = 100) -> None:
        self._state = state
        self._shards = shards
        self._page_size = page_size

    def layout(self) -> Layout | None:
        """See `Shards.layout`."""
        with self._state.lock:
            return self._state.layout

    def widen(self, spread: int) -> None:
        """See `Shards.widen`."""
        with self._state.lock:
            before = self._state.layout
            if before is None:
                self._state.layout = Layout(spread)
            elif before.spread < spread:
                self._state.layout = before._replace(spread=spread, empty_since=None, version=before.version + 1)

    def record(self, layout: Layout) -> bool:
        """See `Shards.record`."""
        with self._state.lock:
            before = self._state.layout
            if before is None or before.version != layout.version - 1:
                return False
            self._state.layout = layout
            return True

    def page(self, shard: int, cursor: str | None) -> Page[Place]:
        """See `Shards.page`."""
        with self._state.lock:
            found = sorted(self._places(shard), key=_order)
        rest = [place for place in found if cursor is None or _order(place) > cursor]
        items = tuple(rest[: self._page_size])
        return Page(items, _order(items[-1]) if len(rest) > self._page_size else None)

    def _places(self, wanted: int) -> list[Place]:
        return [
            Place(key_of(timer), str(job_of(timer)), shard, to_text(next_at))
            for next_at, shard, timer in indexed(self._state, self._shards)
            if shard == wanted
        ]

    def move(self, places: Sequence[Place], over: int) -> int:
        """See `Shards.move`."""
        return sum(self._move(place, shard_of(place.job, over)) for place in places)

    def _move(self, place: Place, shard: int) -> bool:
        with self._state.lock:
            if shard == place.shard or place not in self._places(place.shard):
                return False
            self._state.places[place.key] = shard
            return True


def _order(place: Place) -> str:
    return f"{place.next_at} {place.key}"
