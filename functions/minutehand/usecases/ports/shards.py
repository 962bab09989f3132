"""Store of the due index by shard: the layout of shards, and the timers in each. See `ports` for what every store promises."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from minutehand.usecases.ports.stores import Page

MOST_SHARDS = 256
"""Upper limit of `DueShards`."""


class Layout(NamedTuple):
    """How timers are spread over shards: an item that ticks and the sweep share.

    Attributes:
        spread: number of shards that may hold timers; a tick reads at least these.
        over: number of shards over which the sweep has spread the timers, or is spreading them; 0 before the first time.
        shard: the shard whose timers are moved next, counting down to 0; None when all were gone through.
        cursor: cursor of the next page of that shard.
        empty_since: when the shards from `over` on were found empty; None while they are not.
        version: number of this item's changes.
    """

    spread: int
    over: int = 0
    shard: int | None = None
    cursor: str | None = None
    empty_since: datetime | None = None
    version: int = 1


class Place(NamedTuple):
    """The place of a timer in the index, as read.

    Attributes:
        key: the timer's key in its store.
        job: `namespace/name`, as stored.
        next_at: the text as stored, even if it is no instant.
    """

    key: Hashable
    job: str
    shard: int
    next_at: str


class Shards(Protocol):
    """The due index, shard by shard, without decoding its timers."""

    def layout(self) -> Layout | None:
        """Read the layout; None before the first tick."""

    def widen(self, spread: int) -> None:
        """Raise the number of shards that may hold timers to `spread`, unless it is higher. Clears `empty_since`: a removal of
        shards waits for an hour of emptiness again."""

    def record(self, layout: Layout) -> bool:
        """Replace the layout if the stored one has the preceding version; otherwise write nothing and return False."""

    def page(self, shard: int, cursor: str | None) -> Page[Place]:
        """One page of a shard's timers, earliest first. May be stale."""

    def move(self, places: Sequence[Place], over: int) -> int:
        """Move each timer that is still at its place to its shard among `over` shards. Returns how many were moved. Tries all, and
        raises `Unavailable` when a try failed."""
