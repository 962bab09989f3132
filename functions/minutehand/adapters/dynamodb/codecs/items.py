"""Convert objects whose class declares its fields (`Field`) to items of a table and back, with the features that they need."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from types import NoneType
from typing import TYPE_CHECKING, Any, TypeVar

from minutehand.adapters.dynamodb.codecs.values import NeedsNewer
from minutehand.domain.declaration.conversion import NO_TYPES, read_stored, stored, stored_change
from minutehand.domain.declaration.field import features_of, needs_of

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem, Value

T = TypeVar("T")

_KEYS = frozenset(("pk", "sk", "needs"))
FORMAT = 1
"""Number of the format in which definitions are stored. A function reads every format up to its own, and refuses later ones."""
NEEDS = "needs"
"""The attribute with the features that a function must know to act on the item."""


def item_of(value: Any, key: Item) -> Item:
    """The item of an object whose class declares its fields; `key` becomes part of it."""
    item: Item = {**key, **{name: typed(plain) for name, plain in stored(value).items()}}
    _add_needs(item, value)
    return item


def change_of(before: T, after: T, besides: Collection[str]) -> tuple[Item, Item]:
    """The attributes that differ between the items of two objects, and those named in `besides`: as they were, and as they become."""
    changes: list[Item] = []
    for plain, value in zip(stored_change(before, after, besides), (before, after), strict=True):
        changes.append({name: typed(inner) for name, inner in plain.items()})
        _add_needs(changes[-1], value)
    return changes[0], changes[1]


def _add_needs(item: Item, value: Any) -> None:
    if needs := needs_of(value):
        item[NEEDS] = {"SS": sorted(needs)}


def thing_of(
    cls: type[T],
    item: ReadItem,
    *,
    besides: Collection[str] = (),
    types: Mapping[str, type] = NO_TYPES,
    **apart: Any,
) -> T:
    """Read an object of a class that declares its fields from an item.

    Args:
        besides: attributes of the item that are neither fields of the object nor the key.
        apart: values of fields that the caller has read from the key or another attribute.

    Raises:
        NeedsNewer: if the item needs features that this version does not know.
        Unreadable: if the item is damaged.
    """
    check_needs(item, cls, types)
    plain = {name: untyped(value) for name, value in item.items() if name not in _KEYS and name not in besides}
    return read_stored(cls, plain, types, **apart)


def check_needs(item: ReadItem, cls: Any, types: Mapping[str, type] = NO_TYPES) -> None:
    """Refuse an item that needs features that this version does not know.

    Raises:
        NeedsNewer: with their names.
    """
    if NEEDS in item:
        known = features_of(cls).union(*map(features_of, types.values()))
        if missing := set(item[NEEDS]["SS"]) - known:
            raise NeedsNewer(
                f"it needs {', '.join(sorted(missing))}, which this version does not know; deploy a version that does"
            )


def typed(value: Any) -> Value:
    """A plain value as a DynamoDB value. Fractions keep 15 digits."""
    write = _WRITERS.get(type(value)) or next(
        (_WRITERS[each] for each in type(value).__mro__ if each in _WRITERS), None
    )
    if write is None:
        raise TypeError(f"no item has a value of type {type(value).__name__}")
    return write(value)


_WRITERS: Mapping[type, Callable[[Any], Value]] = {
    str: lambda value: {"S": str(value)},
    bool: lambda value: {"BOOL": value},
    int: lambda value: {"N": str(value)},
    float: lambda value: {"N": f"{value:.15g}"},
    NoneType: lambda _: {"NULL": True},
    dict: lambda value: {"M": {name: typed(inner) for name, inner in value.items()}},
    list: lambda value: {"L": [typed(inner) for inner in value]},
    frozenset: lambda value: {"SS": sorted(value)},
}


def untyped(value: Any) -> Any:
    """A DynamoDB value as a plain one."""
    ((kind, raw),) = value.items()
    if kind in ("S", "BOOL"):
        return raw
    return _READERS[kind](raw)


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "N": lambda raw: int(raw) if raw.lstrip("-").isdecimal() else float(raw),
    "M": lambda raw: {name: untyped(inner) for name, inner in raw.items()},
    "L": lambda raw: [untyped(inner) for inner in raw],
    "SS": frozenset,
    "NULL": lambda _: None,
}
