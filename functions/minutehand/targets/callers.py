"""Call a target by its type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from minutehand.domain.job import Target
from minutehand.targets import TYPES
from minutehand.targets.terms import TargetTerms
from minutehand.usecases.ports.target import Call, Outcome, TargetCaller

CallerMakers = Mapping[str, Callable[[TargetTerms], TargetCaller[Any]]]
"""For each type of target, by its name, a function that makes its caller under the terms of a deployment."""


def load_callers() -> CallerMakers:
    """Import the callers of all types of targets. A worker does so while it starts, so that no run waits for an import."""
    return {name: kind.load_caller() for name, kind in TYPES.items()}


class CallByType:
    """Calls each target with the caller of its type; the `TargetCaller` of a worker."""

    def __init__(self, makers: CallerMakers, terms: TargetTerms) -> None:
        """Make a caller of each type, under the terms of the deployment."""
        self._callers = {name: make(terms) for name, make in makers.items()}

    def __call__(self, target: Target, call: Call) -> Outcome:
        """Make the call; see `TargetCaller`."""
        return self._callers[target.type](target, call)
