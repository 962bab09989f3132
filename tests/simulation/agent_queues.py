"""The queues of pools and nodes in a history, from which agents take messages while they have room."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from minutehand.domain.errors import Unavailable
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.messages import Message, Received
from minutehand.usecases.ports.nodes import Served
from tests.simulation.engine import Engine
from tests.simulation.queue import SimulatedQueue

NOT_MADE_AGAIN = timedelta(minutes=1)
"""How long SQS makes no queue of the name of one that was deleted."""
NEVER = 10**9


class Taker(Protocol):
    """Who polls a queue."""

    @property
    def room(self) -> int:
        """How many messages it takes now."""

    def take(self, queue: AgentQueue, received: Sequence[Received]) -> None:
        """Take messages that were received for it."""


class AgentQueue(SimulatedQueue):
    """The queue of a pool or of a node. What one agent received comes back for the others if it is not deleted."""

    visibility = timedelta(minutes=2)

    def __init__(self, engine: Engine, takers: Callable[[], Sequence[Taker]]) -> None:
        super().__init__(engine, most_receives=NEVER)
        self._takers = takers

    def _wake(self, instant: datetime) -> None:
        self.engine.at(instant, self.offer)

    def offer(self) -> None:
        """Give visible messages to one of those who poll and have room, in no order."""
        takers = [taker for taker in self._takers() if taker.room > 0]
        if not takers or not self.visible():
            return
        taker = self.engine.random.choice(takers)
        self.engine.random.shuffle(self.held)
        if received := self.receive(taker.room):
            taker.take(self, received)
        if self.visible():
            self._wake(self.engine.now + timedelta(milliseconds=10))


class SimulatedPoolQueues:
    """The port `PoolQueues`.

    Attributes:
        queues: those that exist.
        takers: who polls which queue.
        sent: how often each run was sent to a queue.
    """

    def __init__(self, engine: Engine, missing: Callable[[Taker], None]) -> None:
        """Args:
        missing: called for each who polled a queue that is deleted.
        """
        self.engine = engine
        self.queues: dict[Served, AgentQueue] = {}
        self.takers: dict[Served, list[Taker]] = {}
        self.sent: Counter[RunKey] = Counter()
        self.most: Counter[RunKey] = Counter()
        self._missing = missing
        self._deleted: dict[Served, datetime] = {}

    def ensure(self, served: Served) -> str:
        if served not in self.queues:
            deleted = self._deleted.get(served)
            if deleted is not None and self.engine.now < deleted + NOT_MADE_AGAIN:
                raise Unavailable(f"the queue of {served} was deleted a moment ago")
            takers = self.takers.setdefault(served, [])
            self.queues[served] = AgentQueue(self.engine, lambda: takers)
        return f"queue:{served}"

    def send(self, served: Served, message: Message) -> None:
        queue = self.queues.get(served)
        if queue is None or self.engine.chance(0.01):
            raise Unavailable(f"the queue of {served} does not take the message")
        self.engine.note(f"    {message.run.job} {message.run.run_id} is forwarded to {served}")
        self.sent[message.run] += 1
        queue.add(message.run, message.attempt, 0)
        self.most[message.run] = max(
            self.most[message.run], sum(each.run == message.run for q in self.queues.values() for each in q.held)
        )
        if self.engine.chance(0.01):
            raise Unavailable(f"the queue of {served} does not confirm the message")

    def is_empty(self, served: Served) -> bool:
        queue = self.queues.get(served)
        return queue is None or not queue.held

    def delete(self, served: Served) -> None:
        if self.queues.pop(served, None) is not None:
            self.engine.note(f"    the queue of {served} is deleted")
            self._deleted[served] = self.engine.now
            for taker in self.takers[served]:
                self._missing(taker)
