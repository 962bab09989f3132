"""Early messages: those that arrive a moment before their instant, for which the worker waits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.domain.instants import SECOND
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.stores import Clock

LONGEST = timedelta(seconds=2)
"""Longest wait: a message is sent to arrive up to a second early, by a clock that differs from the worker's."""
_STEPS = 3

Sleep = Callable[[float], None]
"""Waits this many seconds."""


class Split(NamedTuple):
    """A batch after the wait: what is handled now, and what has to wait longer."""

    prompt: Sequence[Received]
    later: Sequence[Received]


def wait_for_early(batch: Sequence[Received], now: datetime, clock: Clock, sleep: Sleep) -> Split:
    """Wait for the first instant of a batch whose messages are all early. A batch with prompt messages is split without a wait."""
    later = early(batch, now)
    if later and len(later) == len(batch):
        first = min(message.run.scheduled_for for message in later)
        wait_until(first, clock, sleep)
        later = [message for message in later if message.run.scheduled_for > first]
    return Split([message for message in batch if message not in later], later)


def early(batch: Sequence[Received], now: datetime) -> Sequence[Received]:
    """The messages whose scheduled instant is at most `LONGEST` ahead. Earlier ones are not waited for: the decision about their run
    hands them back."""
    return [one for one in batch if now < one.run.scheduled_for <= now + LONGEST]


def wait_until(instant: datetime, clock: Clock, sleep: Sleep) -> None:
    """Sleep until the clock shows this instant or later. In a few steps, since the clock that `sleep` uses may be a little faster; not
    endlessly, since `clock` may stand still."""
    for _ in range(_STEPS):
        left = (instant - clock()) / SECOND
        if left <= 0:
            return
        sleep(left)
