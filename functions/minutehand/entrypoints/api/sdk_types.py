"""Generator of `client/models.py`, the SDK's types: a `TypedDict` for each document that the API answers."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from enum import Enum
from functools import cache
from keyword import iskeyword
from typing import Any, Union, get_args, get_origin

from minutehand.domain.declaration.field import Declared, Pairs, is_declared
from minutehand.domain.run import RunState
from minutehand.entrypoints.api.documents.requests import PauseRequest
from minutehand.entrypoints.api.forms.model import flat
from minutehand.entrypoints.api.routes import ROUTES

_HEAD = '''"""The API's documents, as types. Made by `make generate` from the API's declarations: do not edit.

Documents are plain dictionaries, exactly as the API answers them. Instants are RFC 3339 text in UTC
(`2026-11-20T09:00:00Z`), durations are text (`1h30m`), and fields `*_ms` are whole milliseconds. Within `/v1`, the API may add
fields, but removes none.
"""

from typing import Any, Final, NotRequired, TypedDict

FINISHED: Final = frozenset({%s})
"""The states of a run that has ended."""
'''
_WIDTH = 116
_PLAIN: Mapping[Any, str] = {str: "str", int: "int", bool: "bool", float: "float", Any: "Any", datetime: "str"}


def module() -> str:
    """The text of `client/models.py`. Each type follows the types that it refers to."""
    answers = [answer for route in ROUTES for answer in (route.answers, route.foretells) if answer]
    roots = [PauseRequest, *answers]
    written: dict[Any, None] = {}
    for root in roots:
        for cls in with_inner(root):
            written.setdefault(cls)
    finished = ", ".join(f'"{state.value}"' for state in RunState if state.finished)
    return _HEAD % finished + "".join(_class(cls) for cls in written)


@cache
def with_inner(cls: Any) -> tuple[Any, ...]:
    """The declared types that a type's fields refer to, directly or through other types, then the type itself."""
    found: list[Any] = []
    for each in flat(cls):
        for inside in things(each.type):
            found += with_inner(inside)
    return (*found, cls)


def things(type_: Any) -> Iterator[Any]:
    """The declared types inside a type, such as `Run` in `tuple[Run, ...]`."""
    if is_declared(type_):
        yield type_
    for inside in get_args(type_):
        yield from things(inside)


def _class(cls: Any) -> str:
    """The text of a type's `TypedDict`. A type with a Python keyword among its fields (`from`) needs the functional syntax."""
    name = type_name(cls)
    fields = flat(cls)
    if any(iskeyword(each.name) for each in fields):
        rows = "".join(f"        {json.dumps(each.name)}: {_annotation(each)},\n" for each in fields)
        about = "; ".join(f"`{each.name}`: {each.field.description.rstrip('.')}" for each in fields)
        text = textwrap.fill(f"{cls.__doc__} {about}.", _WIDTH)
        return f'\n\n{name} = TypedDict(\n    "{name}",\n    {{\n{rows}    }},\n)\n"""{text}"""\n'
    body = "".join(f"    {each.name}: {_annotation(each)}\n{indented(each.field.description)}" for each in fields)
    return f"\n\nclass {name}(TypedDict):\n{indented(cls.__doc__)}\n{body}"


def indented(text: str) -> str:
    """A docstring in a class; empty without a text."""
    if not text:
        return ""
    return textwrap.indent(f'"""{textwrap.fill(text, _WIDTH - 10)}"""\n', "    ")


def type_name(cls: Any) -> str:
    """The name of a document's type in the SDK."""
    name: str = cls.__name__
    return name.removesuffix("Document").removesuffix("Request")


def _annotation(each: Declared) -> str:
    text = _text(each)
    text = f"{text} | None" if each.nullable else text
    return f"NotRequired[{text}]" if each.field.optional else text


def _text(each: Declared) -> str:
    """The SDK's type of a field as text, without `None` and `NotRequired`."""
    if each.field.tag:
        return "dict[str, Any]"
    if each.field.or_until:
        return "bool | Pause"
    if each.type is timedelta:
        return "int" if each.field.unit == "ms" else "str"
    return _of(each.type)


def _of(type_: Any) -> str:
    """The SDK's type for the type of a declared field, as text."""
    if type_ in _PLAIN:
        return _PLAIN[type_]
    if type_ == Pairs:
        return "dict[str, str]"
    if is_declared(type_):
        return type_name(type_)
    if hasattr(type_, "of") or (isinstance(type_, type) and issubclass(type_, Enum)):
        return "str"
    if get_origin(type_) in (tuple, frozenset):
        return f"list[{_of(get_args(type_)[0])}]"
    if get_origin(type_) is Mapping:
        return f"dict[str, {_of(get_args(type_)[1])}]"
    if get_origin(type_) is Union:
        return " | ".join(map(_of, get_args(type_)))
    raise TypeError(f"the SDK has no type for {type_}")
