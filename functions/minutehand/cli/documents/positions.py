"""Find the line and the column of a field in a YAML or JSON text, for errors: the text is parsed again, and only then."""

import re
from functools import lru_cache
from typing import Any, NamedTuple

import yaml

from minutehand.cli.documents.yaml_json import any_loader

_INDEX = re.compile(r"\[([0-9]+)\]")


class Position(NamedTuple):
    """A place in a text; both numbers count from 1."""

    line: int
    column: int


def position_of(text: str, first_line: int, path: str) -> Position | None:
    """The place of a field in the document that starts on a line, by a path such as `target.url` or `dates[3]`.

    Of a field that is missing it is the place of the innermost mapping or list around it. None for a field of the document itself
    that is missing, and for a text that is not YAML.
    """
    node = _roots(text).get(first_line)
    mark = None
    while path and node is not None:
        inner = _inside(node, path)
        if inner is None:
            break
        mark, node, path = inner
    return Position(mark.line + 1, mark.column + 1) if mark else None


@lru_cache(maxsize=4)
def _roots(text: str) -> dict[int, yaml.Node]:
    """The root of each document, by its first line. JSON is YAML too, nearly always."""
    loader = any_loader(text)
    found: dict[int, yaml.Node] = {}
    try:
        while loader.check_node():
            node = loader.get_node()
            found[node.start_mark.line + 1] = node
    except (yaml.YAMLError, RecursionError):
        pass
    finally:
        loader.dispose()
    return found


def _inside(node: yaml.Node, path: str) -> tuple[Any, yaml.Node, str] | None:
    """The mark and the value of the first part of a path, and the rest of the path. A key may contain dots."""
    if isinstance(node, yaml.SequenceNode):
        index = _INDEX.match(path)
        if index is None or int(index[1]) >= len(node.value):
            return None
        item = node.value[int(index[1])]
        return item.start_mark, item, path[index.end() :].removeprefix(".")
    if not isinstance(node, yaml.MappingNode):
        return None
    keys = {str(key.value): (key, value) for key, value in node.value}
    fitting = [name for name in keys if path == name or path.startswith((f"{name}.", f"{name}["))]
    if not fitting:
        return None
    name = max(fitting, key=len)
    key, value = keys[name]
    return key.start_mark, value, path[len(name) :].removeprefix(".")
