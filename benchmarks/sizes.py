"""Sizes and read units by DynamoDB's published rules (Developer Guide, "Item sizes and formats" and "Read capacity").

The emulators count reads without regard to size, or not at all, so what was read is weighed here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

READ_UNIT = 4096
"""Bytes that one read unit covers, consistently; twice as many otherwise."""


def item_size(item: Mapping[str, Any]) -> int:
    """Bytes of an item of typed values: its attributes' names and values."""
    return sum(len(name.encode()) + _value_size(value) for name, value in item.items())


def _value_size(typed: Mapping[str, Any]) -> int:
    ((kind, value),) = typed.items()
    match kind:
        case "S":
            return len(value.encode())
        case "N":
            return math.ceil(len(value.lstrip("-").replace(".", "").strip("0") or "0") / 2) + 1
        case "BOOL" | "NULL":
            return 1
        case "SS":
            return sum(len(element.encode()) for element in value)
        case "L":
            return 3 + sum(1 + _value_size(element) for element in value)
        case "M":
            return 3 + len(value) + item_size(value)
    raise ValueError(f"no item here has a value of type {kind}; teach sizes.py how large one is")


def read_together(items: Iterable[Mapping[str, Any]], *, consistent: bool) -> float:
    """Read units of one query: the sizes are added and then rounded up."""
    units = max(1, math.ceil(sum(map(item_size, items)) / READ_UNIT))
    return float(units) if consistent else units / 2


def read_singly(items: Iterable[Mapping[str, Any]], *, asked: int, consistent: bool) -> float:
    """Read units of single or batched gets of `asked` keys: each is rounded up, and one that is not there is a unit."""
    found = [max(1, math.ceil(item_size(item) / READ_UNIT)) for item in items]
    units = sum(found) + asked - len(found)
    return float(units) if consistent else units / 2
