"""Items that are decoded once."""

from __future__ import annotations

from typing import Any

import pytest

from minutehand.adapters.dynamodb.calls import decoded
from minutehand.adapters.dynamodb.calls.decoded import LARGEST, DecodedOnce


def item(name: str, text: str = "") -> dict[str, Any]:
    return {"pk": {"S": name}, "sk": {"S": "JOB"}, "text": {"S": text}}


def reading() -> tuple[DecodedOnce[str], list[str]]:
    read: list[str] = []

    def decode(given: Any) -> str:
        read.append(given["pk"]["S"])
        return str(given["text"]["S"])

    return DecodedOnce(decode), read


def test_an_item_that_is_read_unchanged_is_decoded_once() -> None:
    known, read = reading()
    assert [known.of(item("a", text)) for text in ("x", "x", "y", "y")] == ["x", "x", "y", "y"]
    assert read == ["a", "a"]


def test_a_large_item_is_not_kept() -> None:
    known, read = reading()
    for _ in range(2):
        known.of(item("a", "x" * (LARGEST + 1)))
    assert read == ["a", "a"]


def test_no_more_items_are_kept_than_memory_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoded, "MOST", 2)
    known, read = reading()
    for name in ("a", "b", "a", "c", "a"):
        known.of(item(name))
    assert read == ["a", "b", "c", "a"]
