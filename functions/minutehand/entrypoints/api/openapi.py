"""The OpenAPI 3.1 description of the API, made from the table of routes and the declared fields."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import timedelta
from enum import Enum
from http import HTTPStatus
from types import UnionType
from typing import Any, Union, get_args, get_origin

import minutehand
from minutehand.domain.declaration.field import Declared, is_declared
from minutehand.entrypoints.api.documents.headers import ETAG, RETRY_AFTER, Header
from minutehand.entrypoints.api.documents.requests import PauseRequest
from minutehand.entrypoints.api.forms.model import flat
from minutehand.entrypoints.api.forms.schema import taken_schema
from minutehand.entrypoints.api.openapi_parameters import PLAIN, components, parameters, with_headers
from minutehand.entrypoints.api.problems import KINDS, ProblemDocument
from minutehand.entrypoints.api.route import Route
from minutehand.entrypoints.api.routes import ROUTES
from minutehand.entrypoints.api.sdk_types import things, type_name, with_inner
from minutehand.targets import fields_by_type

_REF = "#/components/schemas/{model}"
_ABOUT = """The API of a Minutehand stack: jobs, their runs, calendars and everything else that one manages.

Instants are RFC 3339 in UTC (`2026-11-20T09:00:00Z`), durations are text (`1h30m`). Within `/v1`, answers may get further fields, but lose none."""
_GATEWAY = (403, 429, 500, 502, 503, 504)
"""Statuses that API Gateway answers by itself, on any route: a request that is refused, throttled, or not answered in time."""

_PROBLEM_HEADERS: Mapping[int, tuple[Header, ...]] = {412: (ETAG,), 429: (RETRY_AFTER,), 503: (RETRY_AFTER,)}
"""The headers that problems of a status may have."""


def description(examples: Mapping[str, Any]) -> dict[str, Any]:
    """The description of the API.

    Args:
        examples: for each route (`GET /v1/health`) a `request` and an `answer`, as `docs/reference/api-examples.json` has them.
    """
    paths: dict[str, dict[str, Any]] = {}
    schemas: dict[str, Any] = {}
    described = [route for route in ROUTES if not route.for_people]
    for route in described:
        example = examples.get(f"{route.method} {route.path}", {})
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, example, schemas)
    _add_answer(ProblemDocument, schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Minutehand",
            "version": minutehand.__version__,
            "description": _ABOUT,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "..", "description": "The stack that serves this description, under any stage or domain."}],
        "tags": [{"name": name} for name in dict.fromkeys(map(_tag, described))],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.items())),
            **components(),
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "A token of this stack."},
                "attempt": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "Minutehand-Token",
                    "description": "The token of an attempt, which its target received.",
                },
            },
        },
    }


def text(examples: str) -> str:
    """The text of the file `openapi.json`, from the text of the file with the examples."""
    return json.dumps(description(json.loads(examples)), indent=1, ensure_ascii=False) + "\n"


def _operation(route: Route, example: Mapping[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    summary, _, rest = (route.answer.__doc__ or "").strip().partition("\n")
    operation: dict[str, Any] = {
        "operationId": route.answer.__name__,
        "tags": [_tag(route)],
        "summary": summary,
        "description": " ".join([*rest.split(), *_needs(route)]),
        "security": _security(route),
        "parameters": [*parameters(route)],
        "responses": _responses(route, example, schemas),
    }
    if route.takes is not None:
        schema = _taken(route.takes, schemas)
        taken = schemas[f"{type_name(route.takes)}Input"]
        if route.takes is PauseRequest:  # a pause without an end lasts until it is ended
            schema, taken = {"anyOf": [schema, {"type": "object", "maxProperties": 0}]}, {}
        content: dict[str, Any] = {"schema": schema}
        if "body" in example.get("request", {}):
            content["example"] = example["request"]["body"]
        operation["requestBody"] = {
            "required": route.method == "PUT" or "required" in taken,
            "content": {"application/json": content},
        }
    return operation


def _tag(route: Route) -> str:
    """The group of a route: the last part of its path that names a kind of things."""
    return route.answer.__module__.rpartition(".")[2]


def _security(route: Route) -> list[dict[str, list[str]]]:
    if route.role is not None:
        return [{"token": []}]
    return [{"attempt": []}] if "{attempt}" in route.path else []


def _needs(route: Route) -> Iterator[str]:
    """The sentence that says which token may use a route; nothing if none is needed."""
    if route.role is not None:
        yield f"Needs the role `{route.role.value}`{' for all namespaces' if route.everywhere else ''}."


def _responses(route: Route, example: Mapping[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    responses: dict[str, Any] = {}
    for status in route.statuses:
        responses[str(status)] = {"description": HTTPStatus(status).phrase} | with_headers(
            *((ETAG,) if route.tagged else ())
        )
        if route.answers is not None:
            content: dict[str, Any] = {"schema": _answered(route, schemas)}
            answer = example.get("answer", {})
            if answer.get("status") == status:
                content["example"] = answer["body"]
            responses[str(status)]["content"] = {"application/json": content}
    problem = {"application/problem+json": {"schema": {"$ref": _REF.format(model="Problem")}}}
    for status in sorted({*_refusals(route), *_GATEWAY}):
        headers = with_headers(*_PROBLEM_HEADERS.get(status, ()))
        responses[str(status)] = {"description": HTTPStatus(status).phrase, "content": problem} | headers
    return responses


def _refusals(route: Route) -> Iterator[int]:
    """The statuses of the problems that a route may answer."""
    every = {kind.status for kind in KINDS.values()}
    yield from every - {401, 404, 405, 409, 412, 413, 422}
    if route.role is not None or "{attempt}" in route.path:
        yield 401
    if "{" in route.path:
        yield from (404, 422)
    if route.method != "GET":
        yield from every & {409, 412}
    if route.takes is not None or route.method == "POST":
        yield from (413, 422)


def _answered(route: Route, schemas: dict[str, Any]) -> dict[str, Any]:
    item = _add_answer(route.answers, schemas)
    if route.foretells is not None:
        return {"anyOf": [item, _add_answer(route.foretells, schemas)]}
    if not route.pages:
        return item
    beside = flat(route.beside) if route.beside is not None else ()
    name = f"{type_name(route.beside if route.beside is not None else route.answers)}Page"
    schemas[name] = {
        "title": name,
        "description": "A page of a list.",
        "type": "object",
        "properties": {
            "items": {"type": "array", "items": item, "description": "The items of this page."},
            "next": {
                "type": ["string", "null"],
                "description": "The parameter `cursor` of the next page; null if this page is the last.",
            },
            **{each.name: _property(each) for each in beside},
        },
        "required": ["items", "next", *(each.name for each in beside)],
    }
    return {"$ref": _REF.format(model=name)}


def _taken(cls: Any, schemas: dict[str, Any]) -> dict[str, Any]:
    """A reference to the schema of the documents that the API takes; their names end in `Input`."""
    schema = taken_schema(cls, _REF.format(model="{model}Input"))
    for name, part in ({type_name(cls): schema} | schema.pop("$defs", {})).items():
        schemas[f"{name}Input"] = {**part, "title": f"{name}Input"}
    return {"$ref": _REF.format(model=f"{type_name(cls)}Input")}


def _add_answer(cls: Any, schemas: dict[str, Any]) -> dict[str, Any]:
    """A reference to the schema of the documents of a type that the API answers."""
    for each in with_inner(cls):
        if type_name(each) not in schemas:
            schemas[type_name(each)] = _answer(each)
            if any(field.field.tag for field in flat(each)):
                schemas |= {type_name(fields): _answer(fields, name) for name, fields in fields_by_type().items()}
                for fields in fields_by_type().values():
                    for inner in (inside for field in flat(fields) for inside in things(field.type)):
                        _add_answer(inner, schemas)
            if any(field.field.or_until for field in flat(each)):
                schemas[type_name(PauseRequest)] = _answer(PauseRequest)
    return {"$ref": _REF.format(model=type_name(cls))}


def _answer(cls: Any, tag: str = "") -> dict[str, Any]:
    fields = flat(cls)
    properties = {each.name: _property(each) for each in fields}
    required = [each.name for each in fields if not each.field.optional]
    if tag:
        properties, required = {"type": {"const": tag}} | properties, ["type", *required]
    return {
        "title": type_name(cls),
        "description": cls.__doc__,
        "type": "object",
        "properties": properties,
        "required": required,
    }


def _property(each: Declared) -> dict[str, Any]:
    schema = _field_schema(each)
    if each.nullable and schema:
        schema = {"anyOf": [schema, {"type": "null"}]}
    return {**schema, "description": each.field.description} if each.field.description else schema


def _field_schema(each: Declared) -> dict[str, Any]:
    if each.field.tag:
        return {"oneOf": [{"$ref": _REF.format(model=type_name(fields))} for fields in fields_by_type().values()]}
    if each.field.or_until:
        return {"anyOf": [{"type": "boolean"}, {"$ref": _REF.format(model=type_name(PauseRequest))}]}
    if each.type is timedelta and each.field.unit == "ms":
        return {"type": "integer"}
    if each.field.choices:
        return {"type": "string", "enum": list(each.field.choices)}
    return _of(each.type)


def _of(type_: Any) -> dict[str, Any]:
    """The schema of a field's value in an answer."""
    if type_ in PLAIN:
        return dict(PLAIN[type_])
    if is_declared(type_):
        return {"$ref": _REF.format(model=type_name(type_))}
    if isinstance(type_, type) and issubclass(type_, Enum):
        return {"type": "string", "enum": [member.value for member in type_]}
    if hasattr(type_, "of"):
        return {"type": "string"}
    if get_origin(type_) in (tuple, frozenset):
        return {"type": "array", "items": _of(get_args(type_)[0])}
    if get_origin(type_) is Mapping:
        return {"type": "object", "additionalProperties": _of(get_args(type_)[1])}
    if get_origin(type_) is Union or isinstance(type_, UnionType):
        return {"anyOf": [_of(inside) for inside in get_args(type_)]}
    raise TypeError(f"OpenAPI has no schema for {type_}")
