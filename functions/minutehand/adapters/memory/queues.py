"""In-memory queues: lists of the messages that were sent and hidden. Delivery is up to the test."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from minutehand.adapters.memory.state import MemoryStore
from minutehand.usecases.ports.messages import Message, Received


class MemoryOutbox(MemoryStore):
    """In-memory implementation of the port `Outbox`: appends to `MemoryState.messages`."""

    def send(self, messages: Sequence[Message]) -> Sequence[bool]:
        """Put messages into the queue; every one is accepted."""
        with self._state.lock:
            self._state.messages.extend(messages)
        return [True] * len(messages)


class MemoryInbox(MemoryStore):
    """In-memory implementation of the port `Inbox`: appends to `MemoryState.hidden`."""

    def hide(self, received: Sequence[Received], duration: timedelta) -> None:
        with self._state.lock:
            self._state.hidden.extend((one, duration) for one in received)
