"""How many messages the queues of workers and their dead letters hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class Depth(NamedTuple):
    """The messages of one queue, approximately.

    Attributes:
        name: the worker's name, followed by `_slow` for its slow lane or `_dead_letter` for its dead letters.
        waiting: messages that can be received now.
        delayed: messages that were sent ahead of their instant.
        in_flight: messages that a worker has received, or that are hidden until a later instant.
    """

    name: str
    waiting: int
    delayed: int
    in_flight: int


class Queues(Protocol):
    """The queues of a deployment."""

    def names(self) -> Sequence[str]:
        """The names of the queues, in order."""

    def depth(self, name: str) -> Depth:
        """Count the messages of a queue.

        Raises:
            Unavailable: if the queue does not answer, or the function may not ask.
        """
