"""Conversion of declared things (values with declared fields) to their stored and shown forms, and back.

`stored` omits defaults; `shown` has every field, as the API answers it. `read_stored` and `read_shown` are their inverses.
Values are not validated here, but by the API's forms, which are made from the same declarations.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import MISSING
from functools import cache
from operator import attrgetter
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from minutehand.domain.declaration.converters import SHOWN, STORED, Form, Things, converters
from minutehand.domain.declaration.field import LEFT_OUT, Declared, declared, is_declared

T = TypeVar("T")
NO_TYPES: Mapping[str, type] = MappingProxyType({})


class Unreadable(ValueError):
    """A stored form or document that cannot be read."""


class _Writer(NamedTuple):
    """How one field is written."""

    attribute: str
    key: str
    default: Any
    always: bool
    inline: bool
    write: Callable[[Any], Any] | None


class _Reader(NamedTuple):
    """How one field is read. `within`: the attribute with the inlined value that has the field; empty for the thing's own."""

    attribute: str
    nullable: bool
    nested: type | None
    tag: str
    read: Callable[[Any, Mapping[str, type]], Any] | None
    within: str


class _Plan(NamedTuple):
    """How values of a class are read: a reader for each key, the attributes that are required, and the classes of inlined ones."""

    readers: Mapping[str, _Reader]
    required: tuple[tuple[str, bool], ...]
    inlined: Mapping[str, type]


def stored(value: Any) -> dict[str, Any]:
    """The stored form of a thing, as JSON values: without defaults, and with the fields that a later version stored."""
    found = _written(value, STORED)
    unknown: Mapping[str, Any] = getattr(value, "unknown", None) or NO_TYPES
    return _merged(unknown, found) if unknown else found


