"""Read units by DynamoDB's published rules (Developer Guide, "Read capacity").

The emulators count reads without regard to size, or not at all, so what was read is weighed here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from minutehand.adapters.dynamodb.codecs.sizes import item_size

READ_UNIT = 4096
"""Bytes that one read unit covers, consistently; twice as many otherwise."""


def read_together(items: Iterable[Mapping[str, Any]], *, consistent: bool) -> float:
    """Read units of one query: the sizes are added and then rounded up."""
    units = max(1, math.ceil(sum(map(item_size, items)) / READ_UNIT))
    return float(units) if consistent else units / 2


def read_singly(items: Iterable[Mapping[str, Any]], *, asked: int, consistent: bool) -> float:
    """Read units of single or batched gets of `asked` keys: each is rounded up, and one that is not there is a unit."""
    found = [max(1, math.ceil(item_size(item) / READ_UNIT)) for item in items]
    units = sum(found) + asked - len(found)
    return float(units) if consistent else units / 2
