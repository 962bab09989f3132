"""Forms: pydantic models made from declared fields. A form finds every invalid field of a document at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING
from datetime import datetime, timedelta
from enum import Enum
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Discriminator, Field, StringConstraints, Tag, WithJsonSchema, create_model

from minutehand.domain.conversion import shown_value
from minutehand.domain.declaration import Declared, Pairs, declared, is_declared
from minutehand.entrypoints.api.documents.requests import PauseRequest
from minutehand.entrypoints.api.forms import value_types
from minutehand.targets import TYPES, fields_by_type

_STRICT = ConfigDict(extra="forbid", strict=True, frozen=True)
_SCHEDULE = str | tuple[str, ...]


@cache
def form_of(cls: Any, tag: str = "") -> type[BaseModel]:
    """The form of a declared thing.

    Args:
        tag: the name of the field with the thing's type, such as a target's `type`, if it has one.
    """
    fields: dict[str, Any] = {tag: (Literal[tuple(TYPES)], Field(description="Its type."))} if tag else {}
    fields |= {each.name: _form_field(each) for each in flat(cls)}
    name: str = cls.__name__.removesuffix("Document").removesuffix("Request")
    return create_model(name, __config__=_STRICT, __doc__=cls.__doc__, **fields)


@cache
def flat(cls: Any) -> tuple[Declared, ...]:
    """The fields of a thing's document, including those of inlined things."""
    found: list[Declared] = []
    for each in declared(cls):
        if each.field.inline:
            found += flat(each.type)
        elif not each.field.hidden:
            found.append(each)
    return tuple(found)


def _form_field(each: Declared) -> tuple[Any, Any]:
    """The type of a field in a form, and pydantic's `Field` with its limits, default and JSON Schema."""
    field = each.field
    settings: dict[str, Any] = {"description": field.description or None, "examples": list(field.examples) or None}
    if field.read_only:  # whatever a document has there is ignored
        return Any, Field(default=None, json_schema_extra={"readOnly": True}, **settings)
    settings |= _limits(each) | _default(each)
    type_ = _type(each)
    return type_ | None if each.nullable else type_, Field(json_schema_extra=_schema(each), **settings)


def _limits(each: Declared) -> dict[str, Any]:
    """The limits that pydantic checks. Those of texts, durations and schedules are part of their types."""
    field = each.field
    if each.type in (int, float):
        return {"ge": field.least, "le": field.most}
    if field.most is None or each.type in (str, timedelta, _SCHEDULE):
        return {}
    return {"max_length": field.most}


def _default(each: Declared) -> dict[str, Any]:
    if is_declared(each.type) and each.default is not MISSING and each.default is not None:
        return {"default_factory": form_of(each.type)}
    if each.field.in_path:
        return {"default": ""}
    return {} if each.default is MISSING else {"default": shown_value(each)}


def _schema(each: Declared) -> dict[str, Any] | None:
    """Additions to a field's JSON Schema."""
    field = each.field
    if each.type == Pairs:
        return {"propertyNames": {"pattern": field.pattern}}
    if not _is_text(each.type):
        return None
    schema = {"pattern": field.pattern, "format": field.format}
    return {name: value for name, value in schema.items() if value} or None


def _type(each: Declared) -> Any:
    """The type that a form checks a field with. `None` is added for a nullable field elsewhere."""
    field, type_ = each.field, each.type
    if field.tag:
        return _tagged(field.tag)
    if field.or_until:
        return _PAUSED
    if is_declared(type_):
        return form_of(type_)
    if type_ is datetime:
        return value_types.INSTANT
    if type_ is timedelta:
        return value_types.duration(field.least, field.most)
    if isinstance(type_, type) and issubclass(type_, Enum):
        return Literal[tuple(member.value for member in type_)]
    if type_ == Pairs:
        name: Any = value_types.checked(str, field.check)
        value: Any = value_types.checked(str, field.check_value)
        return value_types.checked(dict[name, value], field.whole)
    if type_ == _SCHEDULE:
        return value_types.schedule(field.most)
    if get_origin(type_) is tuple:
        return _several(each)
    return _text(each) if _is_text(type_) else type_


def _is_text(type_: Any) -> bool:
    """Whether a document has a text for it: a text, or a thing that is written as one, such as a job's key."""
    return type_ is str or hasattr(type_, "of")


def _text(each: Declared) -> Any:
    field = each.field
    if field.choices:
        return Literal[field.choices]
    text = Annotated[str, StringConstraints(max_length=field.most)] if field.most is not None else str
    return value_types.checked(text, field.check)


def _several(each: Declared) -> Any:
    """A list of things, or of texts with a check."""
    item, field = get_args(each.type)[0], each.field
    if item is not str:
        return list[form_of(item)]  # type: ignore[misc]
    if not field.check:
        return list[str]
    schema = {"type": "string"} | ({"pattern": field.pattern} if field.pattern else {})
    return list[Annotated[value_types.checked(str, field.check), WithJsonSchema(schema)]]  # type: ignore[misc]


def _tagged(tag: str) -> Any:
    """A target: a form for each type, chosen by the field that names the type."""
    forms: dict[str, Any] = {name: form_of(fields, tag) for name, fields in fields_by_type().items()}
    if len(forms) == 1:
        return next(iter(forms.values()))
    members = tuple(Annotated[form, Tag(f"<{name}>")] for name, form in forms.items())
    choose = Discriminator(lambda value: f"<{_type_named(value, tag)}>")
    return Annotated[Union[members], choose]  # noqa: UP007 - made at run time


def _type_named(value: Any, tag: str) -> str:
    """The target type that a document names. For an unknown one, the first: its form then refuses the name."""
    named = value.get(tag) if isinstance(value, Mapping) else getattr(value, tag, None)
    return named if isinstance(named, str) and named in TYPES else next(iter(TYPES))


_UNTIL: Any = form_of(PauseRequest)
_PAUSED: Any = Annotated[
    Annotated[bool, Tag("<flag>")] | Annotated[_UNTIL, Tag("<until>")],
    Discriminator(lambda value: "<until>" if isinstance(value, dict | BaseModel) else "<flag>"),
]
"""`true`, `false`, or `{"until": …}`."""
