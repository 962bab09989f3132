"""Clean-up of pools: nodes and inboxes of agents that are gone for a day, and queues of pools that nobody has served for two weeks."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from minutehand.domain.errors import Unavailable
from minutehand.domain.node import INBOX_KEPT, POOL_KEPT
from minutehand.usecases.ports.nodes import Nodes, PoolQueues


class CleanedUp(NamedTuple):
    """How many nodes and pools were removed, with their queues."""

    nodes: int
    pools: int


def clean_up(nodes: Nodes, queues: PoolQueues, now: datetime) -> CleanedUp:
    """Remove what no agent uses any more. Repeating this is safe: a queue goes before the item that leads to it. An agent that registers in
    between finds no queue, and registers again.

    Messages in the inbox of a node that is gone are dropped with it: the sweep sends their runs again, and they wait for the node.

    Raises:
        Unavailable: if the store or the queues do not answer about a node or a pool, after the others; the next clean-up goes on.
    """
    removed = forgotten = 0
    refused: list[Unavailable] = []
    for pool, noted in nodes.pools().items():
        try:
            for node in [each for each in nodes.of_pool(pool) if now - each.seen_at > INBOX_KEPT]:
                try:
                    queues.delete(node.key)
                    removed += nodes.remove(node)
                except Unavailable as error:
                    refused.append(error)
            if any(node.is_live(now) for node in nodes.of_pool(pool)):
                nodes.note_pool(pool, now)
            elif now - noted > POOL_KEPT and queues.is_empty(pool):
                queues.delete(pool)
                forgotten += nodes.forget_pool(pool, noted)
        except Unavailable as error:
            refused.append(error)
    if refused:
        raise refused[0]
    return CleanedUp(removed, forgotten)
