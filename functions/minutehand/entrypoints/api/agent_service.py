"""What the routes of agents need of a function that serves them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from minutehand.domain.node import NodeKey
    from minutehand.domain.run_key import RunKey
    from minutehand.usecases.agents.beats import Parallel
    from minutehand.usecases.agents.starting import Started
    from minutehand.usecases.ports.nodes import Agents

NO_AGENTS = "this stack serves no agents; its operator deploys it with the parameter Agents=true"


class StartRuns(Protocol):
    """Starts the runs whose messages the agent of a node received (`minutehand.usecases.agents.starting`)."""

    def __call__(
        self, node: NodeKey, session: str, asked: Sequence[tuple[RunKey, int]], tokens: Sequence[str], /
    ) -> Sequence[Started]:
        """One answer for each run, in order; `asked` has each with the attempt in its message, `tokens` what they propose."""


class AgentService(NamedTuple):
    """The parts of a function that serves agents.

    Attributes:
        agents_of: makes the store of nodes, the queues and the credentials, when they are first needed.
        region: the region of the queues.
        parallel: does several things at once.
    """

    agents_of: Callable[[], Agents]
    start: StartRuns
    region: str
    parallel: Parallel

    @property
    def agents(self) -> Agents:
        """The store of nodes, the queues and the credentials."""
        return self.agents_of()
