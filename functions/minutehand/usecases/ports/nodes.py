"""Nodes and pools: the agents that serve pools, the queues from which they take work, and the credentials that they get for these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol

from minutehand.domain.node import NodeKey, PoolKey

if TYPE_CHECKING:
    from minutehand.domain.audit import AuditRecord
    from minutehand.domain.node import Node
    from minutehand.usecases.ports.messages import Message
    from minutehand.usecases.ports.stores import Page

Served = PoolKey | NodeKey
"""What has a queue: a pool, whose messages any of its agents takes, or a node, whose inbox its agent alone reads."""


class Nodes(Protocol):
    """The store of nodes, and of the pools in which they have registered. Reads are consistent."""

    def get(self, key: NodeKey) -> Node | None:
        """Read a node; None if no agent has registered under its name lately."""

    def of_pool(self, pool: PoolKey) -> Iterator[Node]:
        """The nodes of a pool, by name, also those that are not live. Read as far as the caller looks."""

    def page(self, namespace: str, limit: int, cursor: str | None) -> Page[Node]:
        """A page of a namespace's nodes, by pool and name."""

    def replace(self, before: Node | None, after: Node, audit: AuditRecord | None = None) -> bool:
        """Write a node if it is still as `before` says; None if there is none. A change of an existing one may have a record, written
        with it. False, with nothing written, otherwise."""

    def beat(self, key: NodeKey, session: str, running: int, now: datetime) -> Node | None:
        """Note that the agent of this session is alive and runs so many commands, whatever else changes in the node. Returns the node
        after that; None, with nothing written, if the node has another session or does not exist."""

    def remove(self, node: Node) -> bool:
        """Remove a node if it is still as read. Return whether it was removed."""

    def note_pool(self, pool: PoolKey, now: datetime) -> None:
        """Enter a pool in the list of pools, or note that it is in use."""

    def pools(self) -> Mapping[PoolKey, datetime]:
        """Every pool in the list, and when its last use was noted."""

    def forget_pool(self, pool: PoolKey, noted: datetime) -> bool:
        """Remove a pool from the list, unless a use was noted since `noted` was read. Return whether it was removed."""


class PoolQueues(Protocol):
    """The queues of pools and nodes. Each method raises `Unavailable` if the queues do not answer."""

    def ensure(self, served: Served) -> str:
        """Make the queue if it is missing, and return its URL."""

    def send(self, served: Served, message: Message) -> None:
        """Send a message, without delay. It carries the run and its attempt, and nothing secret.

        Raises:
            Unavailable: if the queue did not confirm it, which may have taken it nevertheless; also if there is no such queue.
        """

    def is_empty(self, served: Served) -> bool:
        """Whether the queue holds no message, hidden ones included, or does not exist."""

    def delete(self, served: Served) -> None:
        """Delete the queue with its messages. One that does not exist is no error."""


class QueueCredentials(NamedTuple):
    """Temporary credentials of AWS. They allow to receive, hide and delete messages of two queues."""

    access_key_id: str
    secret_access_key: str
    session_token: str
    expires_at: datetime

    def __repr__(self) -> str:
        """When they expire alone, so that no message or log line can quote them."""
        return f"<credentials until {self.expires_at}>"


class CredentialIssuer(Protocol):
    """Gives agents credentials for their queues."""

    def issue(self, node: NodeKey) -> QueueCredentials:
        """New credentials for the inbox of a node and the queue of its pool, and for nothing else.

        Raises:
            Unavailable: if AWS does not answer or refuses.
        """


class Agents(NamedTuple):
    """What the use cases about agents need besides the usual ports."""

    nodes: Nodes
    queues: PoolQueues
    credentials: CredentialIssuer
