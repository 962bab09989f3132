"""Sides that take turns, so that a machine that slows down slows all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from statistics import median

from benchmarks.dispatch.clocked import Round
from benchmarks.table import ratio


class Kind(Enum):
    """What dispatches."""

    OURS = "Minutehand"
    BARE = "bare boto3"
    APSCHEDULER = "APScheduler 3"
    CELERY = "Celery beat"


@dataclass(kw_only=True)
class Side:
    """One that dispatches, with the server that it stands on, and the rounds that it has played.

    Attributes:
        trouble: why it has none, where it could not go on.
    """

    kind: Kind
    server: str
    load: int
    play: Callable[[], Round]
    rounds: list[Round] = field(default_factory=list)
    trouble: str = ""

    @property
    def cost(self) -> list[float]:
        """Seconds of processor time per occurrence, round by round."""
        return [one.processor / one.sent for one in self.rounds]

    @property
    def pace(self) -> float:
        """Occurrences a second, by the clock on the wall: the median of its rounds."""
        return median(one.sent / one.elapsed for one in self.rounds)

    def times(self, other: Side) -> float:
        """How many times the processor time of the other it takes."""
        return ratio(self.cost, other.cost)


def take(sides: Sequence[Side], *, rounds: int) -> None:
    """Have each play its rounds, every other time in the opposite order, so that none always follows the same.

    One that fails has no rounds, since those before may have been wrong too, and says why; the others go on.
    """
    for turn in range(rounds):
        for side in sides if turn % 2 == 0 else reversed(sides):
            if side.trouble:
                continue
            try:
                done = side.play()
            except Exception as trouble:  # noqa: BLE001 - whatever is wrong with one is told, and keeps no other from its turn
                side.rounds.clear()
                side.trouble = f"{type(trouble).__name__}: {trouble}"
                continue
            if done.sent:
                side.rounds.append(done)
            else:
                side.rounds.clear()
                side.trouble = "it sent nothing in a whole round"
