"""Shards: how far timers have followed a change of their number."""

from __future__ import annotations

from datetime import datetime
from enum import Enum
from typing import NamedTuple

from minutehand.usecases.ports.shards import Layout


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
