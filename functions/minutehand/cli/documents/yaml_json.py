"""Parse YAML and JSON texts to JSON documents, each with the number of its first line.

YAML follows the 1.2 core schema: `on`, `no`, `1:30` and `2026-11-20` are strings. A duplicate key is an error, since one of
the two values would be lost silently.
"""

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from typing import Any, Final

import yaml

from minutehand.cli.documents.text_error import TextError

MOST_VALUES: Final = 100_000
"""Most values in a document, counted as often as its aliases repeat them; a job has far fewer."""
YAML_TAG: Final = "tag:yaml.org,2002:"
_HINTS: Final = (
    ("aliases repeat", "write fewer aliases"),
    ("undefined tag handle", "leave the tag out: tags such as !secret mean nothing here"),
    ("the tag ", "leave the tag out, and write the value itself"),
    ("an alias is inside", "write the value out instead"),
    ("alias", 'a schedule that starts with * needs quotes: schedule: "*/5 * * * *"'),
    ("character '@'", 'a schedule that starts with @ needs quotes: schedule: "@hourly"'),
    ("character '\\t'", "indent with spaces, not tabs"),
    ("character '%'", "a string that starts with % needs quotes"),
    ("mapping values are not allowed", "a string with a colon and a space needs quotes; or the indentation is wrong"),
)
_SCANNED_OTHERWISE: Final = re.compile("[\t\ufeff]")
"""Characters that the scanners of libyaml and PyYAML treat differently; texts with one are not given to libyaml."""


def read_yaml(text: str) -> Iterator[tuple[int, Any]]:
    """The non-empty documents, each with the number of its first line. Raises TextError.

    Uses libyaml, which is about five times as fast, if PyYAML was built with it. A text that libyaml refuses is parsed again with
    PyYAML's own scanner, since the hints are chosen by the messages of that scanner.
    """
    given = 0
    try:
        for found in _documents(any_loader(text)):
            yield found
            given += 1
    except (yaml.YAMLError, RecursionError, ValueError):
        pass
    else:
        return
    try:
        yield from islice(_documents(_CoreLoader(text)), given, None)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        message = error.problem or error.context or "not YAML"
        problem = f"{error.context}: {message}" if error.context and error.problem else message
        hint = next((hint for sign, hint in _HINTS if sign in problem), None)
        raise TextError(
            message=problem, line=mark.line + 1 if mark else 1, column=mark.column + 1 if mark else None, hint=hint
        ) from error
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        raise TextError(
            message=f"the character {error.character!r} is not allowed in YAML",
            line=before.count("\n") + 1,
            column=error.position - before.rfind("\n"),
        ) from error
    except RecursionError as error:
        raise TextError(message="it is nested too deeply", line=1) from error
    except ValueError as error:  # a number of thousands of digits
        raise TextError(message=f"this cannot be read: {error}"[:120], line=1) from error


def any_loader(text: str) -> Any:
    """A loader of PyYAML whose nodes have the marks of the text: libyaml's if it can be used."""
    quick = yaml.__with_libyaml__ and not _SCANNED_OTHERWISE.search(text)
    return _quick_loader()(text) if quick else _CoreLoader(text)


def read_json(text: str) -> Iterator[tuple[int, Any]]:
    """The concatenated JSON documents, each with the number of its first line. Raises TextError."""
    at = _skip_space(text, 0)
    while at < len(text):
        line = text.count("\n", 0, at) + 1
        try:
            document, end = _DECODER.raw_decode(text, at)
        except json.JSONDecodeError as error:
            raise TextError(message=error.msg, line=error.lineno, column=error.colno) from error
        except RecursionError as error:
            raise TextError(message="it is nested too deeply", line=line) from error
        except ValueError as error:
            raise TextError(message=str(error), line=line) from error
        yield line, document
        at = _skip_space(text, end)


