"""Generator of the tables in docs/reference, from the routes and the declared fields. Each table is between two markers:

<!-- generated: routes -->            <!-- generated: Job -->
<!-- end of generated -->             <!-- end of generated -->
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING
from datetime import timedelta
from enum import Enum
from typing import Any, get_args

from minutehand.domain.declaration.conversion import shown_value
from minutehand.domain.declaration.field import Declared, is_declared
from minutehand.domain.policies import Backoff, Dependency, NamedLimit, Retry
from minutehand.domain.token import Role
from minutehand.entrypoints.api.documents.headers import IDEMPOTENCY_KEY
from minutehand.entrypoints.api.documents.job import JobDocument
from minutehand.entrypoints.api.documents.requests import PauseRequest
from minutehand.entrypoints.api.documents.run import RunDocument
from minutehand.entrypoints.api.forms.model import flat
from minutehand.entrypoints.api.route import Route
from minutehand.entrypoints.api.routes import ROUTES
from minutehand.entrypoints.api.sdk_types import type_name
from minutehand.entrypoints.metrics import Metric
from minutehand.targets import fields_by_type

_MARKED = re.compile(r"(<!-- generated: (?P<what>[\w ]+) -->\n).*?(<!-- end of generated -->)", re.DOTALL)
JOB_PARTS: Mapping[type, str] = {
    JobDocument: "",
    Retry: "retry.",
    Backoff: "retry.backoff.",
    Dependency: "depends_on[].",
    NamedLimit: "limits[].",
    PauseRequest: "paused.",
}
"""The types that a job's document consists of, each with the prefix of its fields in the tables."""


def with_tables(text: str) -> str:
    """Replace the tables in the text of the reference.

    Raises:
        ValueError: for a marker with an unknown name.
    """
    return _MARKED.sub(lambda found: f"{found[1]}{_table(found['what'])}{found[3]}", text)


def _table(what: str) -> str:
    """The table for the name in a marker: `routes`, `Run`, the type of a part of a job, such as `Retry`, or `<type> target`."""
    if what == "routes":
        rows = [
            (
                f"`{each.method} {each.path}`",
                _role(each),
                _input(each),
                _first_line(each.answer),
            )
            for each in ROUTES
        ]
        return _rows(("route", "role", "parameters and body", "what it does"), rows)
    if what == "metrics":
        return _rows(("metric", "unit", "by", "written by", "meaning"), [_metric(each) for each in Metric])
    if what == "Run":
        meanings = [(f"`{each.name}`", _cell(each.field.description)) for each in flat(RunDocument)]
        return _rows(("field", "meaning"), meanings)
    targets = {f"{name} target": fields for name, fields in fields_by_type().items()}
    if what in targets:
        rows_of: Iterator[tuple[str, ...]] = _fields(targets[what], "target.", with_parts=True)
    else:
        [(cls, prefix)] = [part for part in JOB_PARTS.items() if type_name(part[0]) == what]
        rows_of = _fields(cls, prefix)
    return _rows(("field", "default", "meaning and limits"), [*rows_of])


def _metric(each: Metric) -> tuple[str, ...]:
    declared = each.value
    by = "stack" if not declared.by else f"stack; {declared.by}"
    return f"`{each.title}`", declared.unit.lower(), by, ", ".join(declared.functions), _cell(declared.meaning)


def _fields(cls: Any, prefix: str, *, with_parts: bool = False) -> Iterator[tuple[str, ...]]:
    """The rows of a type's fields; `with_parts`, also of the fields of its parts, each after the part."""
    for each in flat(cls):
        if each.field.read_only:
            continue
        name = f"{prefix}{each.name}"
        yield f"`{name}`", _default(each), _cell(f"{each.field.description}{_limits(each)}")
        [item, *_] = get_args(each.type) or [None]
        if with_parts and is_declared(each.type):
            yield from _fields(each.type, f"{name}.", with_parts=True)
        elif with_parts and is_declared(item):
            yield from _fields(item, f"{name}[].", with_parts=True)


def _role(route: Route) -> str:
    """The cell with the roles that may use a route: the least one, which those above it include, and `agent` where that may, too."""
    if route.role is None:
        return "none"
    if route.everywhere:
        return f"{route.role.value} for `*`"
    return f"{route.role.value} or {Role.AGENT.value}" if route.agents else route.role.value


def _input(route: Route) -> str:
    """The cell with a route's query parameters, its header with a key, and its body: the kind of document that it saves, or the fields of its
    request. Preconditions have a chapter of their own."""
    given = [f"`?{name}`" for name in route.query]
    given += [f"`{IDEMPOTENCY_KEY.name}`"] if route.keyed else []
    if route.takes is not None and route.method == "PUT":
        given.append(f"a {type_name(route.takes).lower()}")
    elif route.takes is not None:
        given += [f"`{each.name}`" for each in flat(route.takes)]
    return ", ".join(given)


def _first_line(answer: Any) -> str:
    return _cell((answer.__doc__ or "").strip().partition("\n")[0])


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _default(each: Declared) -> str:
    if each.field.in_path:
        return "from the path"
    if each.default is MISSING:
        return "required"
    if each.default is None:
        return "null"
    if is_declared(type(each.default)):
        return "see below"
    shown = shown_value(each)
    return f"`{shown if isinstance(shown, str) and shown else json.dumps(shown)}`"


def _limits(each: Declared) -> str:
    field, type_ = each.field, each.type
    if field.least is not None and type_ in (int, float, timedelta):
        least, most = (f"`{bound}`" if isinstance(bound, str) else f"{bound:,}" for bound in (field.least, field.most))
        return f" {least} to {most}."
    if isinstance(type_, type) and issubclass(type_, Enum):
        return f" One of {', '.join(f'`{member.value}`' for member in type_)}."
    if field.choices:
        return f" One of {', '.join(f'`{choice}`' for choice in field.choices)}."
    if field.most is not None:
        return f" At most {field.most:,} {'characters' if type_ is str else 'entries'}."
    return ""


def _rows(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
