"""The content of a request: its body, and what kind of body that is."""

from __future__ import annotations

import json
from typing import Any, NamedTuple


class Content(NamedTuple):
    """A body and its media type."""

    data: bytes
    media_type: str


def json_content(value: Any) -> Content:
    """A value as compact JSON in ASCII."""
    data = json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii")
    return Content(data, "application/json")
