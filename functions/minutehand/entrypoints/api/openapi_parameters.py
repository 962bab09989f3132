"""The parameters of requests, and the headers of requests and answers, in the OpenAPI description."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from minutehand.domain.declaration.checks import NAME
from minutehand.domain.declaration.field import Pairs
from minutehand.entrypoints.api.documents.headers import ANSWERED, TAKEN, Header
from minutehand.entrypoints.api.documents.query import PARAMETERS, Parameter
from minutehand.entrypoints.api.documents.requests import RUN_ID
from minutehand.entrypoints.api.route import Route

_INSTANT = {"type": "string", "format": "date-time"}
_DURATION = {"type": "string", "examples": ["1h30m"]}
PLAIN: Mapping[Any, Mapping[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    float: {"type": "number"},
    Any: {},
    datetime: _INSTANT,
    timedelta: _DURATION,
    Pairs: {"type": "object", "additionalProperties": {"type": "string"}},
}
_NAME = {"type": "string", "pattern": f"^{NAME.pattern}$"}
_PATH_PARAMETERS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "namespace": ("The namespace.", _NAME),
    "name": ("The name in the namespace.", _NAME),
    "run_id": ("The run's id, as a list of runs shows it.", {"type": "string", "pattern": f"^{RUN_ID.pattern}$"}),
    "backfill_id": ("The backfill's id.", {"type": "string"}),
    "service": ("The service's name.", _NAME),
    "endpoint": ("The endpoint's name.", _NAME),
    "pool": ("The pool's name.", _NAME),
    "node": ("The node's name in its pool.", _NAME),
    "revision": ("The revision's number.", {"type": "integer", "minimum": 1, "maximum": 9_999_999}),
    "token_id": ("The token's id, as a list of tokens shows it.", {"type": "string"}),
    "attempt": ("Number of the attempt: 1 for the first.", {"type": "integer", "minimum": 1}),
}


def components() -> dict[str, Any]:
    """The headers, to which parameters and answers refer."""
    return {
        "parameters": {_part(each): _header(each) | {"name": each.name, "in": "header"} for each in TAKEN},
        "headers": {_part(each): _header(each) for each in ANSWERED},
    }


def parameters(route: Route) -> Iterator[dict[str, Any]]:
    for name in re.findall(r"\{(\w+)\}", route.path):
        about, schema = _PATH_PARAMETERS[name]
        yield {"name": name, "in": "path", "required": True, "description": about, "schema": schema}
    for name in route.query:
        yield {
            "name": name,
            "in": "query",
            "description": PARAMETERS[name].description,
            "schema": _query_schema(PARAMETERS[name], several=name in route.repeatable),
        }
    for header in route.headers:
        yield {"$ref": f"#/components/parameters/{_part(header)}"}


def _part(header: Header) -> str:
    """The name of a header among the description's components."""
    return header.name.replace("-", "")


def _header(header: Header) -> dict[str, Any]:
    return {"description": header.description, "schema": dict(header.schema)}


def with_headers(*headers: Header) -> dict[str, Any]:
    """The field `headers` of an answer; nothing without a header."""
    refs = {header.name: {"$ref": f"#/components/headers/{_part(header)}"} for header in headers}
    return {"headers": refs} if refs else {}


def _query_schema(parameter: Parameter, *, several: bool) -> dict[str, Any]:
    schema = dict(PLAIN[parameter.type])
    if parameter.most is not None:
        schema |= {"minimum": 1, "maximum": parameter.most}
    if parameter.choices:
        schema["enum"] = list(parameter.choices)
    if parameter.example:
        schema["examples"] = [parameter.example]
    return {"type": "array", "items": schema} if several else schema
