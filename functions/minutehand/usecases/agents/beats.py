"""Beats: an agent says that it is alive, and which attempts it runs. Each of these is heard from, as by a heartbeat of a target."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from minutehand.domain.errors import Conflict, NotAllowed
from minutehand.domain.node import Node, NodeKey
from minutehand.domain.run import Progress
from minutehand.usecases.completion.answers import Speaker, heartbeat
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.nodes import Nodes


class Running(NamedTuple):
    """An attempt that an agent runs, and the progress that its command reported last."""

    speaker: Speaker
    progress: Progress | None = None


class Heard(NamedTuple):
    """The answer to a beat.

    Attributes:
        node: the agent's node; None if it is not registered, or another agent has its name.
        unwanted: the attempts that the agent has to end without a report: they are cancelled or over.
    """

    node: Node | None
    unwanted: tuple[Speaker, ...]


Parallel = Callable[[Callable[[Running], bool], Sequence[Running]], Iterable[bool]]
"""Map with bounded concurrency; results in order."""


def beat(
    ports: Ports, nodes: Nodes, node: NodeKey, session: str, running: Sequence[Running], *, parallel: Parallel = map
) -> Heard:
    """Note that an agent is alive, and that each of the attempts that it runs is. Asking again is safe.

    ◆ Also an agent whose name another one took is told which of its attempts are unwanted, so that it brings the others to an end, and
    these alone.

    Raises:
        Unavailable: if a store did not answer for the node, or for any of the attempts. The others were heard from; the agent must not count
            on any, and send the beat again.
    """
    wanted = list(parallel(lambda each: _is_wanted(ports, each), running))
    unwanted = tuple(each.speaker for each, goes_on in zip(running, wanted, strict=True) if not goes_on)
    return Heard(nodes.beat(node, session, len(running), ports.clock()), unwanted)


def _is_wanted(ports: Ports, running: Running) -> bool:
    """Hear from an attempt. Returns whether it goes on."""
    try:
        run = heartbeat(ports, running.speaker, running.progress)
    except (Conflict, NotAllowed):
        return False
    return not (run.state.finished or run.cancelled_by)
