"""The tick: everything that is due in the look-ahead, shard by shard, for as long as there is time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from minutehand.domain.errors import Unavailable
from minutehand.domain.instants import floor
from minutehand.usecases.dispatch import Tally, dispatch
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
    minute = int(now.timestamp()) // 60
    try:
        world.timers.record_tick(now.replace(second=0))
    except Unavailable as trouble:
        tally.problems.append(f"this tick's row: {trouble}")
    for turn in range(shards):
        shard = (minute + turn) % shards
        try:
            for page in world.timers.due(shard, now + world.look_ahead):
                for start in range(0, len(page), AT_ONCE):
                    if time_left() < RESERVE:
                        tally.stopped_early = True
                        return tally
                    dispatch(page[start : start + AT_ONCE], world=world, look_ahead=world.look_ahead, tally=tally)
        except Unavailable as trouble:
            tally.problems.append(f"shard {shard}: {trouble}")
    return tally
