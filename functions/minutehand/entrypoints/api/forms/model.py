"""Forms: pydantic models made from declared fields. A form finds every invalid field of a document at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING
from datetime import datetime, timedelta
from enum import Enum
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    PlainValidator,
    StringConstraints,
    Tag,
    WithJsonSchema,
    create_model,
)
from pydantic_core import PydanticCustomError

from minutehand.domain.declaration.conversion import shown_value
from minutehand.domain.declaration.field import Declared, Pairs, Refused, declared, is_declared
from minutehand.domain.durations import parse_duration
from minutehand.domain.errors import Invalid
from minutehand.domain.instants import EARLIEST, from_text, to_text
from minutehand.entrypoints.api.documents.requests import PauseRequest
from minutehand.entrypoints.api.forms.likely import duration_for
from minutehand.entrypoints.api.forms.request import json_kind
from minutehand.schedule.words import LONGEST
from minutehand.targets import TYPES, fields_by_type

_STRICT = ConfigDict(extra="forbid", strict=True, frozen=True)
_TEXT_OR_TEXTS = str | tuple[str, ...]
REFUSED = "refused"
"""Pydantic's error type for a value that a check of this module refuses. The error's context has `message`, `hint` and `column`."""
_LONGEST_DURATION = 40
_INSTANT_FORM = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?P<fraction>\.\d+)?(?P<offset>Z|[+-]\d\d:\d\d)?", re.ASCII)
_DURATION_SCHEMA = {"type": "string", "pattern": "^([0-9]{1,9}[wdhms])+$", "examples": ["90s", "1h30m", "7d"]}


@cache
def form_of(cls: Any, tag: str = "") -> type[BaseModel]:
    """The form of a declared type, such as `Job`.

    Args:
        tag: the name of the field that says which of several types a document has, such as a target's `type`; empty if none does.
    """
    fields: dict[str, Any] = {tag: (Literal[tuple(TYPES)], Field(description="Its type."))} if tag else {}
    # Pydantic's own methods, such as `json`, keep their names: a field of that name has another one inside the form.
    fields |= {each.name + "_" * hasattr(BaseModel, each.name): _form_field(each) for each in flat(cls)}
    name: str = cls.__name__.removesuffix("Document").removesuffix("Request")
    return create_model(name, __config__=_STRICT, __doc__=cls.__doc__, **fields)


@cache
def flat(cls: Any) -> tuple[Declared, ...]:
    """The fields in a document of a declared type, including the fields of types that are inlined into it."""
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
    if hasattr(BaseModel, each.name):
        settings["alias"] = each.name
    if field.read_only:  # a document's value for it is ignored
        return Any, Field(default=None, json_schema_extra={"readOnly": True}, **settings)
    # These limits are pydantic's settings; those of texts, durations and schedules are part of the types that `_type` returns.
    if each.type in (int, float):
        settings |= {"ge": field.least, "le": field.most}
    elif field.most is not None and each.type not in (str, timedelta, _TEXT_OR_TEXTS):
        settings["max_length"] = field.most
    if is_declared(each.type) and each.default is not MISSING and each.default is not None:
        settings["default_factory"] = form_of(each.type)
    elif field.in_path:
        settings["default"] = ""
    elif each.default is not MISSING:
        settings["default"] = shown_value(each)
    type_ = _type(each)
    return type_ | None if each.nullable else type_, Field(json_schema_extra=_schema(each), **settings)


def _schema(each: Declared) -> dict[str, Any] | None:
    field = each.field
    if each.type == Pairs:
        return {"propertyNames": {"pattern": field.pattern}}
    if not _is_text(each.type):
        return None
    schema = {"pattern": field.pattern, "format": field.format}
    return {name: value for name, value in schema.items() if value} or None


def _type(each: Declared) -> Any:
    """The type that a form checks a field with. For a nullable field, `_form_field` adds `None`."""
    field, type_ = each.field, each.type
    if field.tag:
        return _tagged(field.tag)
    if field.or_until:
        return _PAUSED
    if is_declared(type_):
        return form_of(type_)
    if type_ is datetime:
        return _INSTANT
    if type_ is timedelta:
        return _duration(field.least, field.most)
    if isinstance(type_, type) and issubclass(type_, Enum):
        return Literal[tuple(member.value for member in type_)]
    if type_ == Pairs:
        name: Any = _checked(str, field.check)
        value: Any = _checked(str, field.check_value)
        return _checked(dict[name, value], field.whole)
    if type_ == _TEXT_OR_TEXTS:
        return _text_or_texts(field) if field.check else _schedule(field.most)
    if get_origin(type_) is tuple:
        return _several(each)
    return _text(each) if _is_text(type_) else type_


def _is_text(type_: Any) -> bool:
    """Whether documents write values of a type as text: a text, or an object with a text form, such as a job's key."""
    return type_ is str or hasattr(type_, "of")


def _text(each: Declared) -> Any:
    field = each.field
    if field.choices:
        return Literal[field.choices]
    text = Annotated[str, StringConstraints(max_length=field.most)] if field.most is not None else str
    checked: Any = _checked(text, field.check)
    if not field.numbers:
        return checked
    schema = {"anyOf": [{"type": "string", "pattern": field.pattern}, {"type": "integer"}]}
    return Annotated[checked, BeforeValidator(_number_as_text), WithJsonSchema(schema)]


