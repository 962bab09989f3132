"""Forms: pydantic models made from declared fields, which find everything that is wrong with a document at once."""

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

from minutehand.domain.conversion import shown_value
from minutehand.domain.declaration import Declared, Pairs, Refused, declared, is_declared
from minutehand.domain.durations import parse_duration
from minutehand.domain.errors import Invalid
from minutehand.domain.instants import from_text
from minutehand.entrypoints.api.documents.requests import PauseRequest
from minutehand.entrypoints.api.forms.request import json_kind
from minutehand.schedule.words import LONGEST
from minutehand.targets import TYPES, fields_by_type

REFUSED = "refused"
"""The type of errors raised here; their context has `message`, `hint` and `column`."""
LONGEST_DURATION_TEXT = 40
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?P<fraction>\.\d+)?(?P<offset>Z|[+-]\d\d:\d\d)?", re.ASCII)
_DURATION = {"type": "string", "pattern": "^([0-9]{1,9}[wdhms])+$", "examples": ["90s", "1h30m", "7d"]}
_STRICT = ConfigDict(extra="forbid", strict=True, frozen=True)


@cache
def form_of(cls: Any, tag: str = "") -> type[BaseModel]:
    """The form of a declared thing: a model whose fields are its document's, after the tag that tells it from others."""
    fields: dict[str, Any] = {tag: (Literal[tuple(TYPES)], Field(description="Its type."))} if tag else {}
    fields |= {each.name: _field(each) for each in flat(cls)}
    name: str = cls.__name__.removesuffix("Document").removesuffix("Request")
    return create_model(name, __config__=_STRICT, __doc__=cls.__doc__, **fields)


@cache
def flat(cls: Any) -> tuple[Declared, ...]:
    """The fields of a thing's document, those of inlined things among them."""
    found: list[Declared] = []
    for each in declared(cls):
        if each.field.inline:
            found += flat(each.type)
        elif not each.field.hidden:
            found.append(each)
    return tuple(found)


def _field(each: Declared) -> tuple[Any, Any]:
    field = each.field
    more: dict[str, Any] = {"description": field.description or None, "examples": list(field.examples) or None}
    schema: dict[str, Any] = {}
    if field.read_only:
        return Any, Field(default=None, json_schema_extra={"readOnly": True}, **more)
    if each.type in (int, float):
        more |= {"ge": field.least, "le": field.most}
    elif field.most is not None and each.type not in (str, timedelta, str | tuple[str, ...]):
        more["max_length"] = field.most
    if each.type is str or hasattr(each.type, "of"):
        schema |= {"pattern": field.pattern} if field.pattern else {}
        schema |= {"format": field.format} if field.format else {}
    if each.type == Pairs:
        schema["propertyNames"] = {"pattern": field.pattern}
    type_ = _type(each)
    if is_declared(each.type) and each.default is not MISSING and each.default is not None:
        more["default_factory"] = form_of(each.type)
    elif field.in_path:
        more["default"] = ""
    elif each.default is not MISSING:
        more["default"] = shown_value(each)
    return type_ | None if each.nullable else type_, Field(json_schema_extra=schema or None, **more)


def _type(each: Declared) -> Any:
    field, type_ = each.field, each.type
    if field.tag:
        return _tagged(field.tag)
    if field.or_until:
        return _PAUSED
    if is_declared(type_):
        return form_of(type_)
    if type_ is datetime:
        return _INSTANT_TEXT
    if type_ is timedelta:
        return Annotated[str, AfterValidator(_duration(field.least, field.most)), WithJsonSchema(_DURATION)]
    if isinstance(type_, type) and issubclass(type_, Enum):
        return Literal[tuple(member.value for member in type_)]
    if type_ == Pairs:
        return _pairs(each)
    if type_ == str | tuple[str, ...]:
        return _texts(field.most)
    if get_origin(type_) is tuple:
        return _several(each)
    return _text(each) if type_ is str or hasattr(type_, "of") else type_


def _text(each: Declared) -> Any:
    field = each.field
    if field.choices:
        return Literal[field.choices]
    text = Annotated[str, StringConstraints(max_length=field.most)] if field.most is not None else str
    return Annotated[text, AfterValidator(_checked(field.check))] if field.check else text


def _several(each: Declared) -> Any:
    item, field = get_args(each.type)[0], each.field
    if item is not str:
        return list[form_of(item)]  # type: ignore[misc]
    if not field.check:
        return list[str]
    schema = WithJsonSchema({"type": "string"} | ({"pattern": field.pattern} if field.pattern else {}))
    return list[Annotated[str, AfterValidator(_checked(field.check)), schema]]


