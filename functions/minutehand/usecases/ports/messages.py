"""Messages that have a worker handle a run, and the ports that carry them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from minutehand.domain.instants import SECOND
from minutehand.domain.run import RunKey


class Message(NamedTuple):
    """Has a worker handle a run, not before an instant. `attempt` is the one expected to start."""

    run: RunKey
    attempt: int
    target: str
    not_before: datetime

    @property
    def to_the_second(self) -> bool:
        """Whether the message is for an instant named to the second, so that a worker waits for it. Instants on the minute, and runs
        moved from their instant by a jitter, a retry or a catch-up, are not."""
        return self.not_before == self.run.scheduled_for and self.not_before.second != 0

    def whole_seconds(self, now: datetime) -> int:
        """Delay in whole seconds; negative when the message is late. Rounded up, so that it arrives up to a second late; rounded down if it
        is `to_the_second`, so that it arrives up to a second early and its worker waits."""
        to_go = (self.not_before - now) / SECOND
        return math.floor(to_go) if self.to_the_second else math.ceil(to_go)


class Outbox(Protocol):
    """Sends messages to workers."""

    def send(self, messages: Sequence[Message]) -> Sequence[bool]:
        """Send each message to its target's queue, delayed by `Message.whole_seconds`, at most 15 minutes. Whether each was accepted, in
        order; a single message does not raise."""


class Received(NamedTuple):
    """A message that a worker has received, with the receipt that hides it."""

    run: RunKey
    attempt: int
    receipt: str


class Inbox(Protocol):
    """The queue that a worker receives from."""

    def hide(self, received: Sequence[Received], duration: timedelta) -> None:
        """Hide messages: no worker receives them again before `duration` is over, unless they are hidden for less later."""
