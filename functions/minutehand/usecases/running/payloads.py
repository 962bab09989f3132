"""Payloads: what a run hands to its target, its own or its job's."""

from __future__ import annotations

from dataclasses import replace

from minutehand.domain.errors import Unavailable
from minutehand.domain.job import Definition
from minutehand.domain.run import Run
from minutehand.usecases.ports.bundle import Ports


def meant_for(run: Run, definition: Definition, ports: Ports) -> Definition:
    """The definition by which a run goes: with the run's own payload, where it has one. One that has none costs no call.

    Raises:
        Unavailable: also when its own is gone, being past the run's `expires_at`: the job's would be another one.
    """
    if not run.own_payload:
        return definition
    own = ports.runs.payload(run.key)
    if own is None:
        raise Unavailable(f"the payload of run {run.key.run_id} of {run.key.job} is gone")
    return replace(definition, job=replace(definition.job, payload=own.value))
