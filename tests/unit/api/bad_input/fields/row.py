"""A field that cannot be accepted, and what is told of it."""

from __future__ import annotations

from typing import Any

Row = tuple[dict[str, Any], str, str, str]
"""What is wrong with the document, the path that is told, a part of the message, a part of the hint."""
TARGET: dict[str, Any] = {"type": "http", "url": "https://example.com/"}


def target(**changed: Any) -> dict[str, Any]:
    return {"target": TARGET | changed}