def _pairs(each: Declared) -> Any:
    field = each.field
    name: Any = Annotated[str, AfterValidator(_checked(field.check))] if field.check else str
    value: Any = Annotated[str, AfterValidator(_checked(field.check_value))] if field.check_value else str
    pairs = dict[name, value]
    return Annotated[pairs, AfterValidator(_checked(field.whole))] if field.whole else pairs


def _tagged(tag: str) -> Any:
    """A target: the form of its type."""
    forms: dict[str, Any] = {name: form_of(fields, tag) for name, fields in fields_by_type().items()}
    if len(forms) == 1:
        return next(iter(forms.values()))
    members = tuple(Annotated[form, Tag(_mark(name))] for name, form in forms.items())
    return Annotated[Union[members], Discriminator(lambda value: _mark(_tag_of(value, tag)))]  # noqa: UP007 - made as the program runs


def _tag_of(value: Any, tag: str) -> str:
    """The type that a document names; that of the first form where it names none that is known, which then says so."""
    named = value.get(tag) if isinstance(value, Mapping) else getattr(value, tag, None)
    return named if named in TYPES else next(iter(TYPES))


def _mark(name: str) -> str:
    return f"<{name}>"


def refused(message: str, hint: str = "", column: int | None = None) -> PydanticCustomError:
    """The error of a value that is refused; `column` is 0-based."""
    return PydanticCustomError(REFUSED, "{message}", {"message": message, "hint": hint, "column": column})


def _checked(check: Callable[[Any], object] | None) -> Callable[[Any], Any]:
    def checked(value: Any) -> Any:
        try:
            if check is not None:
                check(value)
        except Refused as error:
            raise refused(error.message, error.hint, error.column) from None
        except Invalid as error:
            [problem] = error.problems
            raise refused(problem.message, problem.hint, problem.column) from None
        return value

    return checked


def _duration(least: str, most: str) -> Callable[[str], str]:
    def check(text: str) -> str:
        given = duration_of(text)
        if given is None:
            raise refused(f"{text!r:.60} is not a duration", "write whole numbers with units, such as 90s, 1h30m or 7d")
        if given > parse_duration(most):
            raise refused(f"{text} is too long", f"give {least} to {most}")
        if given < parse_duration(least):
            raise refused(f"{text} is too short", f"give {least} to {most}")
        return text

    return check


def duration_of(text: object) -> timedelta | None:
    """The duration of a text, or None."""
    if not isinstance(text, str) or len(text) > LONGEST_DURATION_TEXT:
        return None
    try:
        return parse_duration(text)
    except (ValueError, OverflowError):
        return None


def _instant(text: str) -> str:
    """A whole second in RFC 3339, with an offset. Of what RFC 3339 allows, capital letters alone."""
    example = "write it as 2026-12-01T09:00:00Z"
    written = _INSTANT.fullmatch(text)
    if written is None:
        raise refused(f"{text!r} is not an instant", example)
    if written["fraction"]:
        raise refused(f"{text} has a fraction of a second", example)
    if not written["offset"]:
        raise refused(f"{text} has no offset from UTC", f"{text}Z is in UTC, {text}+01:00 an hour ahead of it")
    try:
        from_text(text)
    except ValueError:  # a day or an hour that does not exist, or an offset that leads out of the years 1 to 9999
        raise refused(f"{text} does not exist", example) from None
    return text


def _texts(most: int) -> Any:
    """A text, or a list of some. Whether each can be read as a schedule is found later."""

    def check(value: object) -> object:
        if not isinstance(value, str | list):
            raise refused(f"this must be text, or a list of texts, not {json_kind(value)}", 'put it in quotes: "…"')
        return value

    several = {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": most}
    schema = {"anyOf": [{"type": "string", "maxLength": LONGEST}, several]}
    return Annotated[str | list[str], PlainValidator(check), WithJsonSchema(schema)]


_INSTANT_TEXT = Annotated[
    str,
    StringConstraints(max_length=64),
    AfterValidator(_instant),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]


def _kind_of_pause(value: object) -> str:
    return "<until>" if isinstance(value, dict | BaseModel) else "<flag>"


_UNTIL: Any = form_of(PauseRequest)
_PAUSED: Any = Annotated[
    Annotated[bool, Tag("<flag>")] | Annotated[_UNTIL, Tag("<until>")], Discriminator(_kind_of_pause)
]
"""`true`, `false`, or `{"until": …}`."""
