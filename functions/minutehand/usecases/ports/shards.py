"""What use cases need of the shards of the due index: how many there are, what stands where; the promises of `ports` hold."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from minutehand.usecases.ports.stores import Page

MOST_SHARDS = 256
"""The most that `DueShards` may be."""


class Layout(NamedTuple):
    """How timers are spread over the shards: a row of the table that ticks and the sweep share.

    Attributes:
        spread: shards that may hold timers, from 0 on; a tick reads no fewer.
        over: the number of shards that timers have been moved for, or are being; 0 before the first time.
        shard: the one that is looked through next, down to 0; None when all have been.
        cursor: of the next page of that shard.
        empty_since: when the shards from `over` on were found empty, if they have been since.
        version: counts the changes of the row.
    """

    spread: int
    over: int = 0
    shard: int | None = None
    cursor: str | None = None
    empty_since: datetime | None = None
    version: int = 1


class Place(NamedTuple):
    """Where a timer stood in the index when it was read.

    Attributes:
        key: of the timer, as its store has it.
        job: `namespace/name`, as stored.
        next_at: as stored, which need not be an instant.
    """

    key: Hashable
    job: str
    shard: int
    next_at: str


class Shards(Protocol):
    """The due index, shard by shard, without a look at what its timers say."""

    def layout(self) -> Layout | None:
        """The row; None before the first tick."""

    def widen(self, spread: int) -> None:
        """Have the row say that so many shards may hold timers, unless it says more already. Nobody has found the new ones empty."""

    def record(self, layout: Layout) -> bool:
        """Replace the row. False, with nothing written, unless what is stored is of the version before."""

    def page(self, shard: int, cursor: str | None) -> Page[Place]:
        """Part of what stands in a shard, the earliest first. May be stale."""

    def move(self, places: Sequence[Place], over: int) -> int:
        """Put each timer into the shard that it has among `over`, if it still stands as it was read; else it is left alone. How many were put
        elsewhere. `Unavailable` when some could not be tried; all the others were."""
