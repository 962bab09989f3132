"""Starts: an agent asks about the runs whose messages it received, and gets an order for each that it has to run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from minutehand.domain.instants import SECOND
from minutehand.domain.node import NodeKey, StartAnswer
from minutehand.domain.run import RunState
from minutehand.domain.run_key import RunKey
from minutehand.usecases.agents.forwarding import Forwarding
from minutehand.usecases.agents.registering import require_session
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.nodes import Agents
from minutehand.usecases.running.execute import execute
from minutehand.usecases.running.worker import Handled, Worker

HIDDEN_BRIEFLY = timedelta(seconds=10)
"""How long a message is hidden that nothing was decided about."""


class Started(NamedTuple):
    """The answer about one message.

    Attributes:
        order: what to run, as the target's caller made it; None unless the decision is `RUN`.
        hidden: for how long to hide the message; None unless the decision is `HIDE`.
        handled: what the worker did; None for a run that is none of this node's.
    """

    run: RunKey
    decision: StartAnswer
    order: Any = None
    hidden: timedelta | None = None
    handled: Handled | None = None

    @property
    def seconds(self) -> int | None:
        """`hidden` in whole seconds, rounded up."""
        return None if self.hidden is None else math.ceil(self.hidden / SECOND)


class _Hiding:
    """The `Inbox` of an agent's messages: notes for how long each is to be hidden, since only the agent can hide it."""

    def __init__(self) -> None:
        self._hidden: dict[str, timedelta] = {}

    def hide(self, received: Sequence[Received], duration: timedelta) -> None:
        self._hidden |= {one.receipt: duration for one in received}

    def of(self, message: Received) -> timedelta:
        return self._hidden.get(message.receipt, HIDDEN_BRIEFLY)


def start(
    asked: Sequence[tuple[RunKey, int]],
    node: NodeKey,
    session: str,
    *,
    ports: Ports,
    agents: Agents,
    worker: Worker,
    orders: Mapping[RunKey, Any],
    tokens: Sequence[str] = (),
) -> Sequence[Started]:
    """Start the runs whose messages an agent received, as a worker does, with every rule of a start. One answer for each, in order.

    A run of another pool or node, or of tags that the node does not have, is forwarded to where its job wants it now. One of another namespace is not looked at.

    Args:
        asked: each run, with the attempt in its message.
        tokens: those that the attempts are to have, one for each of `asked`, each new and random; empty where the worker makes it. Who asks
            with the same ones again, since no answer came, gets the same orders again.
        worker: a worker whose `call` puts the order of each attempt into `orders`, and answers that the run waits.

    Raises:
        Conflict: if the session is not that of the node.
        Unavailable: if the store of nodes does not answer.
    """
    here = require_session(agents.nodes.get(node), node, session)
    inbox = _Hiding()
    forward = Forwarding(agents.nodes, agents.queues, ports, here=here)
    messages = {
        place: Received(run, attempt, receipt=f"{session} {place}")
        for place, (run, attempt) in enumerate(asked)
        if run.job.namespace == node.pool.namespace
    }
    proposed = {message: tokens[place] if tokens else "" for place, message in messages.items()}
    worker = worker._replace(
        inbox=inbox, forward=forward, name=f"{node.pool.name}/{node.name}", proposed=lambda message: proposed[message]
    )
    done = execute([*messages.values()], ports=ports, worker=worker) if messages else ()
    handled = dict(zip(messages, done, strict=True))
    return [
        _answer(handled[place], inbox, orders) if place in handled else Started(run, StartAnswer.DROP)
        for place, (run, _) in enumerate(asked)
    ]


def _answer(handled: Handled, inbox: _Hiding, orders: Mapping[RunKey, Any]) -> Started:
    key, run = handled.received.run, handled.run
    if handled.started and run is not None and run.state is RunState.WAITING and key in orders:
        return Started(key, StartAnswer.RUN, order=orders[key], handled=handled)
    if handled.deletable:
        return Started(key, StartAnswer.DROP, handled=handled)
    return Started(key, StartAnswer.HIDE, hidden=inbox.of(handled.received), handled=handled)