class _Core(yaml.constructor.SafeConstructor, yaml.resolver.Resolver):
    """Turns YAML nodes into values by the core schema, whichever scanner read the nodes."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - PyYAML's own name, filled below

    yaml_constructors = {  # noqa: RUF012 - as the one above
        **yaml.constructor.SafeConstructor.yaml_constructors,
        f"{YAML_TAG}merge": yaml.constructor.SafeConstructor.construct_yaml_str,  # of a value; a key << merges
    }

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT002 - PyYAML's signature
        seen = set()
        for key, _ in node.value:
            if key.tag == f"{YAML_TAG}merge":
                continue
            problem = None
            if key.tag != f"{YAML_TAG}str":
                problem = "a key must be text: put it in quotes"
            elif key.value in seen:
                problem = f"the key {key.value!r} is here twice"
            if problem is not None:
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:  # noqa: FBT002 - PyYAML's signature
        if isinstance(node, _NODES.get(node.tag, ())):
            try:
                return super().construct_object(node, deep)
            except (ValueError, KeyError, IndexError):  # of a text that is not what its tag says, or that is too long
                digits = node.value.lstrip("+-").isdecimal()
                problem = (
                    "a number has too many digits"
                    if digits
                    else f"{node.value!r:.40} does not fit the tag {_tag_of(node)}"
                )
        else:
            problem = f"the tag {_tag_of(node):.60} is not allowed here"
        raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)


class _CoreLoader(_Core, yaml.SafeLoader):
    """A loader with PyYAML's own scanner, which is written in Python."""


def _tag_of(node: yaml.Node) -> str:
    return str(node.tag).replace(YAML_TAG, "!!", 1)


def _documents(loader: Any) -> Iterator[tuple[int, Any]]:
    """Each document that is not empty, with the line it starts on. Raises YAMLError."""
    try:
        while loader.check_node():
            node = loader.get_node()
            _check_expansion(node)
            document = None if node is None else loader.construct_document(node)
            if node is not None and document is not None:
                yield node.start_mark.line + 1, document
    finally:
        loader.dispose()


def _check_expansion(node: yaml.Node | None) -> None:
    """Refuse aliases that repeat too much: a few lines of them can stand for billions of values. Raises YAMLError."""
    sizes: dict[int, int] = {}  # of each node with all that its aliases repeat; 0 while the node's inside is counted

    def size_of(node: yaml.Node) -> int:
        if id(node) not in sizes:
            sizes[id(node)] = 0
            parts = node.value if isinstance(node, yaml.CollectionNode) else ()
            inside = (each for part in parts for each in (part if isinstance(part, tuple) else (part,)))
            sizes[id(node)] = 1 + sum(map(size_of, inside))
        size = sizes[id(node)]
        if not size or size > MOST_VALUES:
            problem = (
                f"its aliases repeat more than {MOST_VALUES:,} values"
                if size
                else "an alias is inside of what it repeats"
            )
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
        return size

    if node is not None:
        size_of(node)


@cache
def _quick_loader() -> Callable[[str], Any]:
    """A loader that has libyaml scan and parse. It puts nodes together in Python: libyaml's own way to do it overruns the stack where
    a text is nested very deeply."""
    from yaml._yaml import CParser  # noqa: PLC0415 - only there where PyYAML was built with libyaml

    class QuickLoader(yaml.composer.Composer, CParser, _Core):
        def __init__(self, text: str) -> None:
            CParser.__init__(self, text)
            yaml.composer.Composer.__init__(self)
            yaml.constructor.SafeConstructor.__init__(self)
            yaml.resolver.Resolver.__init__(self)

    return QuickLoader


def _resolve(tag: str, pattern: str, first: str) -> None:
    _Core.add_implicit_resolver(f"{YAML_TAG}{tag}", re.compile(f"(?:{pattern})$"), list(first))


CORE_SCHEMA: Final = (
    ("null", "~|null|Null|NULL|", "~nN"),
    ("bool", "true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", "[-+]?(?:0|[1-9][0-9]*)", "-+0123456789"),
    ("float", r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[-+]?[0-9]+[eE][-+]?[0-9]+", "-+.0123456789"),
    ("merge", "<<", "<"),
)
"""Each tag of the core schema that a plain text may have, with the pattern of such texts and the characters with which they begin."""

_NODES: Final[dict[str, type[yaml.Node]]] = {
    **{f"{YAML_TAG}{tag}": yaml.ScalarNode for tag in ("str", *(tag for tag, _, _ in CORE_SCHEMA))},
    f"{YAML_TAG}seq": yaml.SequenceNode,
    f"{YAML_TAG}map": yaml.MappingNode,
}
"""The tags that a value may have, and what it then is."""

for _tag, _pattern, _first in CORE_SCHEMA:
    _resolve(_tag, _pattern, _first)
_Core.add_implicit_resolver(f"{YAML_TAG}null", re.compile("$"), [""])


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} is there twice in one object")
        found[key] = value
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON value")


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)


def _skip_space(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at
