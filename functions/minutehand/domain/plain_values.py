"""Strict readers of plain values: text is not read as a number, nor true as 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def whole_number(raw: Any) -> int:
    """Read a whole number; TypeError for anything else."""
    if type(raw) is not int:
        raise TypeError(f"{raw!r:.60} is not a whole number")
    return raw


def _exactly(type_: type, wanted: str) -> Callable[[Any, Mapping[str, type]], Any]:
    def read(raw: Any, _: Mapping[str, type]) -> Any:
        if type(raw) is not type_:
            raise TypeError(f"{raw!r:.60} is not {wanted}")
        return raw

    return read


READERS: Mapping[Any, Callable[[Any, Mapping[str, type]], Any]] = {
    str: _exactly(str, "text"),
    int: _exactly(int, "a whole number"),
    bool: _exactly(bool, "true or false"),
}
"""Readers by type; each raises TypeError for a value of another type."""


def shown_number(value: float) -> float:
    """A number without a fraction of zero: 2, not 2.0."""
    return int(value) if value == int(value) else value
