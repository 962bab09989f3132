"""Sizes of items by DynamoDB's published rules (Developer Guide, "Item sizes and formats")."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


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
    raise ValueError(f"no size is known for values of type {kind}")
