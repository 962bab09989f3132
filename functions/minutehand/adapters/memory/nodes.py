"""In-memory stores of nodes and pools, the queues of these, and credentials for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from minutehand.adapters.cursors import page_of
from minutehand.adapters.memory.audits import recorded
from minutehand.adapters.memory.state import MemoryState, MemoryStore
from minutehand.domain.audit import AuditRecord
from minutehand.domain.errors import Unavailable
from minutehand.domain.node import Node, NodeKey, PoolKey
from minutehand.usecases.ports.messages import Message
from minutehand.usecases.ports.nodes import QueueCredentials, Served
from minutehand.usecases.ports.stores import Clock, Page


class MemoryNodes(MemoryStore):
    """In-memory implementation of the port `Nodes` over a `MemoryState`. Nothing removes expired nodes."""

    def get(self, key: NodeKey) -> Node | None:
        with self._state.lock:
            return self._state.nodes.get(key)

    def of_pool(self, pool: PoolKey) -> Iterator[Node]:
        with self._state.lock:
            found = sorted(node.key for node in self._state.nodes.values() if node.key.pool == pool)
        return (node for key in found if (node := self.get(key)) is not None)

    def page(self, namespace: str, limit: int, cursor: str | None) -> Page[Node]:
        with self._state.lock:
            found = [node for node in self._state.nodes.values() if node.key.pool.namespace == namespace]
        return page_of(found, _place, listing="nodes", of=namespace, limit=limit, cursor=cursor)

    def replace(self, before: Node | None, after: Node, audit: AuditRecord | None = None) -> bool:
        with self._state.lock:
            if _version(self._state.nodes.get(after.key)) != _version(before):
                return False
            self._state.nodes[after.key] = after
            recorded(self._state, audit)
            return True

    def beat(self, key: NodeKey, session: str, running: int, now: datetime) -> Node | None:
        with self._state.lock:
            stored = self._state.nodes.get(key)
            if stored is None or stored.session != session:
                return None
            self._state.nodes[key] = after = replace(stored, running=running, seen_at=now)
            return after

    def remove(self, node: Node) -> bool:
        with self._state.lock:
            if _version(self._state.nodes.get(node.key)) != _version(node):
                return False
            del self._state.nodes[node.key]
            return True

    def note_pool(self, pool: PoolKey, now: datetime) -> None:
        with self._state.lock:
            self._state.pools[pool] = now

    def pools(self) -> Mapping[PoolKey, datetime]:
        with self._state.lock:
            return dict(self._state.pools)

    def forget_pool(self, pool: PoolKey, noted: datetime) -> bool:
        with self._state.lock:
            if self._state.pools.get(pool) != noted:
                return False
            del self._state.pools[pool]
            return True


class MemoryPoolQueues(MemoryStore):
    """In-memory implementation of the port `PoolQueues`: appends to `MemoryState.pool_queues`. Delivery is up to the test."""

    def ensure(self, served: Served) -> str:
        with self._state.lock:
            self._state.pool_queues.setdefault(served, [])
            return f"https://queues.test/{served}"

    def send(self, served: Served, message: Message) -> None:
        with self._state.lock:
            if served not in self._state.pool_queues:
                raise Unavailable(f"there is no queue of {served}")
            self._state.pool_queues[served].append(message)

    def is_empty(self, served: Served) -> bool:
        with self._state.lock:
            return not self._state.pool_queues.get(served)

    def delete(self, served: Served) -> None:
        with self._state.lock:
            self._state.pool_queues.pop(served, None)


class MemoryCredentialIssuer(MemoryStore):
    """In-memory implementation of the port `CredentialIssuer`: credentials that nothing accepts."""

    def __init__(self, state: MemoryState, clock: Clock) -> None:
        super().__init__(state)
        self._clock = clock

    def issue(self, node: NodeKey) -> QueueCredentials:
        return QueueCredentials(f"key of {node}", "secret", "session", self._clock() + timedelta(minutes=15))


def _version(node: Node | None) -> object:
    return node and (node.session, node.seen_at, node.asked)


def _place(node: Node) -> str:
    return f"{node.key.pool.name}#{node.key.name}"
