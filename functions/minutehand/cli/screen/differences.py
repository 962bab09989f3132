"""Differences between two documents as the cells of a table."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from minutehand.client import Difference

_MOST_SHOWN = 500


def difference_rows(found: Iterable[Difference]) -> list[Sequence[str]]:
    """A row for each difference: the field, and its values before and afterwards."""
    return [[_field(each) or "/", _side(each, "before"), _side(each, "after")] for each in found]


def difference_line(found: Sequence[Difference], left_out: int) -> str:
    """The differences in one line: the first with its values, the others by their fields."""
    if not found:
        return "-"
    first, *others = found
    change = " -> ".join(value_text(first[side]) for side in ("before", "after") if side in first)
    removed = " removed" if "after" not in first else ""
    texts = [f"{_field(first)}: {change}{removed}", *map(_field, others)]
    more = [f"and {left_out} more"] if left_out else []
    return ", ".join([*texts, *more])


def _field(difference: Difference) -> str:
    """The JSON Pointer to a field, its escapes (RFC 6901) undone for people."""
    return difference["path"].replace("~1", "/").replace("~0", "~")


def value_text(value: Any) -> str:
    """A JSON value as text, cut if it is long."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def _side(difference: Difference, side: str) -> str:
    return value_text(difference[side]) if side in difference else "-"  # type: ignore[literal-required]
