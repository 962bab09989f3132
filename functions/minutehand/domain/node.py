"""Nodes: agents that serve a pool, each under a name of its own, and what an operator asks of them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum
from typing import TYPE_CHECKING, Annotated, NamedTuple
from zlib import crc32

from minutehand.domain.declaration import checks
from minutehand.domain.declaration.field import Field, Pairs, Refused

if TYPE_CHECKING:
    from minutehand.domain.job import Job
    from minutehand.domain.run import Run

BEAT_EVERY = timedelta(seconds=60)
"""How often an agent says that it is alive."""
LIVE_FOR = timedelta(seconds=150)
"""How long an agent counts as live after it was seen: it may miss one beat, and be late with the next."""
INBOX_KEPT = timedelta(days=1)
"""How long a node that is silent keeps its row and its inbox. Until then, an agent that restarts finds its messages."""
POOL_KEPT = timedelta(days=14)
"""How long a pool that is silent keeps its queue: as long as SQS keeps the messages in it."""
MOST_SLOTS = 1000
MOST_TAGS = 20


class PoolKey(NamedTuple):
    """A pool, in its namespace."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


class NodeKey(NamedTuple):
    """A node, in its pool."""

    pool: PoolKey
    name: str

    def __str__(self) -> str:
        return f"{self.pool}/{self.name}"


class Destination(NamedTuple):
    """Where the runs of a job may start: at any node of a pool, at those with certain tags, or at one of its nodes.

    Attributes:
        node: the name of that node; empty for any.
        tags: those that a node must have, all of them.
    """

    pool: PoolKey
    node: str = ""
    tags: Pairs = ()

    def includes(self, node: Node) -> bool:
        """Whether the runs may start at this node."""
        return (
            node.key.pool == self.pool and self.node in ("", node.key.name) and set(self.tags) <= set(node.machine.tags)
        )

    @property
    def named(self) -> NodeKey | None:
        """The one node; None for any."""
        return NodeKey(self.pool, self.node) if self.node else None


def destination_of(job: Job, run: Run | None = None) -> Destination | None:
    """Where the runs of a job may start; None if its target is of a type that no agent runs.

    Args:
        run: the run in question. One on one of several nodes starts at that node alone, which was chosen when the run on all of them began;
            one for one node, at that node, whatever the job says.
    """
    if run is not None and run.share is not None:
        return Destination(PoolKey(job.key.namespace, run.share.pool), run.share.node)
    pool: str | None = getattr(job.target, "pool", None)
    if pool is None:
        return None
    if run is not None and run.only_node:
        return Destination(PoolKey(job.key.namespace, pool), run.only_node)
    node: str | None = getattr(job.target, "node", None)
    return Destination(PoolKey(job.key.namespace, pool), node or "", getattr(job.target, "tags", ()))


class Asked(Enum):
    """What an operator asks of a node."""

    RUN = "run"
    """To take work. Every node begins with this."""
    PAUSE = "pause"
    """To take no new work until it is asked to run again, also after a restart; what is running goes on."""
    DRAIN = "drain"
    """To take no new work and to end when nothing is running. An agent that starts again under the node's name takes work."""


class StartAnswer(Enum):
    """What an agent does with a message of a run that it asked to start."""

    RUN = "run"
    """Run the order, and delete the message."""
    DROP = "drop"
    """Delete the message: the run has ended, waits for another message, or was sent to another queue."""
    HIDE = "hide"
    """Hide the message for a time, and ask again when it comes back."""


def check_tags(tags: Pairs) -> None:
    """Refuse more tags than a node may have."""
    if len(tags) > MOST_TAGS:
        raise Refused(f"there are {len(tags)} tags; {MOST_TAGS} is the most", f"remove {len(tags) - MOST_TAGS}")


class Machine(NamedTuple):
    """What an agent says of itself when it registers."""

    host: Annotated[str, Field("Name of its host.", most=255, check=checks.one_line)]
    version: Annotated[str, Field("The agent's version.", most=64, check=checks.one_line)]
    slots: Annotated[int, Field("How many commands it runs at once.", least=1, most=MOST_SLOTS)]
    tags: Annotated[
        Pairs, Field("Its tags.", check=checks.label_name, check_value=checks.label_value, whole=check_tags)
    ] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Node:
    """A node, as stored.

    Attributes:
        session: random text of the agent's process, which tells two agents of one name apart; empty once the agent has left.
        running: how many commands it ran when it was seen last.
        boot: text that identifies the last boot of its machine for which jobs were started; empty before the first.
    """

    key: Annotated[NodeKey, Field(apart=True)]
    machine: Annotated[Machine, Field(inline=True)]
    session: Annotated[str, Field(always=True, stored="of_session")]
    seen_at: Annotated[datetime, Field(always=True)]
    registered_at: datetime
    running: int = 0
    asked: Annotated[Asked, Field(always=True)] = Asked.RUN
    boot: str = ""

    def is_live(self, now: datetime) -> bool:
        """Whether its agent was seen lately, and has not left."""
        return bool(self.session) and now - self.seen_at < LIVE_FOR

    def takes_work(self, now: datetime) -> bool:
        """Whether it is live and may take work."""
        return self.is_live(now) and self.asked is Asked.RUN

    def left(self) -> Node:
        """The node after its agent has left. It keeps what was asked of it: a pause outlasts a restart."""
        return replace(self, session="", running=0)


def least_loaded(nodes: Sequence[Node], sent: Mapping[NodeKey, int], dice: str) -> Node:
    """The node that gets the next run: the one with the smallest share of its slots in use.

    Args:
        nodes: those that take work, at least one.
        sent: how many runs were forwarded to each since it was read.
        dice: decides, by a hash, between nodes that are equally loaded. Another text decides otherwise.
    """

    def load(node: Node) -> tuple[float, int]:
        in_use = node.running + sent.get(node.key, 0)
        return in_use / node.machine.slots, crc32(f"{dice} {node.key.name}".encode())

    return min(nodes, key=load)


def registered(before: Node | None, key: NodeKey, machine: Machine, session: str, now: datetime) -> Node | None:
    """The node after an agent has registered under its name; None while another agent of that name is live."""
    if before is None:
        return Node(key=key, machine=machine, session=session, seen_at=now, registered_at=now)
    if before.session != session and before.is_live(now):
        return None
    asked = Asked.RUN if before.asked is Asked.DRAIN and before.session != session else before.asked
    return replace(before, machine=machine, session=session, seen_at=now, registered_at=now, running=0, asked=asked)
