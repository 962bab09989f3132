"""Starts of machines: an agent that registers in a boot of its machine that was not seen before starts the jobs that ask for it, on its node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from minutehand.domain.errors import NotFound
from minutehand.domain.instants import floor
from minutehand.domain.job_key import JobKey
from minutehand.domain.node import Node, destination_of
from minutehand.domain.run import Run
from minutehand.domain.run_key import RunKey
from minutehand.usecases.definitions.manage import governed
from minutehand.usecases.operations.trigger import create_and_send, deleted_before, identity_of
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.nodes import Nodes
from minutehand.usecases.retries import CONTENDED, Contended, retry_on_conflict

LISTED_AT_ONCE = 200


def start_for_boot(ports: Ports, nodes: Nodes, node: Node, boot: str) -> list[Run]:
    """Start the jobs of a node's pool that run at the start of a machine, unless this boot was seen before. Returns the new runs.

    The boot is noted after all runs are stored: an agent that registers again after a crash in between starts the others. Until the boot is
    noted, repeating this gives the same runs, since their idempotency keys are made of the node and the boot.

    Args:
        node: as its agent has registered.
        boot: a text that identifies the boot; empty if the agent does not know it.

    Raises:
        Unavailable: if a store does not answer, or cannot read one of the namespace's jobs; the agent registers again.
    """
    if not boot or node.boot == boot:
        return []
    made = [run for job in _asking(ports, node) if (run := _started(ports, job, node, boot)) is not None]

    def update() -> Contended[None] | None:
        before = nodes.get(node.key)
        if before is None or before.session != node.session:  # another agent has the name, and notes its own boot
            return None
        return None if nodes.replace(before, replace(before, boot=boot)) else CONTENDED

    retry_on_conflict(update, f"node {node.key}")
    return made


def _asking(ports: Ports, node: Node) -> Iterator[JobKey]:
    """The jobs of the namespace that this node runs at the start of its machine. Reads the whole list of jobs."""
    after, more = "", True
    while more:
        jobs, more = ports.definitions.listed(node.key.pool.namespace, after, LISTED_AT_ONCE)
        for definition in jobs:
            after = definition.job.key.name
            wanted = destination_of(definition.job)
            if wanted is not None and wanted.includes(node) and getattr(definition.job.target, "at_start", False):
                yield definition.job.key


def _started(ports: Ports, key: JobKey, node: Node, boot: str) -> Run | None:
    """Start a job for a boot; None if it is paused, or has a run for this boot already."""
    try:
        definition, namespace = governed(ports, key)
    except NotFound:  # deleted meanwhile
        return None
    now, since = ports.clock(), deleted_before(definition)
    if definition.job.is_paused(now) or (namespace is not None and namespace.paused(now)):
        return None
    asked = f"{since} at_start {node.key} {boot}"
    run = Run(
        key=RunKey.triggered(key, now, identity_of(asked)),
        target=definition.job.target.type,
        revision=definition.revision,
        claimed_at=now,
        expires_at=floor(now) + definition.job.retention,
        only_node=node.key.name,
    )
    stored = create_and_send(ports, run, idempotency_key=asked, payload=None, since=since)
    return run if stored == run else None
