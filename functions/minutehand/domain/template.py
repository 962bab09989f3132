"""Templates: texts with placeholders, such as `{{payload.customer.id}}`, that values of a run fill.

A placeholder is a name and the way into its value: `.key`, `.0` or `[0]` for an item of a list, `["any key"]`. It does nothing else.
`{{{{` stands for `{{`. A placeholder that begins with `secret:` names a secret. The values that are put in are never read as templates. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from minutehand.domain.declaration.field import Refused
from minutehand.domain.secret_reference import RESERVED, SecretReference

OPEN = "{{"
_MARK = re.compile(r"\{\{\{\{|\{\{(?P<inside>.*?)\}\}|\{\{", re.DOTALL)
_STEP = r'\.([A-Za-z0-9_-]+)|\[([0-9]+)\]|\["([^"\\]*)"\]'
_PLACE = re.compile(rf"([A-Za-z_]\w*)((?:{_STEP})*)", re.ASCII)
_EACH_STEP = re.compile(_STEP, re.ASCII)
_HINT = 'write a name and the way into its value, such as {{payload.customer.id}} or {{payload["a key"][0]}}; for two braces write {{{{'


class Placeholder(NamedTuple):
    """A placeholder: what it names.

    Attributes:
        name: one of the values of a run.
        steps: the keys and indexes that lead into that value.
        written: the placeholder without its braces, for messages.
        column: its 0-based position in the text.
        secret: the secret that it names, if it names one.
    """

    name: str
    steps: tuple[str, ...]
    written: str
    column: int
    secret: SecretReference | None = None


class Missing(Exception):
    """A placeholder names a part that the value does not have."""


class TooLong(Exception):
    """A filled template is longer than allowed."""


Look = Callable[[Placeholder], Any]
"""Finds the value that a placeholder names, a JSON value; raises `Missing`."""


def parts(text: str) -> Iterator[str | Placeholder]:
    """The texts and placeholders of a template, in order.

    Raises:
        Refused: for a placeholder that cannot be read.
    """
    end = 0
    for mark in _MARK.finditer(text):
        if mark.start() > end:
            yield text[end : mark.start()]
        end = mark.end()
        yield OPEN if mark[0] == OPEN * 2 else _placeholder(mark)
    if end < len(text):
        yield text[end:]


def placeholders(value: Any, path: str) -> Iterator[tuple[str, Placeholder | Refused]]:
    """Every placeholder in the texts of a JSON value, each with its path; what cannot be read as its error. Keys are no templates.

    Args:
        path: the path of the value itself.
    """
    match value:
        case str() if OPEN in value:
            try:
                for part in parts(value):
                    if isinstance(part, Placeholder):
                        yield path, part
            except Refused as error:
                yield path, error
        case Mapping():
            for key, inner in value.items():
                yield from placeholders(inner, f"{path}.{key}")
        case list() | tuple():
            for n, inner in enumerate(value):
                yield from placeholders(inner, f"{path}[{n}]")


def names_secret(value: Any) -> bool:
    """Whether a text in a JSON value has a placeholder that names a secret."""
    return any(isinstance(found, Placeholder) and found.secret is not None for _, found in placeholders(value, ""))


def filled_text(text: str, look: Look, most: int) -> str:
    """A text with values in place of its placeholders: texts as they are, null as nothing, all other values as JSON.

    Raises:
        Missing, Refused: for a placeholder that names nothing, or cannot be read.
        TooLong: if it would have more than `most` characters.
    """
    return _text(text, look, _Budget(most))


def filled(value: Any, look: Look, most: int) -> Any:
    """A JSON value with each text filled. A text that is one placeholder and nothing else becomes the value that this names.

    Raises:
        Missing, Refused: for a placeholder that names nothing, or cannot be read.
        TooLong: if the values put in would have more than `most` characters as JSON.
    """
    return _filled(value, look, _Budget(most))


def follow(value: Any, placeholder: Placeholder, *, first: int = 0) -> Any:
    """The part of a value to which the steps of a placeholder lead.

    Args:
        first: how many of the steps led to `value` itself.

    Raises:
        Missing: if a step leads nowhere.
    """
    for n, step in enumerate(placeholder.steps[first:], start=first):
        match value:
            case Mapping() if step in value:
                value = value[step]
            case list() if step.isdecimal() and len(step) < 10 and int(step) < len(value):
                value = value[int(step)]
            case _:
                before = ".".join((placeholder.name, *placeholder.steps[:n]))
                raise Missing(f"{shown(placeholder)} names nothing: {before} {_lacks(value, step)}")
    return value


def shown(placeholder: Placeholder) -> str:
    """A placeholder as it is written, for messages."""
    return f"{{{{{placeholder.written[:80]}}}}}"


class _Budget:
    """How many characters may still be put in."""

    def __init__(self, most: int) -> None:
        self._left = most

    def take(self, text: str) -> str:
        self._left -= len(text)
        if self._left < 0:
            raise TooLong
        return text


def _text(text: str, look: Look, budget: _Budget) -> str:
    return "".join(budget.take(_as_text(look(part)) if isinstance(part, Placeholder) else part) for part in parts(text))


def _filled(value: Any, look: Look, budget: _Budget) -> Any:
    match value:
        case str() if OPEN in value:
            found = [*parts(value)]
            if len(found) == 1 and isinstance(found[0], Placeholder):
                whole = look(found[0])
                budget.take(_as_json(whole))
                return whole
            return _text(value, look, budget)
        case dict():
            return {key: _filled(inner, look, budget) for key, inner in value.items()}
        case list():
            return [_filled(inner, look, budget) for inner in value]
        case _:
            return value


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else _as_json(value)


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _placeholder(mark: re.Match[str]) -> Placeholder:
    inside = mark["inside"]
    if inside is None:
        raise Refused("a placeholder begins here and does not end", _HINT, mark.start())
    written = inside.strip()
    if written.startswith(RESERVED):
        return Placeholder("secret", (), written, mark.start(), _secret(written, mark))
    place = _PLACE.fullmatch(written)
    if place is None:
        raise Refused(f"{{{{{written[:60]}}}}} is not a placeholder", _HINT, mark.start())
    steps = tuple(key or index or quoted for key, index, quoted in _EACH_STEP.findall(place[2]))
    return Placeholder(place[1], steps, written, mark.start())


def _secret(written: str, mark: re.Match[str]) -> SecretReference:
    try:
        return SecretReference.parse(written.removeprefix(RESERVED))
    except Refused as error:
        before = mark.start("inside") + mark["inside"].index(RESERVED) + len(RESERVED)
        column = None if error.column is None else before + error.column
        raise Refused(error.message, error.hint, column) from None


def _lacks(value: Any, step: str) -> str:
    match value:
        case Mapping():
            return f"has no {step[:60]!r}"
        case list():
            return f"is a list of {len(value)}, without {step[:60]!r}"
        case None:
            return "is null"
        case _:
            return "has no parts"
