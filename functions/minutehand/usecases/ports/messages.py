"""Messages that have a worker handle a run, and the ports that carry them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from minutehand.domain.instants import SECOND
from minutehand.domain.run_key import RunKey


class Message(NamedTuple):
    """A message that has a worker handle a run, not before an instant.

    Attributes:
        attempt: number of the attempt expected to start.
        slow: whether it goes to the slow lane of its target's worker.
        retries: whether that attempt is a retry. The message then carries `not_before`, which the run's id does not show.
    """

    run: RunKey
    attempt: int
    target: str
    not_before: datetime
    slow: bool = False
    retries: bool = False

    @property
    def to_the_second(self) -> bool:
        """Whether the run is to start exactly at `not_before`: a retry, or a run at its scheduled instant if this is not on the
        minute. A worker that receives the message early then waits; it does not for instants on the minute, nor for runs that
        jitter or a catch-up has moved."""
        return self.retries or (self.not_before == self.run.scheduled_for and self.not_before.second != 0)

    def whole_seconds(self, now: datetime) -> int:
        """The message's delay in whole seconds; negative when it is late. Rounded up, so that the message arrives up to a second
        late; rounded down if it is `to_the_second`, so that it arrives up to a second early and its worker waits."""
        to_go = (self.not_before - now) / SECOND
        return math.floor(to_go) if self.to_the_second else math.ceil(to_go)


class Outbox(Protocol):
    """Sends messages to workers."""

    def send(self, messages: Sequence[Message]) -> Sequence[bool]:
        """Send each message to the queue of its target's type and of its lane, delayed by `Message.whole_seconds`, at most 15 minutes.

        Returns whether each was accepted, in order; a message that is not accepted does not raise.
        """


class Received(NamedTuple):
    """A message that a worker has received, with the receipt by which `Inbox.hide` hides it.

    Attributes:
        receives: how often the queue has delivered the message, this time included.
        not_before: the start that a retry waits for; None for other messages.
    """

    run: RunKey
    attempt: int
    receipt: str
    receives: int = 1
    not_before: datetime | None = None

    @property
    def due_at(self) -> datetime:
        """The instant that a worker waits for if the message comes early: the start of a retry, else the run's scheduled instant."""
        return self.not_before or self.run.scheduled_for


class Inbox(Protocol):
    """The queue that a worker receives from."""

    def hide(self, received: Sequence[Received], duration: timedelta) -> None:
        """Hide messages: no worker receives them again before `duration` is over, unless a later call hides them for less."""
