"""The documents of runs on several nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from minutehand.domain.declaration.field import Field
from minutehand.domain.run import RunState


@dataclass(frozen=True, kw_only=True, slots=True)
class RunNodeDocument:
    """One of the nodes of a run on several nodes."""

    node: Annotated[str, Field("Name of the node.")]
    index: Annotated[int, Field("Its place among the nodes of the run, from 0.")]
    run_id: Annotated[str | None, Field("Id of the node's own run; null before its turn has come.")]
    state: Annotated[RunState | None, Field("State of the node's own run; null before its turn has come.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class PartDocument:
    """What a run on one of several nodes is a part of."""

    run_id: Annotated[str, Field("Id of the run on all of them.")]
    attempt: Annotated[int, Field("Number of that run's attempt.")]
    pool: Annotated[str, Field("The pool of the node.")]
    node: Annotated[str, Field("The node on which this run is carried out.")]
    index: Annotated[int, Field("Its place among the nodes, from 0.")]
    total: Annotated[int, Field("How many nodes they are.")]
