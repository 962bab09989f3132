"""Declared fields: the one place where a field of a stored or shown thing is described.

A thing is a frozen dataclass or a named tuple. Its fields carry a `Field` beside their type:

    max_runs: Annotated[int | None, Field("Occurrences to dispatch before the job is finished.", least=1)] = None

Everything else is made from this: the stored and the shown form (`domain/conversion.py`), the API's checks and JSON Schema
(`entrypoints/api/forms/`), the SDK's types (`client/models.py`) and the tables of the API reference.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

Pairs = tuple[tuple[str, str], ...]
"""Names with their values, by name; an object in every document."""


@dataclass(frozen=True, slots=True)
class Field:
    """What is declared of a field, besides its type and its default.

    Attributes:
        description: one sentence or two, for the API reference, the JSON Schema and the SDK.
        least, most: bounds of a number or a duration; of a text or a list, of its length.
        check: refuses a value by raising `Refused`; each item of a list, each name of `Pairs`.
        check_value: the same of each value of `Pairs`.
        whole: the same of a list or of `Pairs` as a whole.
        pattern: regular expression that a text matches, for the JSON Schema.
        format: its JSON Schema format, such as `uri`.
        choices: the values a text can have, where it is no enum.
        examples: values as people write them.
        name: in documents, where that is not the attribute's name.
        stored: in items, where that is not the attribute's name.
        unit: how a duration or an instant is written as a number: `ms` for milliseconds, `epoch` for seconds since 1970. Without it,
            items hold durations in seconds and instants as RFC 3339 text, documents texts (`1h30m`, `2026-11-20T09:00:00Z`).
        inline: its own fields stand among those of the thing itself.
        hidden: no document shows it.
        apart: no part of the stored form: the codec keeps it elsewhere, or it is derived.
        always: stored even at its default, since conditions look at it.
        needs: the feature that a function must know to act on a value other than the default. Functions of a version before it set the
            item aside.
        tag: the attribute that tells apart the types that the field can have, such as a target's `type`.
        optional: left out of a document where it is `LEFT_OUT`.
        or_until: whether a document may say `{"until": instant}` in the place of true.
        in_path: the path of a request names it, so that a document may leave it out.
        read_only: what the service says; ignored when sent back.
    """

    description: str = ""
    least: Any = None
    most: Any = None
    check: Callable[[str], object] | None = None
    check_value: Callable[[str], object] | None = None
    whole: Callable[[Any], object] | None = None
    pattern: str = ""
    format: str = ""
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
    tag: str = ""
    optional: bool = False
    or_until: bool = False
    in_path: bool = False
    read_only: bool = False


LEFT_OUT: Any = object()
"""The value of an optional field that a document does not have; `None` would be shown as null."""


class Refused(ValueError):
    """A value that a field cannot have.

    Attributes:
        message: what is wrong.
        hint: what would be right.
        column: 0-based character of the text, where that helps.
    """

    def __init__(self, message: str, hint: str = "", column: int | None = None) -> None:
        super().__init__(message)
        self.message, self.hint, self.column = message, hint, column


class Declared(NamedTuple):
    """A field of a thing: its type without `None`, whether it may be `None`, and its default (`MISSING` for none)."""

    attribute: str
    type: Any
    nullable: bool
    default: Any
    field: Field

    @property
    def name(self) -> str:
        """Its name in documents."""
        return self.field.name or self.attribute


@cache
def declared(cls: Any) -> tuple[Declared, ...]:
    """The fields of a thing, in the order of their declaration."""
    hints = get_type_hints(cls, include_extras=True)
    return tuple(_declared(name, hints[name], default) for name, default in _defaults(cls))


def is_declared(type_: Any) -> bool:
    """Whether a type is a thing with fields: a dataclass or a named tuple that is not written as one text."""
    return isinstance(type_, type) and (is_dataclass(type_) or hasattr(type_, "_fields")) and not hasattr(type_, "of")


def needs_of(value: Any) -> frozenset[str]:
    """The features that a function must know to act on a thing."""
    cls: Any = type(value)
    if not _may_need(cls):
        return frozenset()
    found = set[str]()
    for each in declared(cls):
        given = getattr(value, each.attribute)
        if each.field.needs and given != each.default:
            found.add(each.field.needs)
        if is_declared(type(given)):
            found |= needs_of(given)
    return frozenset(found)


@cache
def features_of(cls: Any) -> frozenset[str]:
    """The features that the fields of a thing can need: those that this version knows."""
    found = {each.field.needs for each in declared(cls)} - {""}
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
        hint = members[0] if len(members) == 1 else Union[tuple(members)]  # noqa: UP007 - made as the program runs
    return Declared(name, hint, nullable, default, field)


def _defaults(cls: Any) -> list[tuple[str, Any]]:
    if hasattr(cls, "_fields"):
        return [(name, cls._field_defaults.get(name, MISSING)) for name in cls._fields]
    return [
        (each.name, each.default if each.default_factory is MISSING else each.default_factory()) for each in fields(cls)
    ]


@cache
def _may_need(cls: Any) -> bool:
    return bool(features_of(cls)) or any(each.field.tag for each in declared(cls))