def stored_change(before: T, after: T, besides: Collection[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Of the stored forms of two things of one class, the fields that differ, and those named in `besides`. Costs little if few differ."""
    cls: Any = type(before)
    values = _values(cls)
    written = [
        writer
        for writer, was, becomes in zip(_writers(cls, STORED), values(before), values(after), strict=True)
        if not (was is becomes or was == becomes) or writer.key in besides
    ]
    return _written_by(written, before, STORED), _written_by(written, after, STORED)


def shown(value: Any) -> dict[str, Any]:
    """The document of a thing, as JSON values: every field that is not hidden."""
    return _written(value, SHOWN)


def shown_briefly(value: Any) -> dict[str, Any]:
    """As `shown`, without the fields that are at their defaults."""
    cls: Any = type(value)
    at_default = {each.name for each in _fields(cls, SHOWN) if getattr(value, each.attribute) == each.default}
    return {name: plain for name, plain in shown(value).items() if name not in at_default}


def shown_value(each: Declared) -> Any:
    """The default of a field, as documents show it."""
    write, _ = converters(each.type, each.field, SHOWN, _THINGS)
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
    if not isinstance(plain, Mapping):
        raise Unreadable(f"this is no {cls.__name__}: {plain!r:.60}")
    extras: dict[str, Any] = {}
    given = _arguments(cls, plain, STORED, types, extras)
    if extras and _keeps_unknown(cls):
        given["unknown"] = extras
    return cls(**given, **apart)


def read_shown(cls: type[T], document: Mapping[str, Any], types: Mapping[str, type] = NO_TYPES) -> T:
    """Read a valid document; absent fields get their defaults.

    Raises:
        Unreadable: naming the missing or damaged field.
    """
    return cls(**_arguments(cls, document, SHOWN, types, {}))


@cache
def _keeps_unknown(cls: Any) -> bool:
    return any(each.attribute == "unknown" for each in declared(cls))


def _fields(cls: Any, form: Form) -> list[Declared]:
    left_out = "apart" if form is STORED else "hidden"
    return [each for each in declared(cls) if not getattr(each.field, left_out)]


def _key(each: Declared, form: Form) -> str:
    return (each.field.stored if form is STORED else each.field.name) or each.attribute


@cache
def _writers(cls: Any, form: Form) -> tuple[_Writer, ...]:
    found = []
    for each in _fields(cls, form):
        field = each.field
        write = None if field.inline else converters(each.type, field, form, _THINGS)[0]
        # A stored form leaves out values equal to the default (None for a required field); a document leaves out `LEFT_OUT`.
        default = (None if each.default is MISSING else each.default) if form is STORED else LEFT_OUT
        found.append(_Writer(each.attribute, _key(each, form), default, field.always, field.inline, write))
    return tuple(found)


@cache
def _values(cls: Any) -> Callable[[Any], tuple[Any, ...]]:
    """A function that answers the values of all stored fields, of which there are several: far quicker than one after another."""
    return attrgetter(*(writer.attribute for writer in _writers(cls, STORED)))


def _written(value: Any, form: Form) -> dict[str, Any]:
    cls: Any = type(value)
    return _written_by(_writers(cls, form), value, form)


def _written_by(writers: Iterable[_Writer], value: Any, form: Form) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for attribute, key, default, always, inline, write in writers:
        given = getattr(value, attribute)
        if inline:
            found |= _written(given, form)
        elif always or not (given is default or given == default):
            found[key] = given if write is None or given is None else write(given)
    return found


def _merged(unknown: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    merged = {**unknown, **known}
    for key in unknown.keys() & known.keys():
        if isinstance(unknown[key], Mapping) and isinstance(known[key], Mapping):
            merged[key] = _merged(unknown[key], known[key])
    return merged


@cache
def _plan(cls: Any, form: Form) -> _Plan:
    readers: dict[str, _Reader] = {}
    required: list[tuple[str, bool]] = []
    inlined: dict[str, type] = {}
    for each in _fields(cls, form):
        field = each.field
        if field.inline:
            inlined[each.attribute] = each.type
            inside = _plan(each.type, form).readers
            readers |= {key: reader._replace(within=each.attribute) for key, reader in inside.items()}
            continue
        nested = each.type if is_declared(each.type) or field.tag else None
        read = converters(each.type, field, form, _THINGS)[1]
        readers[_key(each, form)] = _Reader(each.attribute, each.nullable, nested, field.tag, read, "")
        if each.default is MISSING:
            required.append((each.attribute, each.nullable))
    return _Plan(readers, tuple(required), inlined)


def _arguments(
    cls: Any, plain: Mapping[str, Any], form: Form, types: Mapping[str, type], extras: dict[str, Any]
) -> dict[str, Any]:
    readers, required, inlined = _plan(cls, form)
    found: dict[str, Any] = {}
    inside: dict[str, dict[str, Any]] = {name: {} for name in inlined}
    for key, raw in plain.items():
        reader = readers.get(key)
        if reader is None:
            extras[key] = raw
            continue
        try:
            if raw is None and reader.nullable:
                value = None
            elif reader.nested:
                deeper: dict[str, Any] = {}
                nested, fields = _class_of(reader.nested, raw, reader.tag, types)
                value = nested(**_arguments(nested, fields, form, types, deeper))
                if deeper:
                    extras[key] = deeper
            else:
                value = raw if reader.read is None else reader.read(raw, types)
        except Unreadable:
            raise
        except (LookupError, ValueError, TypeError, AttributeError, OverflowError) as error:
            raise Unreadable(f"field {key!r} of {cls.__name__} cannot be read: {error}") from error
        (inside[reader.within] if reader.within else found)[reader.attribute] = value
    for attribute, nullable in required:
        if attribute not in found and not nullable:
            raise Unreadable(f"field {attribute!r} of {cls.__name__} is missing")
        found.setdefault(attribute, None)
    for name, thing in inlined.items():
        try:
            found[name] = thing(**inside[name])
        except TypeError as error:
            raise Unreadable(f"{name!r} of {cls.__name__} is incomplete: {error}") from error
    return found


def _class_of(cls: Any, raw: Mapping[str, Any], tag: str, types: Mapping[str, type]) -> tuple[Any, Mapping[str, Any]]:
    """The class of a nested value, selected by its tag if it has one, and its fields without that tag."""
    if not tag:
        return cls, raw
    if raw[tag] not in types:
        raise Unreadable(f"the {tag} {raw[tag]!r} is not known to this version; it knows {', '.join(types)}")
    return types[raw[tag]], {key: value for key, value in raw.items() if key != tag}


class _Refusing(dict[str, Any]):
    """Refuses unknown fields in an item of a list, since they could not be stored again with the same item."""

    def __setitem__(self, key: str, _: Any) -> None:
        raise Unreadable(f"field {key!r} is not known to this version")


def _one_of_several(cls: Any, raw: Mapping[str, Any], form: Form, types: Mapping[str, type]) -> Any:
    return cls(**_arguments(cls, raw, form, types, _Refusing()))


_THINGS = Things(write=_written, read=_one_of_several)
