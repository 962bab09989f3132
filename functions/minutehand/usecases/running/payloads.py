"""Payloads: a run's own, or its job's."""

from __future__ import annotations

from minutehand.domain.job import Job
from minutehand.domain.run import Run
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.stores import Payload


def payload_of(run: Run, job: Job, ports: Ports) -> Payload | None:
    """The run's own payload, or its job's where it has none of its own; only the former costs a read.

    None when the run's own payload is gone, with the retention that it was stored for. The job's does not replace it.

    Raises:
        Unavailable: when the store does not answer.
    """
    return ports.runs.payload(run.key) if run.own_payload else Payload(job.payload)
