"""The tick: everything that is due in the look-ahead, shard by shard, for as long as there is time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import islice

from minutehand.domain.errors import Unavailable
from minutehand.domain.instants import floor
from minutehand.domain.timer import Due
from minutehand.usecases.dispatch import dispatch
from minutehand.usecases.tally import Tally
from minutehand.usecases.world import World

AT_ONCE = 50
"""Timers whose claims, messages and advances go together; a tick looks at its time between such groups."""
RESERVE = timedelta(seconds=10)
"""A tick begins no further group when it has less time than this."""


def tick(world: World, *, shards: int, time_left: Callable[[], timedelta]) -> Tally:
    """Read the due shards and dispatch. What is not reached stays due, and the next tick finds it.

    Shards are begun at another one each minute, so that ticks that run short of time starve none.
    """
    tally = Tally()
    now = floor(world.clock())
    try:
        world.timers.record_tick(now.replace(second=0))
    except Unavailable as trouble:
        tally.problems.append(f"this tick's row: {trouble}")
    timers = _due(world, now, shards, tally)
    while group := list(islice(timers, AT_ONCE)):
        if time_left() < RESERVE:
            tally.stopped_early = True
            break
        dispatch(group, world=world, look_ahead=world.look_ahead, tally=tally)
    return tally


def _due(world: World, now: datetime, shards: int, tally: Tally) -> Iterator[Due]:
    """What is due by the look-ahead, shard after shard; one that cannot be read is noted, and the next one begun."""
    minute = int(now.timestamp()) // 60
    for turn in range(shards):
        shard = (minute + turn) % shards
        try:
            for page in world.timers.due(shard, now + world.look_ahead):
                yield from page
        except Unavailable as trouble:
            tally.problems.append(f"shard {shard}: {trouble}")
