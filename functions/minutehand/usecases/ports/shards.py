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
        over: number of shards that timers were last moved for, or are being moved for; 0 before the first time.
        shard: the shard that is searched next, counting down to 0; None when all were searched.
        cursor: of the next page of that shard.
        empty_since: when the shards from `over` on were found empty; None while they are not.
        version: counts the changes of the item.
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
        next_at: as stored; may be no instant.
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
        """Raise the number of shards that may hold timers to `spread`, unless it is higher; resets `empty_since`."""

    def record(self, layout: Layout) -> bool:
        """Replace the layout. False, with nothing written, unless the stored one has the version before."""

    def page(self, shard: int, cursor: str | None) -> Page[Place]:
        """One page of a shard's timers, earliest first. May be stale."""

    def move(self, places: Sequence[Place], over: int) -> int:
        """Move each timer that is still as read to its shard among `over`. Answers how many moved. `Unavailable` when some could not be
        tried; all others were."""
