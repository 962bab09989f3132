"""Reads documents, and turns pydantic's errors into field problems: the field's path, what is wrong, and what would be right."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any, TypeVar, get_args, get_origin

from pydantic import ValidationError

from minutehand.domain.declaration import checks
from minutehand.domain.declaration.conversion import read_shown
from minutehand.domain.declaration.field import Declared, Refused, is_declared
from minutehand.domain.errors import FieldProblem, Invalid
from minutehand.domain.json_pointer import EMPTY, LONGEST_NAME
from minutehand.entrypoints.api.documents.job import JobDocument
from minutehand.entrypoints.api.documents.requests import PauseRequest
from minutehand.entrypoints.api.forms.likely import field_for, value_for
from minutehand.entrypoints.api.forms.model import REFUSED, flat, form_of
from minutehand.entrypoints.api.forms.request import json_kind, optional_object
from minutehand.targets import fields_by_type

_MISSING_HINTS = {
    "schedule": 'say when it runs, such as "*/5 * * * *"; write "@manual" for a job that only triggers start, or name parents in depends_on',
    "from": "give the first instant, such as 2026-11-01T00:00:00Z",
    "to": "give the end, which is not included, such as 2026-11-02T00:00:00Z",
    "job": 'write "name" or "namespace/name"',
    "until": 'write {"until": "2026-12-01T09:00:00Z"}',
    "state": 'write "succeeded" or "failed"',
    "error.type": 'write one word, such as "DiskFull"',
    "target": 'say what each run calls, such as {"type": "http", "method": "POST", "url": "https://example.com/hook"}',
    "target.type": 'write "http"',
    "target.url": 'write "https://host/path"',
    "target.pool": 'name the pool whose agents run the command, such as "web"',
    "target.endpoints.listed[].url": 'write the origin of an endpoint, such as "https://10.0.3.7:8443"',
    "target.endpoints.cloud_map.namespace": 'write the HTTP name of a namespace in AWS Cloud Map, such as "shop.internal"',
    "target.endpoints.cloud_map.service": 'write the name of a service in AWS Cloud Map, such as "reports"',
    "url": 'write the origin of the endpoint, such as "https://10.0.3.7:8443"',
    "limits[].name": 'write a name of your own, such as "orders-db"; all jobs that name it share the limit',
    "limits[].max": "give the most attempts in progress at once, 1 to 1,000: the same in all jobs of the limit",
}
"""Hints for a missing field, by its path (without the indexes of lists) or, at any depth, by its name."""
_KINDS = {
    "string_type": ("text", 'put it in quotes: "…"'),
    "int_type": ("a whole number", "write it without quotes and without a fraction"),
    "float_type": ("a number", "leave out quotes"),
    "bool_type": ("true or false", "leave out quotes"),
    "dict_type": ("an object", "write {…}"),
    "list_type": ("a list", "write […]"),
    "model_type": ("an object", "write {…}"),
}
"""The kind of value that a field needs, and the hint, for each of these error types of pydantic."""
T = TypeVar("T")
Place = tuple[str, ...]
"""Names of the fields that lead to an object inside a document, a list's name with `[]`: `("retry",)`, `("depends_on[]",)`."""
Things = tuple[tuple[Place, Any], ...]
"""The declared types of the objects in a document, each with its place; that of the document itself first."""


def problems_in(document: Mapping[str, Any], cls: Any) -> list[FieldProblem]:
    """Every problem of a document's fields, each checked by itself."""
    try:
        form_of(cls).model_validate(document)
    except ValidationError as error:
        found = [(_location(each["loc"]), each) for each in error.errors(include_url=False)]
    else:
        return []
    tags = {(each.name, each.field.tag) for each in flat(cls) if each.field.tag}
    untyped = {location[0] for location, each in found if location in tags and each["type"] == "literal_error"}
    things = _things(cls, types=_types_in(document, cls))
    return [
        _problem(each["type"], location, each["input"], each.get("ctx", {}), things)
        for location, each in found
        if location in tags or location[0] not in untyped  # a target's `type` decides which fields it may have
    ]


def read_valid(document: Mapping[str, Any], cls: type[T]) -> T:
    """Read a document.

    Raises:
        Invalid: with every problem of every field.
    """
    problems = problems_in(document, cls)
    if problems:
        raise Invalid(*problems)
    return read_shown(cls, document)


def read_body(event: Mapping[str, Any], cls: type[T]) -> T:
    """Read a request's body. It may be absent if no field is required.

    Raises:
        BadRequest, TooLarge: when the body is not a JSON object.
        Invalid: with every problem of every field.
    """
    return read_valid(optional_object(event), cls)


def missing(path: str) -> FieldProblem:
    """The problem of a missing field."""
    known = re.sub(r"\[[0-9]+\]", "[]", path)
    hint = _MISSING_HINTS.get(known) or _MISSING_HINTS.get(path.rpartition(".")[2], "")
    return FieldProblem(path=path, message="this is required", hint=hint)


def name_problem(path: str, text: str) -> FieldProblem | None:
    """The problem with the name of a namespace, a job or a calendar; None for a valid name."""
    try:
        checks.name(text)
    except Refused as error:
        return FieldProblem(path=path, message=error.message, hint=error.hint)
    return None


