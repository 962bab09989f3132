"""The nodes of a run on several nodes, and what became of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.bundle import Ports


class RunNode(NamedTuple):
    """One of the nodes, with its place among them, from 0. `run` is None before its turn has come, or if its record has expired."""

    node: str
    place: int
    run: Run | None


def nodes_of(ports: Ports, run: Run) -> Sequence[RunNode] | None:
    """The nodes of a run's newest attempt; None for a run at one place. Costs no read for that.

    Raises:
        Unavailable: when a store does not answer.
    """
    spread = None if run.joins_at is None else ports.spreads.get(run.key, run.attempt)
    if spread is None:
        return None
    children = spread.children
    found = ports.runs.get([*children.values()]) if children else {}
    runs = {node: found.get(key) for node, key in children.items()}
    return [RunNode(node, index, runs.get(node)) for index, node in enumerate(spread.nodes)]


def nodes_of_waiting(ports: Ports, runs: Iterable[Run]) -> Mapping[RunKey, Sequence[RunNode]]:
    """The nodes of those of these runs that wait for their nodes.

    Raises:
        Unavailable: when a store does not answer.
    """
    waiting = [run for run in runs if run.state is RunState.WAITING and run.joins_at is not None]
    found = {run.key: nodes_of(ports, run) for run in waiting}
    return {key: nodes for key, nodes in found.items() if nodes is not None}
