"""Read units by DynamoDB's published rules (Developer Guide, "Read capacity").

The emulators ignore item sizes, or report no read units at all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from minutehand.adapters.dynamodb.calls.metering import item_size

READ_UNIT = 4096
"""Bytes of a consistent read unit; an eventually consistent one covers twice as many."""


def of_query(items: Iterable[Mapping[str, Any]], *, consistent: bool) -> float:
    """Read units of a query: sizes are added, then rounded up."""
    units = max(1, math.ceil(sum(map(item_size, items)) / READ_UNIT))
    return float(units) if consistent else units / 2


def of_gets(items: Iterable[Mapping[str, Any]], *, keys: int, consistent: bool) -> float:
    """Read units of single or batched gets of so many keys: each size is rounded up, and a missing item costs one unit."""
    found = [max(1, math.ceil(item_size(item) / READ_UNIT)) for item in items]
    units = sum(found) + keys - len(found)
    return float(units) if consistent else units / 2
