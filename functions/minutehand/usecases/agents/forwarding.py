"""Forwarding: runs that may start go to the queue of their pool, or to the inbox of the node that their job names."""

from __future__ import annotations

from minutehand.domain.concurrency import Full, NobodyLive
from minutehand.domain.definition import Definition
from minutehand.domain.node import Destination, NodeKey, destination_of
from minutehand.domain.run import Run
from minutehand.usecases.dispatching.send import message_for
from minutehand.usecases.ports.nodes import Nodes, PoolQueues
from minutehand.usecases.ports.stores import Clock
from minutehand.usecases.running.worker import Forwarded


class Forwarding:
    """The `Forward` of one batch of messages. It looks once at each pool or node. Safe for many threads.

    Args:
        here: the node whose agent asks for starts: its own runs start at once. Without it, every run is forwarded.
    """

    def __init__(self, nodes: Nodes, queues: PoolQueues, clock: Clock, *, here: NodeKey | None = None) -> None:
        self._nodes = nodes
        self._queues = queues
        self._clock = clock
        self._here = here
        self._looked: dict[Destination, bool] = {}

    def __call__(self, run: Run, definition: Definition, /) -> Forwarded | Full | None:
        wanted = destination_of(definition.job)
        if wanted is None or (self._here is not None and wanted.includes(self._here)):
            return None
        if wanted not in self._looked:
            self._looked[wanted] = self._takes_work(wanted)
        if not self._looked[wanted]:
            return Full(NobodyLive(wanted.pool.name, wanted.node))
        self._queues.send(wanted.named or wanted.pool, message_for(run))
        return Forwarded()

    def _takes_work(self, wanted: Destination) -> bool:
        now, named = self._clock(), wanted.named
        if named is None:
            return any(node.takes_work(now) for node in self._nodes.of_pool(wanted.pool))
        node = self._nodes.get(named)
        return node is not None and node.takes_work(now)
