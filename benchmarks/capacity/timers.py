"""So many of the same: timers, and what became of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Timers(NamedTuple):
    """So many timers of a shard that are due at the same instant; their messages, too.

    Attributes:
        sent: whether their occurrences are on their way already, and what is sent now is sent again.
    """

    due: float
    shard: int
    many: int
    sent: bool = False

    def only(self, many: int) -> Timers:
        """Some of them."""
        return Timers(self.due, self.shard, many, self.sent)


def size(timers: Iterable[Timers]) -> int:
    """How many they are together."""
    return sum(one.many for one in timers)
