"""Converters: for each type of a field, functions that write its values into stored items or documents, and read them back.

Plain values are read strictly: text is not read as a number, nor true as 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from enum import Enum
from types import UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

from minutehand.domain.declaration.field import Field, Pairs, is_declared
from minutehand.domain.durations import format_duration, parse_duration
from minutehand.domain.instants import SECOND, ceiling, from_text, to_text

_MILLISECOND = timedelta(milliseconds=1)
Form = Literal["stored", "shown"]
"""`stored`: the compact form in items of tables, without defaults. `shown`: the form in documents of the API, with every field."""
STORED: Form = "stored"
SHOWN: Form = "shown"

Write = Callable[[Any], Any]
Read = Callable[[Any, Mapping[str, type]], Any]


def _exactly(type_: type, wanted: str) -> Read:
    def read(raw: Any, _: Mapping[str, type]) -> Any:
        if type(raw) is not type_:
            raise TypeError(f"{raw!r:.60} is not {wanted}")
        return raw

    return read


_whole_number = _exactly(int, "a whole number")
_text = _exactly(str, "text")
_READERS: Mapping[Any, Read] = {str: _text, int: _whole_number, bool: _exactly(bool, "true or false")}


class Things(NamedTuple):
    """How values with declared fields are written and read where another value contains them."""

    write: Callable[[Any, Form], dict[str, Any]]
    read: Callable[[Any, Mapping[str, Any], Form, Mapping[str, type]], Any]


def converters(type_: Any, field: Field, form: Form, things: Things) -> tuple[Write | None, Read | None]:  # noqa: PLR0912 - one case a kind of type
    """The functions that write and read values of a type; None in place of a function where values need no conversion."""
    if get_origin(type_) in (Union, UnionType):
        [several] = [each for each in get_args(type_) if each is not str]  # the type is one text or a list of texts
        write, read = converters(several, field, form, things)
        assert write is not None and read is not None, type_  # noqa: S101, PT018 - a mistake in a declaration
        return (
            lambda value: value if isinstance(value, str) else write(value),
            lambda raw, types: raw if isinstance(raw, str) else read(raw, types),
        )
    if type_ is datetime:
        if field.unit == "epoch":
            return (
                lambda instant: int(ceiling(instant).timestamp()),
                lambda raw, _: datetime.fromtimestamp(int(raw), UTC),
            )
        return to_text, lambda raw, _: from_text(raw)
    if type_ is timedelta:
        if field.unit == "ms":
            return (
                lambda duration: duration // _MILLISECOND,
                lambda raw, types: _whole_number(raw, types) * _MILLISECOND,
            )
        if form is STORED:
            return lambda duration: duration // SECOND, lambda raw, types: _whole_number(raw, types) * SECOND
        return format_duration, lambda raw, _: parse_duration(raw)
    if type_ is float:
        return _without_zero_fraction if form is SHOWN else None, lambda raw, _: float(raw)
    if type_ == Pairs:
        return dict, lambda raw, _: tuple(sorted(raw.items()))
    if isinstance(type_, type) and issubclass(type_, Enum):
        return lambda member: member.value, lambda raw, _: type_(raw)
    if hasattr(type_, "of"):
        return str, lambda raw, _: type_.of(raw)
    if field.tag:
        return lambda value: {field.tag: getattr(value, field.tag), **things.write(value, form)}, None
    if is_declared(type_):
        return lambda value: things.write(value, form), lambda raw, types: things.read(type_, raw, form, types)
    if get_origin(type_) in (tuple, frozenset):
        return _several(type_, field, form, things)
    if get_origin(type_) is Mapping:
        return _mapping(type_, field, form, things)
    if field.normal is not None and form is SHOWN:
        normal = field.normal
        return None, lambda raw, types: normal(_text(raw, types))
    if field.numbers and form is SHOWN:
        return None, lambda raw, types: str(raw) if type(raw) is int else _text(raw, types)
    return None, _READERS.get(type_)


def _several(type_: Any, field: Field, form: Form, things: Things) -> tuple[Write, Read]:
    make: Any = get_origin(type_)
    write, read = converters(get_args(type_)[0], field, form, things)
    in_order: Any = sorted if make is frozenset else list
    return (
        lambda values: in_order(values if write is None else map(write, values)),
        lambda raw, types: make(raw if read is None else (read(each, types) for each in raw)),
    )


def _mapping(type_: Any, field: Field, form: Form, things: Things) -> tuple[Write, Read]:
    (name, unname), (write, read) = (converters(each, field, form, things) for each in get_args(type_))
    return (
        lambda values: {name(k) if name else k: write(v) if write else v for k, v in values.items()},
        lambda raw, types: {unname(k, types) if unname else k: read(v, types) if read else v for k, v in raw.items()},
    )


def _without_zero_fraction(value: float) -> float:
    return int(value) if value == int(value) else value
