"""The types of targets. Each has a module with its fields, its checks and its caller; they are listed only here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from minutehand.targets.http import HTTP
from minutehand.targets.target_type import TargetType

TYPES: dict[str, TargetType[Any]] = {HTTP.name: HTTP}
"""Every type, by its name."""


def fields_by_type() -> Mapping[str, Any]:
    """The class that holds the fields of each type."""
    return {name: kind.fields for name, kind in TYPES.items()}
