"""Forwarding: runs that may start go to the queue of their pool, or to the inbox of a node: the one that their job names, or one with the
tags that it asks for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice

from minutehand.domain.concurrency import Full, NobodyLive
from minutehand.domain.definition import Definition
from minutehand.domain.errors import Unavailable
from minutehand.domain.job import Job
from minutehand.domain.node import Destination, Node, NodeKey, PoolKey, destination_of, least_loaded
from minutehand.domain.outcome import ErrorType, Outcome
from minutehand.domain.run import Run, RunError, RunState
from minutehand.domain.run_key import RunKey
from minutehand.domain.spread import MOST_NODES, Reach, Spread, chosen, reach_of
from minutehand.usecases.dispatching.send import message_for
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.nodes import Nodes, PoolQueues, Served
from minutehand.usecases.retries import retry_when_unavailable
from minutehand.usecases.running.worker import Forwarded


class Forwarding:
    """The `Forward` of one batch of messages. It looks once at each pool or node. Safe for many threads.

    Args:
        here: the node whose agent asks for starts: its own runs start at once. Without it, every run is forwarded.
    """

    def __init__(self, nodes: Nodes, queues: PoolQueues, ports: Ports, *, here: Node | None = None) -> None:
        self._nodes = nodes
        self._queues = queues
        self._clock = ports.clock
        self._outbox = ports.outbox
        self._spreads = ports.spreads
        self._pools: dict[PoolKey, Sequence[Node]] = {}
        self._here = here
        self._looked: dict[Destination, Sequence[Node]] = {}
        self._sent: Counter[NodeKey] = Counter()
        self._unserved: list[RunKey] = []

    def __call__(self, run: Run, definition: Definition, /) -> Forwarded | Full | None:
        wanted = destination_of(definition.job, run)
        if wanted is None:
            return None
        reach = reach_of(definition.job, run)
        if reach is not None:
            return self._begins(run, wanted, reach)
        if self._here is not None and wanted.includes(self._here):
            return None
        if wanted not in self._looked:
            self._looked[wanted] = self._takers(wanted)
        takers = self._looked[wanted]
        if not takers:
            self._unserved.append(run.key)
            return Full(NobodyLive(wanted.pool.name, wanted.node, wanted.tags))
        self._queues.send(self._queue(wanted, takers, run), message_for(run))
        return Forwarded()

    def _begins(self, run: Run, wanted: Destination, reach: Reach) -> Forwarded | Full | None:
        """What becomes of a run on several nodes: the function begins it itself, and no agent does."""
        if self._here is not None:
            if not all(self._outbox.send([message_for(run)])):
                raise Unavailable("the queue of the worker did not take the message of a run on several nodes")
            return Forwarded()
        if self._chosen(run, wanted, reach):
            return None
        self._unserved.append(run.key)
        needed = reach.needed if reach.needed > 1 else 0
        return Full(NobodyLive(wanted.pool.name, tags=wanted.tags, needed=needed))

    def begin(self, run: Run, job: Job) -> Outcome | None:
        """Begin an attempt on several nodes: store on which. None for any other run.

        Raises:
            Unavailable: if a store does not answer.
        """
        reach, wanted = reach_of(job, run), destination_of(job, run)
        if reach is None or wanted is None:
            return None
        nodes = self._chosen(run, wanted, reach)
        if len(nodes) > MOST_NODES:
            message = f"pool {wanted.pool.name} has {len(nodes)} live nodes that the job means; {MOST_NODES} is the most for a run: choose by tags"
            return Outcome(RunState.FAILED, error=RunError(ErrorType.TOO_MANY_NODES, message), final=True)
        spread = Spread(
            parent=run.key,
            attempt=run.attempt,
            pool=wanted.pool.name,
            nodes=tuple(nodes),
            min_success=min(reach.min_success or len(nodes), len(nodes)),
            max_parallel=min(reach.max_parallel or len(nodes), len(nodes)),
        )
        retry_when_unavailable(lambda: self._spreads.create(spread, run.expires_at))
        return Outcome(RunState.WAITING, nodes=True)

    def _chosen(self, run: Run, wanted: Destination, reach: Reach) -> Sequence[str]:
        """The nodes for a run, by their names; none if too few are live."""
        if wanted.pool not in self._pools:
            self._pools[wanted.pool] = tuple(self._nodes.of_pool(wanted.pool))
        found = chosen(self._pools[wanted.pool], wanted, reach.wanted, self._clock(), f"{run.key.job} {run.key.run_id}")
        return found if len(found) >= reach.needed else ()

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
