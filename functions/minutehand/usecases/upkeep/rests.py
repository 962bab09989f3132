"""Rests of upkeep, whose steps seldom have anything to do and would read the table each minute to find out."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.usecases.ports.stores import Clock

REST = timedelta(minutes=5)
"""How long a step rests after it has found nothing to do."""


class Upkept(NamedTuple):
    """What a step has done: the number of timers it moved, and whether it has or may have more to do at once."""

    moved: int
    more: bool


def turn(now: datetime) -> int:
    """The number of the rest that this instant falls into. Steps that look at one part of the table after the other choose it by this."""
    return int(now.timestamp() / REST.total_seconds())


class Rests:
    """Which steps of a process rest, and until when. A new process begins with none, and so does a new version."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._until: dict[str, datetime] = {}

    def unless_resting(self, step: str, do: Callable[[], Upkept]) -> int:
        """Do a step unless it rests. Returns how many timers it moved. A step that fails does not rest."""
        now = self._clock()
        if step in self._until and now < self._until[step]:
            return 0
        moved, more = do()
        if more:
            self._until.pop(step, None)
        else:
            self._until[step] = now + REST
        return moved
