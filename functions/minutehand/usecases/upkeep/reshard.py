"""Resharding: move each timer to its shard after a change of the number of shards."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import timedelta

from minutehand.usecases.ports.shards import MOST_SHARDS, Layout, Place, Shards
from minutehand.usecases.ports.stores import Clock, Page
from minutehand.usecases.upkeep.rests import Upkept, turn

AT_MOST = timedelta(seconds=40)
"""Time limit of one sweep's moves; the next sweep goes on."""
PAUSE_PER_MOVE = timedelta(milliseconds=2.5)
"""Seconds to wait after each page of moved timers. A partition of the index takes 1,000 writes a second, and ticks need most of them."""
EMPTY_FOR = timedelta(hours=1)
"""Time that surplus shards must have been empty before ticks stop reading them. A deployment updates one function after the other,
and an old worker, which may still store timers there, lives for another 15 minutes."""
_RESERVE = timedelta(seconds=10)


class Resharding:
    """Moves timers to their shards, some in each sweep. One of these serves a process.

    Timers only move to shards that a tick is known to read. Each move is conditional on the instant and the shard that were read: a
    timer that a tick, an edit or a pause has moved is found again at its new position, and a deleted one stays deleted. A tick may read
    one shard before a move and the other after it, and so miss the timer; the next tick finds it, in time since ticks look ahead.

    Args:
        over: number of shards to spread timers over.
        wait: sleeps for a duration.
    """

    def __init__(self, index: Shards, *, over: int, clock: Clock, wait: Callable[[timedelta], None]) -> None:
        self._index = index
        self._over = over
        self._clock = clock
        self._wait = wait
        self._strays_searched = False
        self._time_left: Callable[[], timedelta] = timedelta
        self._until = timedelta(0)
        self._moved = 0

    def go_on(self, time_left: Callable[[], timedelta]) -> Upkept:
        """Move timers as far as time allows. There is more to do while the number of shards changes, until ticks read no more than asked
        for."""
        self._time_left, self._moved = time_left, 0
        self._until = max(time_left() - AT_MOST, _RESERVE)
        layout = self._index.layout()
        if layout is None or layout.spread < self._over:
            return Upkept(
                0, more=True
            )  # no tick reads all of these shards yet; the first that does records it in the layout
        if self._clear(self._strays(layout.spread)) is not None:
            self._strays_searched = True
        if layout.over != self._over:
            layout = layout._replace(over=self._over, shard=layout.spread - 1, cursor=None, empty_since=None)
        changes = layout.shard is not None or layout.spread > self._over
        if layout.shard is not None:
            self._move_all(layout)
        elif layout.spread > self._over:
            self._drop_surplus(layout)
        return Upkept(self._moved, more=changes or self._moved > 0 or not self._strays_searched)

    def _move_all(self, layout: Layout) -> None:
        """Go through all shards, surplus ones first, as far as time allows."""
        while layout.shard is not None and not self._out_of_time():
            page = self._page(layout.shard, layout.cursor)
            layout = layout._replace(cursor=page.next)
            if page.next is None:
                layout = layout._replace(shard=layout.shard - 1 if layout.shard else None)
            if page.items or layout.shard is None:
                layout = layout._replace(version=layout.version + 1)
                if not self._index.record(layout):
                    return  # another sweep has recorded its progress, and goes on

    def _drop_surplus(self, layout: Layout) -> None:
        """Stop ticks from reading surplus shards, once these have been empty for `EMPTY_FOR`."""
        now = self._clock()
        if layout.empty_since is not None and now - layout.empty_since < EMPTY_FOR:
            return
        empty = self._clear(range(self._over, layout.spread))
        if empty and layout.empty_since is not None:
            changed = layout._replace(spread=self._over, empty_since=None)
        else:
            changed = layout._replace(empty_since=now if empty else None)
        if changed != layout:
            self._index.record(changed._replace(version=layout.version + 1))

    def _strays(self, spread: int) -> Iterable[int]:
        """Shards that no tick reads, which should be empty: all of them the first time, then one each time.

        They hold timers if a deployment was rolled back after the API spread timers over more shards, and before a tick read these.
        """
        beyond = range(spread, MOST_SHARDS)
        if self._strays_searched and beyond:
            return (beyond[turn(self._clock()) % len(beyond)],)
        return beyond

    def _clear(self, shards: Iterable[int]) -> bool | None:
        """Move all timers out of these shards. Returns whether there were none; None when time did not allow to read all shards."""
        empty = True
        for shard in shards:
            cursor = None
            while True:
                if self._out_of_time():
                    return None
                page = self._page(shard, cursor)
                empty, cursor = empty and not page.items, page.next
                if cursor is None:
                    break
        return empty

    def _page(self, shard: int, cursor: str | None) -> Page[Place]:
        page = self._index.page(shard, cursor)
        if page.items:
            moved = self._index.move(page.items, self._over)
            self._moved += moved
            self._wait(moved * PAUSE_PER_MOVE)
        return page

    def _out_of_time(self) -> bool:
        return self._time_left() < self._until
