"""Call a target by its type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from minutehand.domain.job import Target
from minutehand.domain.redaction import redacted
from minutehand.domain.run import RunError, RunState
from minutehand.targets import TYPES
from minutehand.targets.target_type import TargetType, to_add_worker
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
        self._terms = terms

    def __call__(self, target: Target, call: Call) -> Outcome:
        """Make the call; see `TargetCaller`. The outcome contains neither the token of the attempt nor a secret of the call.

        A target of a type that this worker does not call fails, since a stack without the worker of that type has no other that could call it.
        """
        caller = self._callers.get(target.type)
        if caller is not None:
            return self._called(caller, target, call)
        message = f"this stack has no worker for targets of type {target.type}; {to_add_worker(TYPES[target.type])}"
        return Outcome(RunState.FAILED, error=RunError(type="NoWorker", message=message), final=True)

    def _called(self, caller: TargetCaller[Any], target: Target, call: Call) -> Outcome:
        kind = TYPES[target.type]
        if not _may_name_secrets(kind, target):
            return redacted(caller(target, call), (call.token,))
        from minutehand.targets.secrets import hidden, with_secrets  # noqa: PLC0415 - few jobs have secrets

        ready = with_secrets(call, kind, target, self._terms)
        if isinstance(ready, Outcome):
            return ready
        return redacted(caller(target, ready), (call.token, *hidden(ready.secrets)))


def _may_name_secrets(kind: TargetType[Any], target: Target) -> bool:
    """Whether a target has a reference or a template, which may name a secret."""
    if any(text for _, text in kind.references(target)):
        return True
    return any(_has_placeholder(value) for _, value in kind.templates(target))


def _has_placeholder(value: Any) -> bool:
    match value:
        case str():
            return "{{" in value
        case Mapping():
            return any(map(_has_placeholder, value.values()))
        case list():
            return any(map(_has_placeholder, value))
        case _:
            return False