def _several(each: Declared) -> Any:
    """The type of a list: of objects, or of texts or numbers that may have a check."""
    item, field = get_args(each.type)[0], each.field
    if item is int:
        return list[_checked(int, field.check)]  # type: ignore[misc]
    if item is not str:
        return list[form_of(item)]  # type: ignore[misc]
    if not field.check:
        return list[str]
    text: Any = _checked(str, field.check)
    schema: dict[str, Any] = {"type": "string"} | ({"pattern": field.pattern} if field.pattern else {})
    if field.numbers:
        text, schema = Annotated[text, BeforeValidator(_number_as_text)], {"anyOf": [schema, {"type": "integer"}]}
    return list[Annotated[text, WithJsonSchema(schema)]]


def _text_or_texts(field: Any) -> Any:
    """The type of a text that may be a list of texts instead, each of which passes the field's check."""
    text: Any = Annotated[_checked(str, field.check), Tag("<text>")]
    several: Any = Annotated[list[_checked(str, field.check)], Field(max_length=field.most), Tag("<texts>")]  # type: ignore[misc]
    either = Annotated[
        text | several, Discriminator(lambda value: "<texts>" if isinstance(value, list | tuple) else "<text>")
    ]
    return _checked(either, field.whole)


def _number_as_text(value: object) -> object:
    """A whole number as text, such as `404` for 404; any other value unchanged."""
    return str(value) if type(value) is int else value


def _tagged(tag: str) -> Any:
    """The type of a target: one form for each type of target, chosen by the field `tag`, which names the type."""
    forms: dict[str, Any] = {name: form_of(fields, tag) for name, fields in fields_by_type().items()}
    if len(forms) == 1:
        return next(iter(forms.values()))

    def tag_of(value: Any) -> str:
        named = value.get(tag) if isinstance(value, Mapping) else getattr(value, tag, None)
        # For an unknown type, choose the first form, which then refuses the type's name.
        return f"<{named if isinstance(named, str) and named in TYPES else next(iter(TYPES))}>"

    members = tuple(Annotated[form, Tag(f"<{name}>")] for name, form in forms.items())
    return Annotated[Union[members], Discriminator(tag_of)]  # noqa: UP007 - made at run time


def _checked(type_: Any, check: Callable[[Any], object] | None) -> Any:
    """A type whose values must also pass a check, which raises `Refused` or `Invalid`; the type itself if `check` is None."""
    if check is None:
        return type_

    def validate(value: Any) -> Any:
        try:
            check(value)
        except Refused as error:
            raise _refused(error.message, error.hint, error.column) from None
        except Invalid as error:
            [problem] = error.problems
            raise _refused(problem.message, problem.hint, problem.column) from None
        return value

    return Annotated[type_, AfterValidator(validate)]


def _duration(least: str, most: str) -> Any:
    """The type of a duration as text (`1h30m`), from `least` to `most`."""

    def refuse_number(value: object) -> object:
        if isinstance(value, int | float) and not isinstance(value, bool):
            raise _refused(f"this must be text, not {json_kind(value)}", duration_for(value, least, most))
        return value

    def validate(text: str) -> str:
        try:
            found = parse_duration(text) if len(text) <= _LONGEST_DURATION else None
        except (ValueError, OverflowError):
            found = None
        if found is None:
            raise _refused(
                f"{text!r:.60} is not a duration", "write whole numbers with units, such as 90s, 1h30m or 7d"
            )
        if found > parse_duration(most):
            raise _refused(f"{text} is too long", f"give {least} to {most}")
        if found < parse_duration(least):
            raise _refused(f"{text} is too short", f"give {least} to {most}")
        return text

    return Annotated[str, BeforeValidator(refuse_number), AfterValidator(validate), WithJsonSchema(_DURATION_SCHEMA)]


def _schedule(most: int) -> Any:
    """The type of a schedule: a text, or a list of up to `most` texts. `accept` later checks whether each text is a schedule."""

    def validate(value: object) -> object:
        if not isinstance(value, str | list):
            raise _refused(f"this must be text, or a list of texts, not {json_kind(value)}", 'put it in quotes: "…"')
        return value

    several = {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": most}
    schema = {"anyOf": [{"type": "string", "maxLength": LONGEST}, several]}
    return Annotated[str | list[str], PlainValidator(validate), WithJsonSchema(schema)]


def _validate_instant(text: str) -> str:
    example = "write it as 2026-12-01T09:00:00Z"
    written = _INSTANT_FORM.fullmatch(text)
    if written is None:
        raise _refused(f"{text!r} is not an instant", example)
    if written["fraction"]:
        raise _refused(f"{text} has a fraction of a second", example)
    if not written["offset"]:
        raise _refused(f"{text} has no offset from UTC", f"{text}Z is in UTC, {text}+01:00 an hour ahead of it")
    try:
        instant = from_text(text)
    except ValueError:  # a day or an hour that does not exist, or a year outside 1 to 9999 after the offset is applied
        raise _refused(f"{text} does not exist", example) from None
    if instant < EARLIEST:
        raise _refused(f"{text} is too long ago", f"{to_text(EARLIEST)} is the earliest")
    return text


def _refused(message: str, hint: str = "", column: int | None = None) -> PydanticCustomError:
    """The error of a refused value; `column` is 0-based."""
    return PydanticCustomError(REFUSED, "{message}", {"message": message, "hint": hint, "column": column})


_INSTANT = Annotated[
    str,
    StringConstraints(max_length=64),
    AfterValidator(_validate_instant),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
"""An instant as text: RFC 3339 in whole seconds, with an offset; only capital `T` and `Z`."""
_UNTIL: Any = form_of(PauseRequest)
_PAUSED: Any = Annotated[
    Annotated[bool, Tag("<flag>")] | Annotated[_UNTIL, Tag("<until>")],
    Discriminator(lambda value: "<until>" if isinstance(value, dict | BaseModel) else "<flag>"),
]
"""The type of the field `paused`: `true`, `false`, or `{"until": …}`."""