def _location(path: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """A path without what pydantic puts between the fields: the tag of a chosen form (`<http>`, `<until>`), and `[key]` after a bad key."""
    # A document, too, may have a field with such a name: what is the only part is not left out.
    tags = {"<flag>", "<until>", "<text>", "<texts>", *(f"<{name}>" for name in fields_by_type())}
    location = tuple(part for part in path if part not in tags) or path
    return location[:-1] if len(location) > 1 and location[-1] == "[key]" else location


def _problem(
    kind: str, location: tuple[str | int, ...], value: Any, context: Mapping[str, Any], things: Things
) -> FieldProblem:
    """The field problem for one of pydantic's errors, given by its type, location, input and context."""
    path = "".join(
        f"[{part}]" if isinstance(part, int) else f".{part[:LONGEST_NAME] or EMPTY}" for part in location
    ).removeprefix(".")

    def problem(message: str, hint: str = "", column: int | None = None) -> FieldProblem:
        return FieldProblem(path=path, message=message, hint=hint, column=column)

    match kind:
        case checked if checked == REFUSED:
            return problem(context["message"], context["hint"], context["column"])
        case "missing":
            return missing(path)
        case "extra_forbidden":
            likely = field_for(path) if things[0][1] is JobDocument else ""
            return problem("unknown field", likely or _field_hint(*_split(location), things))
        case "string_type" | "int_type" | "float_type" | "bool_type" | "dict_type" | "list_type" | "model_type":
            pause = ('true, false or {"until": …}', "leave out quotes")
            wanted, usual = pause if path == "paused" else _KINDS[kind]
            hint = (value_for(path, value) if things[0][1] is JobDocument else "") or usual
            return problem(f"this must be {wanted}, not {json_kind(value)}", hint)
        case "string_too_long":
            most = context["max_length"]
            return problem(f"this has {len(value):,} characters; {most:,} is the most", "shorten it")
        case "too_long":
            entries, most = context["actual_length"], context["max_length"]
            return problem(f"this has {entries:,} entries; {most:,} is the most", f"remove {entries - most:,}")
        case "literal_error":
            return problem(f"{value!r:.60} is not a valid value", f"write {context['expected']}")
        case "greater_than_equal" | "less_than_equal":
            place, name = _split(location)
            [bounded] = [each for each in _fields(place, things) if each.name == name]
            return problem(f"{value!s:.60} is out of range", f"give {bounded.field.least:,} to {bounded.field.most:,}")
        case _:
            return problem(f"invalid value ({kind})")


def _split(location: tuple[str | int, ...]) -> tuple[Place, str]:
    """Split the location of a field into the place of the object that has it, and the field's name."""
    place: list[str] = []
    for part in location[:-1]:
        if isinstance(part, int):
            place[-1] += "[]"
        else:
            place.append(part)
    return tuple(place), str(location[-1])


def _field_hint(place: Place, name: str, things: Things) -> str:
    """The hint for an unknown field: the same name elsewhere, a similar name here, or the fields here."""
    wanted = name.lower().replace("-", "_")
    for elsewhere, _ in things:
        if elsewhere != place and wanted in _names(elsewhere, things):
            return f"did you mean `{'.'.join((*elsewhere, wanted))}`?"
    names = _names(place, things)
    near = get_close_matches(wanted, [each for each in names if each != name], n=1)
    return f"did you mean `{near[0]}`?" if near else f"the fields are: {', '.join(names)}"


def _names(place: Place, things: Things) -> list[str]:
    return [*(["type"] if place == ("target",) else []), *dict.fromkeys(each.name for each in _fields(place, things))]


def _fields(place: Place, things: Things) -> list[Declared]:
    """The declared fields of the types that an object at a place can have; the document's own if no type is declared there."""
    found = [each for at, thing in things if at == place for each in flat(thing)]
    return found or list(flat(things[0][1]))


def _types_in(document: Mapping[str, Any], cls: Any) -> tuple[str, ...]:
    """The types that a target in a document may have: the one that it names, or all of them."""
    named = [
        value.get(each.field.tag)
        for each in flat(cls)
        if each.field.tag and isinstance(value := document.get(each.name), Mapping)
    ]
    return tuple(name for name in fields_by_type() if name in named) or tuple(fields_by_type())


@cache
def _things(cls: Any, at: Place = (), *, types: tuple[str, ...]) -> Things:
    """A declared type and every declared type nested in it, each with its place; of targets, those of these types."""
    found: list[tuple[Place, Any]] = [(at, cls)]
    for each in flat(cls):
        if each.field.read_only:
            continue
        inside = get_args(each.type)[0] if get_origin(each.type) is tuple else each.type
        where = (*at, f"{each.name}[]" if inside is not each.type else each.name)
        if each.field.tag:
            for name in types:
                found += _things(fields_by_type()[name], where, types=types)
        elif each.field.or_until:
            found += _things(PauseRequest, where, types=types)
        elif is_declared(inside):
            found += _things(inside, where, types=types)
    return tuple(found)
