"""From pydantic's errors to problems in our words: what is wrong with which field, and what would be right."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError

from minutehand.domain.errors import FieldProblem
from minutehand.domain.job import NAME
from minutehand.entrypoints.api.forms import checks
from minutehand.entrypoints.api.forms.job import TAGS, JobForm
from minutehand.entrypoints.api.forms.parts import BackoffForm, DependencyForm, PauseForm, RetryForm, TargetForm
from minutehand.entrypoints.api.forms.reading import json_kind


class Forms(NamedTuple):
    """A form with the forms inside it.

    Attributes:
        by_place: each by the fields that lead to it; those of a list end with `[]`.
    """

    by_place: Mapping[tuple[str, ...], type[BaseModel]]


_NEEDED = {
    "schedule": 'say when it runs, such as "*/5 * * * *", or which jobs make it run, in depends_on',
    "from": "give the first instant, such as 2026-11-01T00:00:00Z",
    "to": "give the first instant that is no longer meant, such as 2026-11-02T00:00:00Z",
    "job": 'write "name" or "namespace/name"',
    "until": 'write {"until": "2026-12-01T09:00:00Z"}',
    "state": 'write "succeeded" or "failed"',
    "error.type": 'write one word, such as "DiskFull"',
    "target": 'say what it does, such as {"type": "http", "method": "POST", "url": "https://example.com/hook"}',
    "target.type": 'write "http"',
    "target.url": 'write "https://host/path"',
}
_KINDS = {
    "string_type": ("text", 'put it in quotes: "…"'),
    "int_type": ("a whole number", "leave out quotes and fraction"),
    "float_type": ("a number", "leave out quotes"),
    "bool_type": ("true or false", "leave out quotes"),
    "dict_type": ("an object", "write {…}"),
    "list_type": ("a list", "write […]"),
    "model_type": ("an object", "write {…}"),
}
_PAUSE = ('true, false or {"until": …}', "leave out quotes")
JOB = Forms(
    by_place={
        (): JobForm,
        ("target",): TargetForm,
        ("retry",): RetryForm,
        ("retry", "backoff"): BackoffForm,
        ("depends_on[]",): DependencyForm,
        ("paused",): PauseForm,
    }
)
NAME_RULE = "1 to 128 of a-z, 0-9, `.`, `_` and `-`, the first a letter or digit"


def problems_of(error: ValidationError, forms: Forms = JOB) -> Iterator[FieldProblem]:
    """A problem for each of pydantic's errors about a form."""
    for found in error.errors(include_url=False):
        place = tuple(part for part in found["loc"] if part not in TAGS)
        place = place[:-1] if place[-1] == "[key]" else place
        yield _problem(found["type"], place, found["input"], found.get("ctx", {}), forms)


def missing(path: str) -> FieldProblem:
    """That a field has to be there."""
    hint = _NEEDED.get(path) or _NEEDED.get(path.rpartition(".")[2], "")
    return FieldProblem(path=path, message="this is required", hint=hint)


def name_problem(path: str, text: str) -> FieldProblem | None:
    """What is wrong with the name of a namespace, a job or a calendar, if anything is."""
    if NAME.fullmatch(text):
        return None
    near = re.sub(r"[^a-z0-9._-]+", "-", text.lower()).strip("-._")[:128]
    hint = f"did you mean {near!r:.60}? " if near and len(text) <= 128 else ""
    return FieldProblem(path=path, message=f"{text!r:.60} is not a valid name", hint=f"{hint}write {NAME_RULE}")


def _problem(
    kind: str, place: tuple[str | int, ...], value: Any, context: Mapping[str, Any], forms: Forms
) -> FieldProblem:
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part[:60]}" for part in place).removeprefix(".")

    def problem(message: str, hint: str = "", column: int | None = None) -> FieldProblem:
        return FieldProblem(path=path, message=message, hint=hint, column=column)

    match kind:
        case checks.REFUSED:
            return problem(context["message"], context["hint"], context["column"])
        case "missing":
            return missing(path)
        case "extra_forbidden":
            return problem("there is no such field", _near(*_field(place), forms))
        case "string_type" | "int_type" | "float_type" | "bool_type" | "dict_type" | "list_type" | "model_type":
            wanted, hint = _PAUSE if path == "paused" else _KINDS[kind]
            return problem(f"this must be {wanted}, not {json_kind(value)}", hint)
        case "string_too_long":
            most = context["max_length"]
            return problem(f"this has {len(value):,} characters; {most:,} is the most", "shorten it")
        case "too_long":
            return problem(f"this has {context['actual_length']} entries; {context['max_length']} is the most")
        case "literal_error":
            return problem(f"{value!r:.60} is not one of the values it can have", f"write {context['expected']}")
        case "greater_than_equal" | "less_than_equal":
            return problem(f"{value!s:.60} is out of range", _range(*_field(place), forms))
        case "string_pattern_mismatch":
            wrong_name = name_problem(path, value) if place[0] in ("namespace", "name", "calendars") else None
            rule = "write a letter or digit, then up to 62 of A-Z, a-z, 0-9, `.`, `_`, `/` and `-`"
            return wrong_name or problem(f"{value!r:.60} cannot be the name of a label", rule)
        case _:
            return problem(f"this cannot be used ({kind})")


def _field(place: tuple[str | int, ...]) -> tuple[tuple[str, ...], str]:
    """The form that a place is in, as `Forms.by_place` has it, and the field there."""
    parents: list[str] = []
    for part in place[:-1]:
        if isinstance(part, int):
            parents[-1] += "[]"
        else:
            parents.append(part)
    return tuple(parents), str(place[-1])


def _near(parents: tuple[str, ...], name: str, forms: Forms) -> str:
    wanted = name.lower().replace("-", "_")
    for elsewhere, other in forms.by_place.items():
        if wanted in _names(other) and elsewhere != parents:
            return f"did you mean `{'.'.join((*elsewhere, wanted))}`?"
    form = forms.by_place.get(parents, forms.by_place[()])
    near = get_close_matches(wanted, _names(form), n=1)
    return f"did you mean `{near[0]}`?" if near else f"there are: {', '.join(_names(form))}"


def _names(form: type[BaseModel]) -> list[str]:
    """The names of a form's fields, as they are sent."""
    return [field.alias or name for name, field in form.model_fields.items()]


def _range(parents: tuple[str, ...], name: str, forms: Forms) -> str:
    bounds = forms.by_place[parents].model_fields[name].metadata
    least, most = (next(getattr(b, at) for b in bounds if hasattr(b, at)) for at in ("ge", "le"))
    return f"give {least:,} to {most:,}"
