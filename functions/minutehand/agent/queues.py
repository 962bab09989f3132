"""The port to the two queues of a node: that of its pool, and its own inbox."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

MOST_RECEIVED = 10
"""Most messages of one answer; a limit of SQS."""
LONGEST_HIDING = 43_200
"""Most seconds for which a message is hidden; a limit of SQS."""


class QueueTrouble(Exception):
    """A queue cannot be used now. Nothing is lost by it: messages that were received come back."""


class QueueMissing(QueueTrouble):
    """The queue does not exist, or no longer. A registration of the node makes it."""


class QueueMessage(NamedTuple):
    """A message. `receipt` names this delivery of it."""

    body: str
    receipt: str


class Queues(Protocol):
    """The queues, by their URLs. Thread-safe. Every method may raise QueueTrouble, or what a request for credentials raises."""

    def receive(self, url: str, most: int, wait: int) -> Sequence[QueueMessage]:
        """Up to `most` messages; waits up to `wait` seconds for the first. They are hidden from others for a minute."""

    def delete(self, url: str, receipts: Sequence[str]) -> None:
        """Delete messages. One that cannot be deleted comes back."""

    def hide(self, url: str, seconds: Mapping[str, int]) -> None:
        """Hide messages, by their receipts, for these seconds from now; 0 gives them back at once."""

    def close(self) -> None:
        """Close the connections."""
