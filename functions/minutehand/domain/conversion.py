"""Conversion of declared things to their stored and shown forms, and back.

`stored` omits defaults; `shown` has every field, as the API answers it. `read_stored` and `read_shown` are their inverses.
Values are not validated here, but by the API's forms, which are made from the same declarations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING
from datetime import UTC, datetime, timedelta
from enum import Enum
from functools import cache
from types import MappingProxyType, UnionType
from typing import Any, NamedTuple, TypeVar, Union, get_args, get_origin

from minutehand.domain.declaration import LEFT_OUT, Declared, Field, Pairs, declared, is_declared
from minutehand.domain.durations import format_duration, parse_duration
from minutehand.domain.instants import SECOND, ceiling, from_text, to_text
from minutehand.domain.plain_values import READERS, shown_number, whole_number

T = TypeVar("T")
MILLISECOND = timedelta(milliseconds=1)
NO_TYPES: Mapping[str, type] = MappingProxyType({})


class Unreadable(ValueError):
    """A damaged stored form."""


class Form(Enum):
    """The two forms of a thing."""

    STORED = "stored"
    """Compact, for items of tables: without defaults."""
    SHOWN = "shown"
    """Complete, for documents of the API."""


class _Source(NamedTuple):
    """The form that a thing is read from, and the classes of tagged fields."""

    form: Form
    types: Mapping[str, type]


class _Step(NamedTuple):
    """How one field is written and read."""

    attribute: str
    key: str
    default: Any
    nullable: bool
    always: bool
    optional: bool
    inline: type | None
    nested: type | None
    tag: str
    write: Callable[[Any], Any] | None
    read: Callable[[Any, Mapping[str, type]], Any] | None


def stored(value: Any) -> dict[str, Any]:
    """The stored form of a thing, as JSON values: without defaults, and with the fields that a later version stored."""
    found = _written(value, Form.STORED)
    unknown: Mapping[str, Any] = getattr(value, "unknown", None) or NO_TYPES
    return _merged(unknown, found) if unknown else found


def shown(value: Any) -> dict[str, Any]:
    """The document of a thing, as JSON values: every field that is not hidden."""
    return _written(value, Form.SHOWN)


def shown_value(each: Declared) -> Any:
    """The default of a field, as documents show it."""
    write, _ = _converters(each.type, each.field, Form.SHOWN)
    return each.default if write is None or each.default is None else write(each.default)


def read_stored(
    cls: Callable[..., T], plain: Mapping[str, Any], types: Mapping[str, type] = NO_TYPES, **apart: Any
) -> T:
    """Read a stored form. Unknown fields are kept in the thing's `unknown`, if it has that attribute.

    Args:
        types: the classes of tagged fields, such as a target's, by tag.
        apart: the fields that are not part of the stored form.

    Raises:
        Unreadable: naming the missing or damaged field.
    """
    extras: dict[str, Any] = {}
    given = _arguments(cls, plain, _Source(Form.STORED, types), extras)
    if extras and _keeps_unknown(cls):
        given["unknown"] = extras
    return cls(**given, **apart)


def read_shown(cls: type[T], document: Mapping[str, Any], types: Mapping[str, type] = NO_TYPES) -> T:
    """Read a valid document; absent fields get their defaults.

    Raises:
        Unreadable: naming the missing or damaged field.
    """
    return cls(**_arguments(cls, document, _Source(Form.SHOWN, types), {}))


@cache
def _keeps_unknown(cls: Any) -> bool:
    return any(each.attribute == "unknown" for each in declared(cls))


@cache
def _steps(cls: Any, form: Form) -> tuple[_Step, ...]:
    left_out = "apart" if form is Form.STORED else "hidden"
    return tuple(_step(each, form) for each in declared(cls) if not getattr(each.field, left_out))


def _step(each: Declared, form: Form) -> _Step:
    field = each.field
    key = (field.stored if form is Form.STORED else field.name) or each.attribute
    inline = each.type if field.inline else None
    nested = each.type if (is_declared(each.type) or field.tag) and not field.inline else None
    write, read = (None, None) if inline else _converters(each.type, field, form)
    always = field.always
    return _Step(
        each.attribute, key, each.default, each.nullable, always, field.optional, inline, nested, field.tag, write, read
    )


def _written(value: Any, form: Form) -> dict[str, Any]:
    found: dict[str, Any] = {}
    cls: Any = type(value)
    compact = form is Form.STORED
    for attribute, key, default, _, always, optional, inline, _, _, write, _ in _steps(cls, form):
        given = getattr(value, attribute)
        if inline:
            found |= _written(given, form)
            continue
        if compact and not always and (given is None if default is MISSING else given is default or given == default):
            continue
        if optional and given is LEFT_OUT:
            continue
        found[key] = given if write is None or given is None else write(given)
    return found


def _merged(unknown: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    merged = {**unknown, **known}
    for key in unknown.keys() & known.keys():
        if isinstance(unknown[key], Mapping) and isinstance(known[key], Mapping):
            merged[key] = _merged(unknown[key], known[key])
    return merged


def _arguments(cls: Any, plain: Mapping[str, Any], source: _Source, extras: dict[str, Any]) -> dict[str, Any]:
    form, types = source
    found: dict[str, Any] = {}
    taken = 0
    for attribute, key, default, nullable, _, _, inline, nested, tag, _, read in _steps(cls, form):
        if inline:
            inside = _arguments(inline, plain, source, {})
            taken += sum(step.key in plain for step in _steps(inline, form))
            found[attribute] = inline(**inside)
            continue
        if key not in plain:
            if default is MISSING:
                if not nullable:
                    raise Unreadable(f"field {key!r} of {cls.__name__} is missing")
                found[attribute] = None
            continue
        taken += 1
        raw = plain[key]
        try:
            if raw is None and nullable:
                found[attribute] = None
            elif nested:
                deeper: dict[str, Any] = {}
                found[attribute] = _made(nested, raw, tag, source, deeper)
                if deeper:
                    extras[key] = deeper
            else:
                found[attribute] = raw if read is None else read(raw, types)
        except Unreadable:
            raise
        except (LookupError, ValueError, TypeError, AttributeError, OverflowError) as error:
            raise Unreadable(f"field {key!r} of {cls.__name__} cannot be read: {error}") from error
    if taken < len(plain):
        known = _keys(cls, form)
        extras |= {key: value for key, value in plain.items() if key not in known}
    return found


@cache
def _keys(cls: Any, form: Form) -> frozenset[str]:
    steps = _steps(cls, form)
    return frozenset(step.key for step in steps).union(*(_keys(step.inline, form) for step in steps if step.inline))


def _made(cls: Any, raw: Mapping[str, Any], tag: str, source: _Source, extras: dict[str, Any]) -> Any:
    if tag:
        if raw[tag] not in source.types:
            raise Unreadable(f"the {tag} {raw[tag]!r} is not known to this version; it knows {', '.join(source.types)}")
        cls = source.types[raw[tag]]
        raw = {key: value for key, value in raw.items() if key != tag}
    return cls(**_arguments(cls, raw, source, extras))


Write = Callable[[Any], Any]
Read = Callable[[Any, Mapping[str, type]], Any]


def _converters(type_: Any, field: Field, form: Form) -> tuple[Write | None, Read | None]:  # noqa: PLR0912 - one case for each kind of type
    if get_origin(type_) in (Union, UnionType):
        [several] = [each for each in get_args(type_) if each is not str]  # a text, or a tuple of texts
        write, read = _converters(several, field, form)
        assert write is not None and read is not None, type_  # noqa: S101, PT018 - a mistake in a declaration
        return _unless_text(write), lambda raw, types: raw if isinstance(raw, str) else read(raw, types)
    if type_ is datetime:
        if field.unit == "epoch":
            return (
                lambda instant: int(ceiling(instant).timestamp()),
                lambda raw, _: datetime.fromtimestamp(int(raw), UTC),
            )
        return to_text, lambda raw, _: from_text(raw)
    if type_ is timedelta:
        if field.unit == "ms":
            return lambda duration: duration // MILLISECOND, lambda raw, _: whole_number(raw) * MILLISECOND
        if form is Form.STORED:
            return lambda duration: duration // SECOND, lambda raw, _: whole_number(raw) * SECOND
        return format_duration, lambda raw, _: parse_duration(raw)
    if type_ is float:
        return (shown_number if form is Form.SHOWN else None), lambda raw, _: float(raw)
    if type_ == Pairs:
        return dict, lambda raw, _: tuple(sorted(raw.items()))
    if isinstance(type_, type) and issubclass(type_, Enum):
        return lambda member: member.value, lambda raw, _: type_(raw)
    if hasattr(type_, "of"):
        return str, lambda raw, _: type_.of(raw)
    if field.tag:
        return lambda value: {field.tag: getattr(value, field.tag), **_written(value, form)}, None
    if is_declared(type_):
        return lambda value: _written(value, form), lambda raw, types: _made(
            type_, raw, "", _Source(form, types), _Refusing()
        )
    if get_origin(type_) in (tuple, frozenset):
        return _several(type_, field, form)
    if get_origin(type_) is Mapping:
        return _mapping(type_, field, form)
    return None, READERS.get(type_)


def _several(type_: Any, field: Field, form: Form) -> tuple[Write, Read]:
    make: Any = get_origin(type_)
    write, read = _converters(get_args(type_)[0], field, form)
    in_order: Any = sorted if make is frozenset else list
    return (
        lambda values: in_order(values if write is None else map(write, values)),
        lambda raw, types: make(raw if read is None else (read(each, types) for each in raw)),
    )


def _mapping(type_: Any, field: Field, form: Form) -> tuple[Write, Read]:
    (name, unname), (write, read) = (_converters(each, field, form) for each in get_args(type_))
    return (
        lambda values: {name(k) if name else k: write(v) if write else v for k, v in values.items()},
        lambda raw, types: {unname(k, types) if unname else k: read(v, types) if read else v for k, v in raw.items()},
    )


def _unless_text(write: Write) -> Write:
    return lambda value: value if isinstance(value, str) else write(value)


class _Refusing(dict[str, Any]):
    """Unknown fields of an item of a list: refused, since they could not be stored again at the same item."""

    def __ior__(self, other: Any) -> _Refusing:  # type: ignore[override,misc]
        raise Unreadable(f"fields {', '.join(sorted(other))} are not known to this version")
