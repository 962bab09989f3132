"""Conversion of declared things to items of a table and back, including the features that each item needs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from minutehand.domain.conversion import NO_TYPES, read_stored, stored
from minutehand.domain.declaration import features_of, needs_of

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem, Value

T = TypeVar("T")

FORMAT = 1
"""The format of definitions. Functions read every format up to their own. They keep fields of a later version, or set the item aside."""
NEEDS = "needs"
"""The attribute with the features that a function must know to act on the item."""


class NeedsNewer(ValueError):
    """An item that needs features of a later version: to act on it would ignore a setting."""


def item_of(value: Any, key: Item) -> Item:
    """The item of a declared thing, with its key."""
    item: Item = {**key, **{name: typed(plain) for name, plain in stored(value).items()}}
    if needs := needs_of(value):
        item[NEEDS] = {"SS": sorted(needs)}
    return item


def thing_of(
    cls: type[T],
    item: ReadItem,
    *,
    besides: Collection[str] = (),
    types: Mapping[str, type] = NO_TYPES,
    **apart: Any,
) -> T:
    """Read a declared thing from an item.

    Args:
        besides: attributes of the item that are neither fields of the thing nor its key.
        apart: fields of the thing that come from the key or another attribute.

    Raises:
        NeedsNewer: if the item needs features that this version does not know.
        Unreadable: if the item is damaged.
    """
    check_needs(item, cls, types)
    left_out = {"pk", "sk", NEEDS, *besides}
    plain = {name: untyped(value) for name, value in item.items() if name not in left_out}
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
    """A plain value as a DynamoDB value. Fractions are rounded to a thousandth."""
    match value:
        case str():
            return {"S": value}
        case bool():
            return {"BOOL": value}
        case int():
            return {"N": str(value)}
        case float():
            return {"N": f"{value:.3f}".rstrip("0").rstrip(".")}
        case None:
            return {"NULL": True}
        case Mapping():
            return {"M": {name: typed(inner) for name, inner in value.items()}}
        case frozenset():
            return {"SS": sorted(value)}
        case _:
            return {"L": [typed(inner) for inner in value]}


def untyped(value: Any) -> Any:
    """A DynamoDB value as a plain one."""
    ((kind, raw),) = value.items()
    match kind:
        case "S" | "BOOL":
            return raw
        case "N":
            return int(raw) if raw.lstrip("-").isdecimal() else float(raw)
        case "M":
            return {name: untyped(inner) for name, inner in raw.items()}
        case "L":
            return [untyped(inner) for inner in raw]
        case "SS":
            return frozenset(raw)
        case "NULL":
            return None
    raise ValueError(f"no item has a value of type {kind}")
