"""Rows of a table: a field that cannot be accepted, and the error about it."""

from __future__ import annotations

from typing import Any

Row = tuple[dict[str, Any], str, str, str]
"""What is wrong with the document, the path in the error, a part of its message, a part of its hint."""
TARGET: dict[str, Any] = {"type": "http", "url": "https://example.com/"}


def target(**changed: Any) -> dict[str, Any]:
    return {"target": TARGET | changed}
