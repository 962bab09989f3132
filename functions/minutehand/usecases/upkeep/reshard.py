"""Resharding: after a change of the number of shards, each timer is put into the shard that the new number gives it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import timedelta

from minutehand.usecases.ports.shards import MOST_SHARDS, Layout, Place, Shards
from minutehand.usecases.ports.stores import Clock, Page
from minutehand.usecases.upkeep.sweep import SWEEP_EVERY

AT_MOST = timedelta(seconds=90)
"""How long one sweep moves timers; the next one comes soon, and goes on."""
PAUSE_PER_MOVE = timedelta(milliseconds=2.5)
"""What is waited after each timer that was moved. A partition of the index takes 1,000 writes a second, and most of them are the ticks'."""
LAST_WORD = timedelta(hours=1)
"""How long shards must have been empty to be given up: a deployment changes one function after the other, and a worker of before lives for another
quarter of an hour."""
_RESERVE = timedelta(seconds=10)


class Resharding:
    """Puts timers where they belong, a bit in each sweep. One of these serves a process.

    Timers are not moved to shards that no tick is known to read. Each move is conditional on the instant and the shard that were read: one that a tick,
    an edit or a pause has moved meanwhile stands elsewhere in the index, and is met there; one that is gone stays gone. A tick that has read the one
    shard before and the other after the move finds the timer a minute later; it looks two minutes ahead.

    Args:
        over: over how many shards timers are to be spread.
        wait: lets time pass.
    """

    def __init__(self, index: Shards, *, over: int, clock: Clock, wait: Callable[[timedelta], None]) -> None:
        self._index = index
        self._over = over
        self._clock = clock
        self._wait = wait
        self._strays_sought = False
        self._time_left: Callable[[], timedelta] = timedelta
        self._until = timedelta(0)
        self._moved = 0

    def go_on(self, time_left: Callable[[], timedelta]) -> int:
        """Move as many timers as there is time for. How many were moved."""
        self._time_left, self._moved = time_left, 0
        self._until = max(time_left() - AT_MOST, _RESERVE)
        layout = self._index.layout()
        if layout is None or layout.spread < self._over:
            return 0  # no tick reads all of these shards; the first one that does says so in the row
        if self._clear(self._strays(layout.spread)) is not None:
            self._strays_sought = True
        if layout.over != self._over:
            layout = layout._replace(over=self._over, shard=layout.spread - 1, cursor=None, empty_since=None)
        if layout.shard is not None:
            self._look_through(layout)
        elif layout.spread > self._over:
            self._give_up(layout)
        return self._moved

    def _look_through(self, layout: Layout) -> None:
        """Go through all shards, those that are no more first, as far as there is time."""
        while layout.shard is not None and not self._late():
            page = self._page(layout.shard, layout.cursor)
            layout = layout._replace(cursor=page.next)
            if page.next is None:
                layout = layout._replace(shard=layout.shard - 1 if layout.shard else None)
            if page.items or layout.shard is None:
                layout = layout._replace(version=layout.version + 1)
                if not self._index.record(layout):
                    return  # somebody else goes on

    def _give_up(self, layout: Layout) -> None:
        """Have ticks no longer read the shards that are no more, once they have been empty for long."""
        now = self._clock()
        if layout.empty_since is not None and now - layout.empty_since < LAST_WORD:
            return
        empty = self._clear(range(self._over, layout.spread))
        if empty and layout.empty_since is not None:
            changed = layout._replace(spread=self._over, empty_since=None)
        else:
            changed = layout._replace(empty_since=now if empty else None)
        if changed != layout:
            self._index.record(changed._replace(version=layout.version + 1))

    def _strays(self, spread: int) -> Iterable[int]:
        """Shards that nobody reads, and in which nothing should be: all of them once, later one each time.

        A deployment may be rolled back after the API has written by its number, and before a tick has made that number known.
        """
        beyond = range(spread, MOST_SHARDS)
        if self._strays_sought and beyond:
            return (beyond[int(self._clock().timestamp() / SWEEP_EVERY.total_seconds()) % len(beyond)],)
        return beyond

    def _clear(self, shards: Iterable[int]) -> bool | None:
        """Move whatever stands in these shards. Whether nothing did; None when there was no time to look into all of them."""
        empty = True
        for shard in shards:
            cursor = None
            while True:
                if self._late():
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

    def _late(self) -> bool:
        return self._time_left() < self._until
