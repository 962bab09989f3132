"""Shards of the due index: how many a tick reads, and how far timers have followed a change of their number."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import Enum
from typing import NamedTuple

from minutehand.usecases.ports.shards import Layout, Shards

LAYOUT_TRUSTED_FOR = timedelta(minutes=5)
"""Time after which a process of the tick reads the layout again. A deployment starts new processes, but after one that is rolled
back, older processes may run on."""


class ShardsToRead:
    """Number of shards that a tick reads. One of these serves a process, and reads the layout every `LAYOUT_TRUSTED_FOR`.

    Args:
        setting: shards over which this version of the functions spreads timers.
    """

    def __init__(self, index: Shards, setting: int) -> None:
        self._index = index
        self._setting = setting
        self._read_at: datetime | None = None
        self.known = setting

    def at(self, now: datetime) -> int:
        """The number of shards to read, which is also `known` from then on. Before shards are added, the layout is raised, so that
        other processes learn of them.

        Raises:
            Unavailable: when the layout cannot be read or written; `known` is still the number before.
        """
        if self._read_at is None or now - self._read_at >= LAYOUT_TRUSTED_FOR:
            layout = self._index.layout()
            if layout is None or layout.spread < self._setting:
                self._index.widen(self._setting)
            self.known = max(self._setting, layout.spread if layout else 0)
            self._read_at = now
        return self.known


class ReshardingState(Enum):
    """How far timers have followed a change of the number of shards."""

    AWAITED = "awaited"
    """The number of shards is new, and no tick reads so many yet. The first tick that does makes the state `MOVING`."""
    MOVING = "moving"
    """The sweep goes through all shards and moves timers to their new ones. Then the state is `EMPTYING` or `SETTLED`."""
    EMPTYING = "emptying"
    """All timers were moved. The sweep checks whether older processes still store timers in surplus shards. Once these stay empty,
    the state is `SETTLED`."""
    SETTLED = "settled"
    """Every timer is in its shard, and ticks read no surplus shard."""


class ShardStatus(NamedTuple):
    """Number of shards, and how far timers have followed its last change.

    Attributes:
        setting: shards over which timers are spread.
        read: shards that a tick reads.
        left: shards that the sweep has still to go through while timers are moved.
        empty_since: see `Layout`.
    """

    setting: int
    read: int
    state: ReshardingState
    left: int = 0
    empty_since: datetime | None = None


def shard_status(layout: Layout | None, setting: int) -> ShardStatus:
    """The status of a layout, for timers spread over `setting` shards."""
    if layout is None or layout.spread < setting:
        return ShardStatus(setting, setting, ReshardingState.AWAITED)
    if layout.over != setting:
        return ShardStatus(setting, layout.spread, ReshardingState.MOVING, left=layout.spread)
    if layout.shard is not None:
        return ShardStatus(setting, layout.spread, ReshardingState.MOVING, left=layout.shard + 1)
    state = ReshardingState.EMPTYING if layout.spread > setting else ReshardingState.SETTLED
    return ShardStatus(setting, layout.spread, state, empty_since=layout.empty_since)
