"""Inputs of a call: the payload of its run, and the results of the runs that started it."""

from __future__ import annotations

from minutehand.domain.job import Job
from minutehand.domain.run import Run
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.stores import Payload
from minutehand.usecases.ports.target import ParentResult


def payload_of(run: Run, job: Job, ports: Ports) -> Payload | None:
    """The run's own payload, or its job's where it has none of its own; only the former costs a read.

    None when the run's own payload is gone, with the retention that it was stored for. The job's does not replace it.

    Raises:
        Unavailable: when the store does not answer.
    """
    return ports.runs.payload(run.key) if run.own_payload else Payload(job.payload)


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
