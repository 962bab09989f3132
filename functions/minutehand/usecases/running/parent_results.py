"""Parent results: how the runs ended that started a run, as its target receives them."""

from __future__ import annotations

from minutehand.domain.run import Run
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.target import ParentResult


def parent_results(run: Run, ports: Ports) -> tuple[ParentResult, ...]:
    """The results of the runs that started this one, in the order of the job's parents. Runs that were removed are left out.

    Costs no read for a run without parents. Of a long answer, the target receives the end that is kept beside the run.

    Raises:
        Unavailable: when a store does not answer.
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
