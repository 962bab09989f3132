"""The types of targets. Each has modules with its fields, its checks and its caller; they are listed only here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from minutehand.targets.aws import AWS
from minutehand.targets.command import COMMAND
from minutehand.targets.http import HTTP
from minutehand.targets.target_type import TargetType

TYPES: dict[str, TargetType[Any]] = {kind.name: kind for kind in (HTTP, *AWS, COMMAND)}
"""Every type, by its name."""


class _FieldsByType(Mapping[str, Any]):
    """The class that holds the fields of each type. A class is loaded when it is first asked for."""

    def __getitem__(self, name: str) -> Any:
        return TYPES[name].fields

    def __iter__(self) -> Iterator[str]:
        return iter(TYPES)

    def __len__(self) -> int:
        return len(TYPES)


def fields_by_type() -> Mapping[str, Any]:
    """The class that holds the fields of each type."""
    return _FieldsByType()
