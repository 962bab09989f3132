"""The place of an agent in its pool: its node's registration."""

from collections.abc import Callable, Mapping
from time import monotonic
from typing import NamedTuple

from minutehand.agent.events import Journal
from minutehand.agent.pauses import Pauses
from minutehand.client.agents import AgentCalls, Registered
from minutehand.client.errors import Conflict, MinutehandError, Refused, Unreachable


class Node(NamedTuple):
    """What an agent registers. `slots`: how many commands it runs at once. `boot`: see `minutehand.agent.boot`."""

    host: str
    version: str
    tags: Mapping[str, str]
    slots: int
    boot: str = ""


class Membership:
    """The registration of a node."""

    def __init__(self, calls: AgentCalls, node: Node, journal: Journal) -> None:
        self._calls = calls
        self._node = node
        self._journal = journal

    def register(self) -> Registered:
        """Enter the node in its pool, or make it known again. Raises MinutehandError."""
        found = self._calls.register(**self._node._asdict())
        self._journal.info("register", f"registered with {self._node.slots} slots", slots=self._node.slots)
        return found

    def register_patiently(
        self, pauses: Pauses, *, name_for: float, stopped_within: Callable[[float], bool]
    ) -> Registered | None:
        """Enter the node in its pool. While the API does not answer, try again; for `name_for` seconds also while another process has
        the node's name, since that may have died.

        Args:
            stopped_within: waits for some seconds; returns True as soon as the agent is told to stop.

        Returns None if the agent is told to stop. Raises MinutehandError if another try is of no use.
        """
        patient_until = monotonic() + name_for
        failures = 0
        while True:
            try:
                return self.register()
            except (Refused, Unreachable) as error:
                if not (_may_pass(error) or (isinstance(error, Conflict) and monotonic() < patient_until)):
                    raise
                self._journal.warning("register", f"not registered yet, trying again: {error}")
            failures += 1
            if stopped_within(pauses.seconds(failures)):
                return None

    def leave(self) -> None:
        """Remove the node from its pool."""
        try:
            self._calls.leave()
            self._journal.info("leave", "left the pool")
        except MinutehandError as error:
            self._journal.warning("leave", f"the node stays listed until it counts as silent: {error}")


def _may_pass(error: MinutehandError) -> bool:
    return isinstance(error, Unreachable) or (
        isinstance(error, Refused) and (error.status >= 500 or error.status == 429)
    )
