"""Shards of the due index: how many there are, what stands where; the promises of `ports` hold."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from datetime import datetime, timedelta
from enum import Enum
from typing import NamedTuple, Protocol

from minutehand.usecases.ports import Page

MOST_SHARDS = 256
"""The most that `DueShards` may be."""
ASKED_EVERY = timedelta(minutes=5)
"""How long a process of the tick trusts what it knows of the layout. A deployment's processes are new; but one that is rolled back may find some of
those that were there before."""


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


class ShardsToRead:
    """How many shards a tick reads. One of these serves a process, and asks for the layout now and then.

    Args:
        setting: over how many shards this version of the functions spreads timers.
    """

    def __init__(self, index: Shards, setting: int) -> None:
        self._index = index
        self._setting = setting
        self._asked_at: datetime | None = None
        self.known = setting

    def at(self, now: datetime) -> int:
        """The number, which is `known` from then on. It is made known to others before a shard is read for the first time.

        Raises:
            Unavailable: when the layout cannot be read or written; `known` is what one knew before.
        """
        if self._asked_at is None or now - self._asked_at >= ASKED_EVERY:
            layout = self._index.layout()
            if layout is None or layout.spread < self._setting:
                self._index.widen(self._setting)
            self.known = max(self._setting, layout.spread if layout else 0)
            self._asked_at = now
        return self.known


class Moving(Enum):
    """How far timers have followed a change of the number of shards."""

    AWAITED = "awaited"
    """The number is new, and no tick reads so many shards yet. The first that does makes it `MOVING`."""
    MOVING = "moving"
    """The sweep looks through all shards and moves timers to where they belong, and then it is `EMPTYING` or `SETTLED`."""
    EMPTYING = "emptying"
    """All timers have been moved. What is written late, by processes of before, is looked for in shards that are no more; once nothing is, it is `SETTLED`."""
    SETTLED = "settled"
    """Timers stand where they belong, and no further shard is read."""


class Progress(NamedTuple):
    """How many shards there are, and how far timers have followed.

    Attributes:
        setting: over how many shards timers are spread.
        read: how many a tick reads.
        left: how many shards are still to be looked through while timers are moved.
        empty_since: see `Layout`.
    """

    setting: int
    read: int
    state: Moving
    left: int = 0
    empty_since: datetime | None = None


def progress(layout: Layout | None, setting: int) -> Progress:
    """What a layout says about a number of shards."""
    if layout is None or layout.spread < setting:
        return Progress(setting, setting, Moving.AWAITED)
    if layout.over != setting:
        return Progress(setting, layout.spread, Moving.MOVING, left=layout.spread)
    if layout.shard is not None:
        return Progress(setting, layout.spread, Moving.MOVING, left=layout.shard + 1)
    state = Moving.EMPTYING if layout.spread > setting else Moving.SETTLED
    return Progress(setting, layout.spread, state, empty_since=layout.empty_since)
