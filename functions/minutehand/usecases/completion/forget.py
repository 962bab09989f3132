"""Forget: remove runs, with what they have left behind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from minutehand.domain.run import Run
from minutehand.usecases.ports.bundle import Ports


def forget(ports: Ports, runs: Sequence[Run], *, emptied: Sequence[Run] = ()) -> None:
    """Remove ended runs with their payloads and outputs, and those of their runs on nodes.

    What a run leads to goes before it, so that a repeated call finds what is left after an error.

    Args:
        emptied: ended runs of which only the outputs are removed.

    Raises:
        Unavailable: when a store does not answer; repeating the call is safe.
    """
    parts = [*_parts(ports, runs)]
    ports.outputs.forget([run.key for run in (*runs, *emptied, *parts, *_parts(ports, emptied))])
    if parts:
        ports.runs.forget(parts)
    ports.runs.forget(runs)


def _parts(ports: Ports, runs: Iterable[Run]) -> Iterator[Run]:
    """The runs on nodes of ended runs. Costs no read for a run at one place."""
    for run in runs:
        spread = None if run.joins_at is None else ports.spreads.get(run.key, run.attempt)
        if spread is not None and spread.children:
            yield from ports.runs.get([*spread.children.values()]).values()
