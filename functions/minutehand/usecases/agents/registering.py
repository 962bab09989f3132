"""Registration of agents: each serves a pool under the name of a node, one at a time. Also what operators ask of nodes."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from minutehand.domain.actor import Actor
from minutehand.domain.audit import Action, audit_record
from minutehand.domain.errors import Conflict, NotFound
from minutehand.domain.node import Asked, Machine, Node, NodeKey, registered
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.nodes import Agents, Nodes, QueueCredentials
from minutehand.usecases.ports.stores import Clock
from minutehand.usecases.retries import CONTENDED, Contended, retry_on_conflict

MOST_NODES = 2_000
"""Most nodes of a namespace."""
PAGE = 500


class Registered(NamedTuple):
    """A node whose agent has registered, and the URLs of the queues from which it receives."""

    node: Node
    pool_queue: str
    inbox: str


def register(agents: Agents, key: NodeKey, machine: Machine, session: str, clock: Clock) -> Registered:
    """Register an agent as a node, and make the two queues from which it receives. Asking again is safe.

    The queues are there before the node: what is forwarded to a live node finds a queue.

    Raises:
        Conflict: while another agent is live under this name, or if the namespace has `MOST_NODES`; nothing changes.
        Unavailable: if the store or the queues do not answer.
    """
    if agents.nodes.get(key) is None:
        _check_room(agents.nodes, key)
    _registered(agents.nodes.get(key), key, machine, session, clock)
    agents.nodes.note_pool(key.pool, clock())
    queues = agents.queues.ensure(key.pool), agents.queues.ensure(key)

    def update() -> Node | Contended[None]:
        before = agents.nodes.get(key)
        after = _registered(before, key, machine, session, clock)
        return after if agents.nodes.replace(before, after) else CONTENDED

    return Registered(retry_on_conflict(update, f"node {key}"), *queues)


def _check_room(nodes: Nodes, key: NodeKey) -> None:
    """Raises Conflict if the namespace of a new node has as many as it may: each has a queue, and is looked at by every clean-up."""
    found, page = 0, nodes.page(key.pool.namespace, PAGE, None)
    while (found := found + len(page.items)) < MOST_NODES:
        if page.next is None:
            return
        page = nodes.page(key.pool.namespace, PAGE, page.next)
    raise Conflict(
        f"namespace {key.pool.namespace} has {found:,} nodes, and may have {MOST_NODES:,}; one is forgotten a day after its agent has ended"
    )


def _registered(before: Node | None, key: NodeKey, machine: Machine, session: str, clock: Clock) -> Node:
    after = registered(before, key, machine, session, clock())
    if after is None:
        where = "" if before is None else f", on host {before.machine.host}"
        raise Conflict(
            f"another agent is live as node {key}{where}; give this one another name (--name), or end the other"
        )
    return after


def leave(nodes: Nodes, key: NodeKey, session: str) -> None:
    """Note that an agent has ended: no run is forwarded to its node from now on. The node and its inbox are kept for a day, with what was
    asked of it. Asking again is safe, also when another agent has taken the name."""

    def update() -> Contended[None] | None:
        before = nodes.get(key)
        if before is None or before.session != session:
            return None
        return None if nodes.replace(before, before.left()) else CONTENDED

    retry_on_conflict(update, f"node {key}")


def require_session(node: Node | None, key: NodeKey, session: str) -> Node:
    """Check that an agent speaks for a node.

    Raises:
        Conflict: if the agent has to register first, or another one has its name by now.
    """
    if node is None or not node.session:
        raise Conflict(f"no agent is registered as node {key}; register again")
    if node.session != session:
        raise Conflict(
            f"another agent has registered as node {key}, on host {node.machine.host}; this one may not go on"
        )
    return node


def credentials(agents: Agents, key: NodeKey, session: str) -> QueueCredentials:
    """Temporary credentials for the two queues of a node.

    Raises:
        Conflict: if the agent has to register first, or another one has its name.
        Unavailable: if the store or AWS does not answer.
    """
    require_session(agents.nodes.get(key), key, session)
    return agents.credentials.issue(key)


def known(nodes: Nodes, key: NodeKey) -> Node:
    """A node.

    Raises:
        NotFound: if there is none.
    """
    node = nodes.get(key)
    if node is None:
        raise NotFound(
            f"the pool {key.pool} has no node {key.name}; agents register themselves, and are forgotten a day after they end"
        )
    return node


def ask(nodes: Nodes, key: NodeKey, asked: Asked, ports: Ports, *, who: Actor) -> Node:
    """Ask a node to run, to pause or to drain. Its agent learns of that with its next beat. Returns the node after that.

    Raises:
        NotFound: if there is no such node.
    """

    def update() -> Node | Contended[None]:
        before = known(nodes, key)
        after = replace(before, asked=asked)
        if after == before:
            return before
        record = audit_record(
            who,
            Action.ASK_NODE,
            ports.clock(),
            namespace=key.pool.namespace,
            before={"asked": before.asked.value},
            after={"asked": asked.value},
            kept=ports.audit_retention,
            pool=key.pool.name,
            node=key.name,
        )
        return after if nodes.replace(before, after, record) else CONTENDED

    return retry_on_conflict(update, f"node {key}")
