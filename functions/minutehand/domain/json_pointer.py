"""JSON Pointers (RFC 6901), and those of fields that a path such as `target.headers.X-Job` or `dates[3]` names. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

LONGEST_NAME = 60
"""Most characters of a field's name in a path: an unknown field may have any name."""
EMPTY = '""'
"""A field whose name is empty, in a path."""
_PART = re.compile(r"\[(?P<index>[0-9]+)\]|\.?(?P<name>[^.\[]+)")


def step(name: str | int) -> str:
    """The step of a pointer to a field, or to an entry of a list: `/a~1b` for `a/b`."""
    return f"/{str(name).replace('~', '~0').replace('/', '~1')}"


def pointer_to(path: str, document: Any) -> str:
    """The pointer to the field that a path names. A missing field has one, too.

    Args:
        document: the document of the path. Names of its fields may contain dots and brackets, so a path alone can be read in two ways.
    """
    pointer, value, rest = "", document, path
    while rest:
        name, rest = _first(rest, value)
        pointer += step(name)
        value = _inside(value, name)
    return pointer


def _first(path: str, value: Any) -> tuple[str, str]:
    """The name of the first field in a path, whole, and the rest of the path."""
    if isinstance(value, Mapping):
        bare = path.removeprefix(".")
        written = {name[:LONGEST_NAME] or EMPTY: name for name in value} | {name: name for name in value if name}
        fitting = [each for each in written if bare == each or bare.startswith((f"{each}.", f"{each}["))]
        if fitting:
            found = max(fitting, key=len)
            return written[found], bare[len(found) :]
    part = _PART.match(path)
    if part is None:
        return path, ""
    return part["index"] or part["name"], path[part.end() :]


def _inside(value: Any, name: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(name)
    if isinstance(value, list) and name.isascii() and name.isdigit() and int(name) < len(value):
        return value[int(name)]
    return None
