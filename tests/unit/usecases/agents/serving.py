"""A pool with agents, and a job whose command they run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from minutehand.adapters.memory import MemoryCredentialIssuer, MemoryNodes, MemoryPoolQueues
from minutehand.domain.node import Asked, Machine, NodeKey, PoolKey
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.targets.command.fields import CommandTarget
from minutehand.usecases.agents.forwarding import Forwarding
from minutehand.usecases.agents.registering import register
from minutehand.usecases.agents.starting import Started, start
from minutehand.usecases.ports.messages import Message
from minutehand.usecases.ports.nodes import Agents, Served
from minutehand.usecases.ports.target import Call, Outcome
from minutehand.usecases.running.worker import Handled
from tests.unit.domain.examples import KEY, MINUTE, job
from tests.unit.usecases.stage import Port, Stage

POOL = PoolKey(KEY.namespace, "web")
A, B = NodeKey(POOL, "a"), NodeKey(POOL, "b")
MACHINE = Machine("a.shop.internal", "1.0", 4)
COMMAND = CommandTarget(pool="web", command="backup --all")
WAITS = Outcome(RunState.WAITING)


class Serving(Stage):
    """A stage with pools. Its job of each minute is a command for the pool `web`; the run of nine is due."""

    def __init__(self, **fields: Any) -> None:
        super().__init__("08:59")
        self.nodes = Port(MemoryNodes(self.state))
        self.queues = Port(MemoryPoolQueues(self.state))
        self.agents = Agents(self.nodes, self.queues, MemoryCredentialIssuer(self.state, lambda: self.now))
        self.change(**fields)
        self.tick()
        self.at("09:00")

    def change(self, **fields: Any) -> None:
        """Save the job anew."""
        target = replace(COMMAND, **fields.pop("command", {}))
        self.save(job("0 9 * * *", **{"target": target, "timeout": 10 * MINUTE} | fields))

    def joins(self, node: NodeKey = A, session: str = "session-a", **machine: Any) -> None:
        """Register an agent. `machine` has what it says of itself."""
        told = MACHINE._replace(host=f"{node.name}.shop.internal", **machine)
        register(self.agents, node, told, session, self.ports.clock)

    def asks(self, node: NodeKey, asked: Asked) -> None:
        """Write what an operator asks of a node."""
        stored = self.state.nodes[node]
        self.state.nodes[node] = replace(stored, asked=asked)

    def forward(self) -> list[Handled]:
        """Have the function take the messages that are due from its own queue, and forward their runs."""
        due = [message for message in self.state.messages if message.not_before <= self.now]
        later = [message for message in self.state.messages if message.not_before > self.now]
        self.state.messages[:] = due
        forwarding = self.forwarding()
        handled = self.execute(self.receive(), forward=forwarding, spread=forwarding.begin)
        self.state.messages.extend(later)
        return handled

    def forwarding(self, here: NodeKey | None = None) -> Forwarding:
        return Forwarding(self.nodes, self.queues, self.ports, here=here and self.nodes.get(here))

    def of(self, served: Served) -> list[Message]:
        """The messages in the queue of a pool or node."""
        return self.state.pool_queues.get(served, [])

    def starts(
        self,
        *runs: RunKey,
        node: NodeKey = A,
        session: str = "session-a",
        call: Callable[[Call], Outcome] = lambda _: WAITS,
        tokens: Sequence[str] = (),
    ) -> Sequence[Started]:
        """Have an agent ask to start runs, by default the run of nine."""
        orders: dict[RunKey, str] = {}

        def makes_order(made: Call) -> Outcome:
            orders[made.run.key] = f"order of attempt {made.run.attempt} with {made.token}"
            return call(made)

        return start(
            [(run, 1) for run in runs or (self.nine.key,)],
            node,
            session,
            ports=self.ports,
            agents=self.agents,
            worker=self.worker_of(makes_order),
            orders=orders,
            tokens=tokens,
        )

    @property
    def nine(self) -> Run:
        """The run of nine."""
        run = self.run("09:00")
        assert run is not None
        return run
