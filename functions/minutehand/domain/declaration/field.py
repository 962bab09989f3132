"""Declared fields: the single description of every field that is stored or shown.

A declared thing is a frozen dataclass or a named tuple whose fields have a `Field` next to their type:

    max_runs: Annotated[int | None, Field("Occurrences to dispatch before the job is finished.", least=1)] = None

Made from these declarations are the stored and the shown form (`domain/declaration/conversion.py`), the API's checks and JSON
Schema (`entrypoints/api/forms/`), the SDK's types (`client/models.py`) and the tables of the API reference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

Pairs = tuple[tuple[str, str], ...]
"""Pairs of name and value, sorted by name; documents and items have an object instead."""


class Field(NamedTuple):
    """The declaration of a field, besides its type and its default.

    Attributes:
        description: one sentence or two, for the API reference, the JSON Schema and the SDK.
        least, most: inclusive bounds of a number, a duration, or the length of a text or a list.
        check: raises `Refused` for an invalid text; of a list, called with each item; of `Pairs`, with each name. Of a text that may be a
            list instead, called with the text or with each item.
        check_value: like `check`, for each value of `Pairs`.
        whole: like `check`, for `Pairs` as a whole, or for a text that may be a list instead.
        normal: makes of a valid text the form in which it is stored.
        pattern: regular expression of a valid text, for the JSON Schema.
        format: its JSON Schema format, such as `uri`.
        numbers: a document may have whole numbers in place of its texts, such as 404 for `"404"`; of a text or a list of
            texts.
        choices: the valid texts, for a field that is not an enum.
        examples: values as people write them.
        name: its name in documents, if not the attribute's name.
        stored: its name in items, if not the attribute's name.
        unit: how a duration or an instant is written as a number: `ms` for milliseconds, `epoch` for seconds since 1970. Without
            it, items have durations in seconds and instants as RFC 3339 text; documents have texts (`1h30m`,
            `2026-11-20T09:00:00Z`).
        inline: the fields of its value are fields of the thing itself, in items and documents.
        hidden: left out of documents.
        apart: left out of the stored form; the codec stores it elsewhere, or derives it.
        always: stored even at its default, because condition expressions read it.
        needs: the feature that a function must know to act on a value other than the default. Functions of an older version set
            the item aside.
        needs_for: the same for some values of the field alone, such as members that an enum got later, each with its feature.
        tag: the attribute that names the type of its value, such as a target's `type`.
        optional: absent from a document if its value is `LEFT_OUT`.
        or_until: a document may have `{"until": instant}` instead of true.
        in_path: part of a request's path, so a document may omit it.
        read_only: set by the service; ignored in requests.
    """

    description: str = ""
    least: Any = None
    most: Any = None
    check: Callable[[Any], object] | None = None
    check_value: Callable[[str], object] | None = None
    whole: Callable[[Any], object] | None = None
    normal: Callable[[str], str] | None = None
    pattern: str = ""
    format: str = ""
    numbers: bool = False
    choices: tuple[str, ...] = ()
    examples: tuple[Any, ...] = ()
    name: str = ""
    stored: str = ""
    unit: Literal["", "ms", "epoch"] = ""
    inline: bool = False
    hidden: bool = False
    apart: bool = False
    always: bool = False
    needs: str = ""
    needs_for: Mapping[Any, str] = MappingProxyType({})
    tag: str = ""
    optional: bool = False
    or_until: bool = False
    in_path: bool = False
    read_only: bool = False


LEFT_OUT: Any = object()
"""The value of an optional field that is absent from a document; `None` would appear as null."""


class Refused(ValueError):
    """An invalid value of a field.

    Attributes:
        message: what is wrong.
        hint: what would be right.
        column: 0-based position of the wrong character, if one is to blame.
    """

    def __init__(self, message: str, hint: str = "", column: int | None = None) -> None:
        super().__init__(message)
        self.message, self.hint, self.column = message, hint, column


class Declared(NamedTuple):
    """A field of a declared thing: its type without `None`, whether it may be `None`, and its default (`MISSING` if required)."""

    attribute: str
    type: Any
    nullable: bool
    default: Any
    field: Field

    @property
    def name(self) -> str:
        """The field's name in documents."""
        return self.field.name or self.attribute


@cache
def declared(cls: Any) -> tuple[Declared, ...]:
    """The fields of a declared thing, in order of declaration."""
    hints = get_type_hints(cls, include_extras=True)
    if hasattr(cls, "_fields"):
        return tuple(_declared(name, hints[name], cls._field_defaults.get(name, MISSING)) for name in cls._fields)
    return tuple(
        _declared(
            each.name, hints[each.name], each.default if each.default_factory is MISSING else each.default_factory()
        )
        for each in fields(cls)
    )


def is_declared(type_: Any) -> bool:
    """Whether a type has declared fields: a dataclass or a named tuple, unless it has `of`, which parses it from text."""
    return isinstance(type_, type) and (is_dataclass(type_) or hasattr(type_, "_fields")) and not hasattr(type_, "of")


def needs_of(value: Any) -> frozenset[str]:
    """The features (`Field.needs`, `Field.needs_for`) that a function must know to act on a value."""
    cls: Any = type(value)
    found = set[str]()
    for each in _may_need(cls):
        given = getattr(value, each.attribute)
        if each.field.needs and given != each.default:
            found.add(each.field.needs)
        if each.field.needs_for and (feature := each.field.needs_for.get(given)):
            found.add(feature)
        if is_declared(type(given)):
            found |= needs_of(given)
    return frozenset(found)


@cache
def features_of(cls: Any) -> frozenset[str]:
    """The features of a class that this version knows: every feature that one of its fields can need."""
    found = {feature for each in declared(cls) for feature in (each.field.needs, *each.field.needs_for.values())} - {""}
    return frozenset(found.union(*(features_of(each.type) for each in declared(cls) if is_declared(each.type))))


def _declared(name: str, hint: Any, default: Any) -> Declared:
    field = Field()
    if get_origin(hint) is Annotated:
        hint, *metadata = get_args(hint)
        field = next((each for each in metadata if isinstance(each, Field)), field)
    nullable = False
    if get_origin(hint) in (Union, UnionType):
        members = [each for each in get_args(hint) if each is not NoneType]
        nullable = len(members) < len(get_args(hint))
        hint = members[0] if len(members) == 1 else Union[tuple(members)]  # noqa: UP007 - made at run time
    return Declared(name, hint, nullable, default, field)


@cache
def _may_need(cls: Any) -> tuple[Declared, ...]:
    """The fields of a class for which a function may need a feature: few, and most values are of classes that have none."""
    return tuple(
        each
        for each in declared(cls)
        if each.field.needs
        or each.field.needs_for
        or each.field.tag
        or (is_declared(each.type) and _may_need(each.type))
    )
