"""Handing on: what a run that others have started is told of them."""

from __future__ import annotations

from minutehand.domain.run import Run
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.target import ParentResult


def parents_results(run: Run, ports: Ports) -> tuple[ParentResult, ...]:
    """How the runs ended that started this one, in the order of the job's parents; without those whose retention is over.

    Costs nothing for a run that none has started. Of a long answer the end is handed on, as it stands beside the run.

    Raises:
        Unavailable: when a store does not answer; then nothing has begun.
    """
    if not run.parents:
        return ()
    found = ports.runs.get(run.parents)
    return tuple(_result_of(found[key], ports) for key in run.parents if key in found)


def _result_of(parent: Run, ports: Ports) -> ParentResult:
    result, error, truncated = parent.result, parent.error, parent.detailed
    kept = ports.outputs.get(parent.key, parent.attempt) if parent.detailed else None
    if kept is not None:
        result, error, truncated = kept.result, kept.error, kept.truncated
    return ParentResult(parent.key, parent.state, result, error, truncated or (result is not None and result.cut))
