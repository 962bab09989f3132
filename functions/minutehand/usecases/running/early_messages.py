"""On time: messages that come a moment before their instant, and the worker that waits for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from minutehand.domain.instants import SECOND
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.stores import Clock

LONGEST = timedelta(seconds=2)
"""A worker waits no longer than this: a message is sent to come up to a second early, by a clock that is not the worker's."""
_TRIES = 3

Sleep = Callable[[float], None]
"""Lets so many seconds go by."""


def early(batch: Sequence[Received], now: datetime) -> Sequence[Received]:
    """The messages whose instant, the one that their run's id names, is a moment ahead. What is further ahead has come for no reason
    that waiting would serve, and is handed back by what is decided about it."""
    return [one for one in batch if now < one.run.scheduled_for <= now + LONGEST]


def wait_until(instant: datetime, clock: Clock, sleep: Sleep) -> None:
    """Let the time go by until the clock says that it is this instant, or later. More than once, since the clock that is slept by may go
    a little faster than the one that tells the time; not for ever, since that one may stand still."""
    for _ in range(_TRIES):
        left = (instant - clock()) / SECOND
        if left <= 0:
            return
        sleep(left)
