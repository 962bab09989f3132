"""Differences of two JSON documents, each by its JSON Pointer (RFC 6901). Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from minutehand.domain.json_pointer import step

ABSENT: Any = object()
"""What a document has where it has nothing; `None` is JSON's null."""


class Difference(NamedTuple):
    """One place at which two documents differ.

    Attributes:
        path: the place, such as `/retry/max_attempts`; empty for the document as a whole.
        before, after: the values there; `ABSENT` where a document has nothing.
    """

    path: str
    before: Any
    after: Any


def differences(before: Any, after: Any) -> list[Difference]:
    """Where two JSON values differ, in the order of their fields. Lists of one length are compared entry by entry, others as a whole."""
    return [*_differences(before, after, "")]


def _differences(before: Any, after: Any, path: str) -> Iterator[Difference]:
    if isinstance(before, dict) and isinstance(after, dict):
        for name in {**before, **after}:
            yield from _differences(before.get(name, ABSENT), after.get(name, ABSENT), f"{path}{step(name)}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from _differences(one, other, f"{path}{step(index)}")
    elif not _equal(before, after):
        yield Difference(path, before, after)


def _equal(one: Any, other: Any) -> bool:
    """Whether two JSON values without fields in common are equal: `true` is not `1`, though Python says so."""
    return one is other or (isinstance(one, bool) == isinstance(other, bool) and one == other)
