"""Messages between whoever finds a run due and the worker that looks at it; the ports that carry them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from minutehand.domain.run import RunKey


class Message(NamedTuple):
    """Tells a worker to look at a run, not before an instant. `attempt` is the one expected to start."""

    run: RunKey
    attempt: int
    target: str
    not_before: datetime


class Outbox(Protocol):
    """Where messages to workers go."""

    def send(self, messages: Sequence[Message]) -> Sequence[bool]:
        """Send each to its target's queue, to arrive no earlier than `not_before` (nor much later, up to 15 minutes
        ahead); whether each was accepted, in order. Does not raise for a single message."""


class Received(NamedTuple):
    """A message in a worker's hands, with what is needed to hide it."""

    run: RunKey
    attempt: int
    receipt: str


class Inbox(Protocol):
    """Where a worker's messages come from."""

    def hide(self, received: Sequence[Received], duration: timedelta) -> None:
        """Nobody shall receive these again before `duration` is over, unless they are handed back earlier."""
