"""The types of targets: one folder each, with its fields, its checks and its caller. This is the one place that lists them."""

from __future__ import annotations

from typing import Any

from minutehand.targets.http import HTTP
from minutehand.targets.target_type import TargetType

TYPES: dict[str, TargetType[Any]] = {HTTP.name: HTTP}
"""Every type, by its name."""
