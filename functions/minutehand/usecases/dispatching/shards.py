"""Shards to read: how many of the due index a tick looks through."""

from __future__ import annotations

from datetime import datetime, timedelta

from minutehand.usecases.ports.shards import Shards

ASKED_EVERY = timedelta(minutes=5)
"""How long a process of the tick trusts what it knows of the layout. A deployment's processes are new; but one that is rolled back may find some of
those that were there before."""


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
