"""Generator of `handlers/job_options.py`: the options of `@job` as types, by which a type checker finds wrong ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING
from datetime import datetime, timedelta
from enum import Enum
from typing import Any, Union, get_args, get_origin

from minutehand.domain.declaration.field import Declared, Pairs
from minutehand.domain.job_key import JobKey
from minutehand.entrypoints.api.documents.job import JobDocument
from minutehand.entrypoints.api.documents.requests import PauseRequest
from minutehand.entrypoints.api.forms.model import flat
from minutehand.entrypoints.api.sdk_types import indented, things, type_name, with_inner
from minutehand.targets import TYPES

_HEAD = '''"""The options of `@job`, as types. Made by `make generate` from the declared fields of a job: do not edit.

Durations are text (`1h30m`) or `timedelta`, instants RFC 3339 text or aware `datetime`, parents names or decorated functions.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, Literal, Required, TypedDict
'''
_ELSEWHERE = {"namespace", "name", "target"}
"""Fields of a job that are no options: its name is the first argument, and its target belongs to where the code runs."""
_OF_AGENTS = ("pool", "node", "tags", "count", "min_success", "max_parallel", "environment")
"""Fields of a target that are options, for handlers that agents run."""
_PLAIN: Mapping[Any, str] = {
    str: "str",
    int: "int",
    bool: "bool",
    float: "float",
    Any: "Any",
    datetime: "str | datetime",
    timedelta: "str | timedelta",
    Pairs: "Mapping[str, str]",
    JobKey: "str | Callable[..., Any]",
}


def module() -> str:
    """The text of `handlers/job_options.py`. Each type follows the types that it refers to."""
    options = [each for each in flat(JobDocument) if not _is_elsewhere(each)]
    http: Any = TYPES["http"].fields
    command: Any = TYPES["command"].fields
    options += [each for each in flat(http) if each.name == "heartbeat"]
    options += [each._replace(default=None) for each in flat(command) if each.name in _OF_AGENTS]
    inside: list[Any] = [PauseRequest, *(cls for each in options for cls in things(each.type))]
    written = dict.fromkeys(cls for outer in inside for cls in with_inner(outer))
    nested = "".join(_class(type_name(cls), cls.__doc__, flat(cls)) for cls in written)
    return _HEAD + nested + _class("JobOptions", "The options of `@job`, and the defaults of an `App`.", options)


def _is_elsewhere(each: Declared) -> bool:
    return each.name in _ELSEWHERE or each.field.read_only or each.field.optional


def _class(name: str, about: str | None, fields: Sequence[Declared]) -> str:
    body = "".join(f"    {each.name}: {_annotation(each)}\n{indented(each.field.description)}" for each in fields)
    return f"\n\nclass {name}(TypedDict, total=False):\n{indented(about or '')}\n{body}"


def _annotation(each: Declared) -> str:
    text = "bool | Pause" if each.field.or_until else _literal(each.field.choices) or _of(each.type)
    text = f"{text} | None" if each.nullable else text
    return f"Required[{text}]" if each.default is MISSING else text


def _literal(choices: tuple[str, ...]) -> str:
    words = ", ".join(f'"{choice}"' for choice in choices)
    return f"Literal[{words}]" if choices else ""


def _of(type_: Any) -> str:
    """The type of a field's value in Python code, as text."""
    if type_ in _PLAIN:
        return _PLAIN[type_]
    if isinstance(type_, type) and issubclass(type_, Enum):
        return _literal(tuple(member.value for member in type_))
    if get_origin(type_) is Union:
        return " | ".join(map(_of, get_args(type_)))
    if get_origin(type_) in (tuple, frozenset):
        inner = get_args(type_)[0]
        each = f"{_of(inner)} | {_PLAIN[JobKey]}" if any(one.type is JobKey for one in _fields(inner)) else _of(inner)
        return f"list[{each}] | tuple[{each}, ...]"
    return type_name(type_) if _fields(type_) else "str"


def _fields(type_: Any) -> tuple[Declared, ...]:
    """The fields of a declared type; none of any other."""
    return flat(type_) if type_ in tuple(things(type_)) else ()
