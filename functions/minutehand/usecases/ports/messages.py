"""Messages between whoever finds a run due and the worker that looks at it; the ports that carry them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from minutehand.domain.instants import SECOND
from minutehand.domain.run import RunKey


class Message(NamedTuple):
    """Tells a worker to look at a run, not before an instant. `attempt` is the one expected to start."""

    run: RunKey
    attempt: int
    target: str
    not_before: datetime

    @property
    def to_the_second(self) -> bool:
        """Whether it is about an instant that somebody has named to the second. On the minute is where most jobs are due that ask for
        minutes; what is moved from its instant (a jitter, a retry, a catch-up) is not waited for to the second."""
        return self.not_before == self.run.scheduled_for and self.not_before.second != 0

    def whole_seconds(self, now: datetime) -> int:
        """For how many whole seconds it is to be held back; below 0 when it is late. Rounded up, so that it comes up to a second late, or
        down where it is `to_the_second`, so that it comes up to a second early and its worker waits."""
        to_go = (self.not_before - now) / SECOND
        return math.floor(to_go) if self.to_the_second else math.ceil(to_go)


class Outbox(Protocol):
    """Where messages to workers go."""

    def send(self, messages: Sequence[Message]) -> Sequence[bool]:
        """Send each to its target's queue, to arrive by `Message.whole_seconds` (up to 15 minutes ahead), a moment later if need be;
        whether each was accepted, in order. Does not raise for a single message."""


class Received(NamedTuple):
    """A message in a worker's hands, with what is needed to hide it."""

    run: RunKey
    attempt: int
    receipt: str


class Inbox(Protocol):
    """Where a worker's messages come from."""

    def hide(self, received: Sequence[Received], duration: timedelta) -> None:
        """Nobody shall receive these again before `duration` is over, unless they are handed back earlier."""
