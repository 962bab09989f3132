"""The port to the two queues of a node: that of its pool, and its own inbox."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

MOST_RECEIVED = 10
"""Most messages of one answer; a limit of SQS."""
LONGEST_HIDING = 43_000
"""Most seconds for which a message is hidden. SQS allows 12 hours from the receive, since which some seconds have passed."""


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
        """Up to `most` messages; waits up to `wait` seconds for the first. They are hidden from others for as long as the
        queue says: two minutes."""

    def delete(self, url: str, receipts: Sequence[str]) -> None:
        """Delete messages. One that cannot be deleted comes back; QueueTrouble says how many."""

    def hide(self, url: str, seconds: Mapping[str, int]) -> None:
        """Hide messages, by their receipts, for these seconds from now, 43,000 at most; 0 gives them back at once. QueueTrouble also if only
        some of them could be hidden."""

    def close(self) -> None:
        """Close the connections."""
