"""Call a target by its type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from minutehand.domain.job import Target
from minutehand.domain.run import RunError, RunState
from minutehand.targets import TYPES
from minutehand.targets.target_type import to_add_worker
from minutehand.targets.terms import TargetTerms
from minutehand.usecases.ports.target import Call, Outcome, TargetCaller

CallerMakers = Mapping[str, Callable[[TargetTerms], TargetCaller[Any]]]
"""For each type of target, by its name, a function that makes its caller under the terms of a deployment."""


def load_callers(worker: str) -> CallerMakers:
    """Import the callers of the types that a worker calls. It does so while it starts, so that no run waits for an import."""
    return {name: kind.load_caller() for name, kind in TYPES.items() if kind.worker == worker}


class CallByType:
    """Calls each target with the caller of its type; the `TargetCaller` of a worker."""

    def __init__(self, makers: CallerMakers, terms: TargetTerms) -> None:
        """Make a caller of each type, under the terms of the deployment."""
        self._callers = {name: make(terms) for name, make in makers.items()}

    def __call__(self, target: Target, call: Call) -> Outcome:
        """Make the call; see `TargetCaller`. A target of a type that this worker does not call fails, since a stack without the worker of
        that type has no other that could call it."""
        caller = self._callers.get(target.type)
        if caller is not None:
            return caller(target, call)
        message = f"this stack has no worker for targets of type {target.type}; {to_add_worker(TYPES[target.type])}"
        return Outcome(RunState.FAILED, error=RunError(type="NoWorker", message=message), final=True)
