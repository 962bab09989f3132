"""What the routes of agents need, over memory."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import timedelta

from minutehand.adapters.memory import (
    MemoryCredentialIssuer,
    MemoryInbox,
    MemoryMeter,
    MemoryNodes,
    MemoryPoolQueues,
    MemoryState,
)
from minutehand.domain.node import NodeKey
from minutehand.domain.run_key import RunKey
from minutehand.entrypoints.api.agent_service import AgentService
from minutehand.targets.callers import CallByType, load_callers
from minutehand.targets.command.orders import Order
from minutehand.targets.terms import TargetTerms
from minutehand.usecases.agents.starting import Started, start
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.nodes import Agents
from minutehand.usecases.running.cancel_watch import Watch
from minutehand.usecases.running.worker import Worker


def memory_service(state: MemoryState, ports: Ports) -> AgentService:
    """The service of a stack with agents."""
    agents = Agents(MemoryNodes(state), MemoryPoolQueues(state), MemoryCredentialIssuer(state, ports.clock))

    def starts(
        node: NodeKey, session: str, asked: Sequence[tuple[RunKey, int]], tokens: Sequence[str]
    ) -> Sequence[Started]:
        orders: dict[RunKey, Order] = {}

        def take(order: Order) -> None:
            orders[RunKey(order.job, order.run_id)] = order

        worker = Worker(
            inbox=MemoryInbox(state),
            call=CallByType(load_callers("agents"), TargetTerms(take_order=take)),
            token=lambda: secrets.token_urlsafe(24),
            parallel=map,
            time_left=lambda: timedelta(hours=1),
            meter=lambda: MemoryMeter(state),
            watch=Watch(ports.runs, ports.clock, lambda look: look()),
            sleep=lambda _: None,
        )
        return start(asked, node, session, ports=ports, agents=agents, worker=worker, orders=orders, tokens=tokens)

    return AgentService(lambda: agents, starts, "eu-west-1", map)
