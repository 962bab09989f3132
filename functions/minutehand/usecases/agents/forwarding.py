"""Forwarding: runs that may start go to the queue of their pool, or to the inbox of a node: the one that their job names, or one with the
tags that it asks for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice

from minutehand.domain.concurrency import Full, NobodyLive
from minutehand.domain.definition import Definition
from minutehand.domain.node import Destination, Node, NodeKey, destination_of, least_loaded
from minutehand.domain.run import Run
from minutehand.domain.run_key import RunKey
from minutehand.usecases.dispatching.send import message_for
from minutehand.usecases.ports.nodes import Nodes, PoolQueues, Served
from minutehand.usecases.ports.stores import Clock
from minutehand.usecases.running.worker import Forwarded


class Forwarding:
    """The `Forward` of one batch of messages. It looks once at each pool or node. Safe for many threads.

    Args:
        here: the node whose agent asks for starts: its own runs start at once. Without it, every run is forwarded.
    """

    def __init__(self, nodes: Nodes, queues: PoolQueues, clock: Clock, *, here: Node | None = None) -> None:
        self._nodes = nodes
        self._queues = queues
        self._clock = clock
        self._here = here
        self._looked: dict[Destination, Sequence[Node]] = {}
        self._sent: Counter[NodeKey] = Counter()
        self._unserved: list[RunKey] = []

    def __call__(self, run: Run, definition: Definition, /) -> Forwarded | Full | None:
        wanted = destination_of(definition.job, run.only_node)
        if wanted is None or (self._here is not None and wanted.includes(self._here)):
            return None
        if wanted not in self._looked:
            self._looked[wanted] = self._takers(wanted)
        takers = self._looked[wanted]
        if not takers:
            self._unserved.append(run.key)
            return Full(NobodyLive(wanted.pool.name, wanted.node, wanted.tags))
        self._queues.send(self._queue(wanted, takers, run), message_for(run))
        return Forwarded()

    @property
    def unserved(self) -> int:
        """How many runs found no live agent that takes them."""
        return len({*self._unserved})

    def _queue(self, wanted: Destination, takers: Sequence[Node], run: Run) -> Served:
        if not wanted.tags:  # any agent of the pool may take it, the first that is free
            return wanted.named or wanted.pool
        # The instant is part of the dice, so that a run that is sent again may come to another node.
        chosen = least_loaded(takers, self._sent, f"{run.key.job} {run.key.run_id} {self._clock().timestamp():.0f}").key
        self._sent[chosen] += 1
        return chosen

    def _takers(self, wanted: Destination) -> Sequence[Node]:
        """The nodes that take the runs now. Where any of the pool may take them, one is enough."""
        now, named = self._clock(), wanted.named
        if named is not None:
            node = self._nodes.get(named)
            return () if node is None or not node.takes_work(now) else (node,)
        fitting = (node for node in self._nodes.of_pool(wanted.pool) if wanted.includes(node) and node.takes_work(now))
        return tuple(fitting if wanted.tags else islice(fitting, 1))
