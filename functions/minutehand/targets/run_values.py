"""The values of a run that templates name: which exist, and what they are in a call."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from minutehand.domain.declaration.field import Refused
from minutehand.domain.errors import FieldProblem
from minutehand.domain.instants import to_text
from minutehand.domain.job_key import JobKey
from minutehand.domain.template import Missing, Placeholder, follow, placeholders, shown
from minutehand.usecases.ports.target import Call, ParentResult

_SIMPLE: Mapping[str, Callable[[Call], Any]] = {
    "job": lambda call: str(call.run.key.job),
    "namespace": lambda call: call.run.key.job.namespace,
    "name": lambda call: call.run.key.job.name,
    "run_id": lambda call: call.run.key.run_id,
    "scheduled_for": lambda call: to_text(call.run.scheduled_for),
    "attempt": lambda call: call.run.attempt,
}
"""The values without parts."""
NAMES = (*_SIMPLE, "payload", "parents")


def template_problems(value: Any, path: str, parents: Collection[str] | None) -> Iterator[FieldProblem]:
    """The problems of the templates in a JSON value: those that cannot be read, and those that name what no run has.

    Args:
        path: the path of the value in its job.
        parents: the names by which templates may name parents (`names_of`); None if they are not known.
    """
    for place, found in placeholders(value, path):
        if isinstance(found, Refused):
            yield FieldProblem(place, found.message, found.hint, found.column)
        elif problem := _problem(found, parents):
            message, hint = problem
            yield FieldProblem(place, f"{shown(found)} {message}", hint, found.column)


def names_of(parent: JobKey, namespace: str) -> tuple[str, ...]:
    """The names by which a job of a namespace may name one of its parents: `shop/extract`, in the same namespace also `extract`."""
    return (str(parent), parent.name) if parent.namespace == namespace else (str(parent),)


def value_in(call: Call, placeholder: Placeholder) -> Any:
    """The value that a placeholder names in a call.

    Raises:
        Missing: if there is none.
    """
    name = placeholder.name
    if placeholder.secret is not None:
        if placeholder.secret not in call.secrets:
            raise Missing(f"{shown(placeholder)} names a secret that was not read for this call")
        return call.secrets[placeholder.secret]
    if name == "payload":
        return follow(call.payload, placeholder)
    if name == "parents":
        return _of_parents(call, placeholder)
    if name not in _SIMPLE:
        raise Missing(f"{shown(placeholder)} names nothing; there are {', '.join(NAMES)}")
    return follow(_SIMPLE[name](call), placeholder)


def parent_document(parent: ParentResult) -> dict[str, Any]:
    """How a parent's run ended, as a JSON value."""
    result, error = parent.result, parent.error
    return {
        "job": str(parent.run.job),
        "run_id": parent.run.run_id,
        "state": parent.state.value,
        "scheduled_for": to_text(parent.run.scheduled_for),
        "result": result and {"status": result.status, "body": result.body, "truncated": parent.truncated},
        "error": error and {"type": error.type, "message": error.message},
    }


def _problem(placeholder: Placeholder, parents: Collection[str] | None) -> tuple[str, str] | None:
    name, steps = placeholder.name, placeholder.steps
    if placeholder.secret is not None:
        return None  # `secret_uses` judges it
    if name in _SIMPLE:
        return (f"names nothing: {name} has no parts", f"write {{{{{name}}}}}") if steps else None
    if name == "parents":
        if not steps or parents is None or steps[0] in parents:
            return None
        if not parents:
            return "names nothing: the job has no parents", "name the parent in depends_on"
        return f"names nothing: {steps[0][:60]!r} is not a parent of this job", f"its parents are {', '.join(parents)}"
    if name == "payload":
        return None
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

    near = get_close_matches(name, NAMES, n=1)
    return "names nothing", (f"did you mean {near[0]}? " if near else "") + f"there are {', '.join(NAMES)}"


def _of_parents(call: Call, placeholder: Placeholder) -> Any:
    if not placeholder.steps:
        return [parent_document(parent) for parent in call.parents]
    wanted, namespace = placeholder.steps[0], call.run.key.job.namespace
    found = next((parent for parent in call.parents if wanted in names_of(parent.run.job, namespace)), None)
    if found is None:
        raise Missing(f"{shown(placeholder)} names nothing: no run of {wanted[:60]!r} started this one")
    document = parent_document(found)
    if found.result is not None and len(placeholder.steps) > 3 and placeholder.steps[1:3] == ("result", "body"):
        document["result"]["body"] = _parsed(found, placeholder)
    return follow(document, placeholder, first=1)


def _parsed(parent: ParentResult, placeholder: Placeholder) -> Any:
    """The text of a parent's answer, as the JSON value that it is."""
    if parent.truncated:
        raise Missing(f"{shown(placeholder)} names nothing: of the answer of {parent.run.job}, only a part is kept")
    try:
        return json.loads(parent.result.body if parent.result else "", parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise Missing(f"{shown(placeholder)} names nothing: the answer of {parent.run.job} is not JSON") from None


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
