"""How a command fails: one exception, told to people as text and to programs as problem JSON, on stderr."""

import json
import sys
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from typing import Any

import click

_FIELDS_TOLD = 20
"""How many invalid fields people are told; programs are told all."""

_PLACES = ("file", "job", "calendar", "path")

_HARMLESS = "\n\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}"


class Exit(IntEnum):
    """What a command's exit code says."""

    DONE = 0
    """The command did what was asked."""
    FAILED = 1
    """It did not: the API is away, a run did not succeed, waiting took too long."""
    USAGE = 2
    """The command line, a file or a field is not valid; nothing was changed."""
    NOT_FOUND = 3
    """No such job or run."""
    CONFLICT = 4
    """It does not go as things stand: somebody else's change came first, or a run has ended already."""
    NOT_ALLOWED = 5
    """The token is unknown, or its role or namespaces do not reach this far."""
    INTERRUPTED = 130
    """Ctrl-C, as shells have it: 128 + SIGINT."""


class Failure(click.ClickException):
    """A command's failure. `message` is the heading for people, `problem` is in RFC 9457's form; `texts` holds, by place in its `errors`, the text that a `column` points into."""

    def __init__(
        self,
        problem: Mapping[str, Any],
        *,
        exit_code: Exit,
        message: str | None = None,
        texts: Mapping[int, str] | None = None,
    ) -> None:
        super().__init__(message or str(problem.get("detail") or problem.get("title") or "the command failed"))
        self.problem = problem
        self.code = exit_code
        self._texts = texts or {}

    def lines(self) -> Iterator[str]:
        """The failure for people: what was wrong, every invalid field, and what would be right."""
        errors = self._errors()
        repeated = any(error.get("message") and str(error["message"]) in self.message for error in errors)
        yield f"error: {self.problem.get('title') if repeated else self.message}"
        for place, error in enumerate(errors[:_FIELDS_TOLD]):
            yield from field_lines(error, self._texts.get(place))
        if len(errors) > _FIELDS_TOLD:
            yield f"  and {len(errors) - _FIELDS_TOLD} more; -o json tells them all"
        if self.problem.get("hint"):
            yield f"hint: {self.problem['hint']}"

    def _errors(self) -> Sequence[Mapping[str, Any]]:
        errors = self.problem.get("errors")
        return [error for error in errors if isinstance(error, Mapping)] if isinstance(errors, Sequence) else ()


def tell(error: click.ClickException, *, as_json: bool) -> None:
    """Write the failure to stderr."""
    if not as_json and not isinstance(error, Failure):
        error.show()
        return
    if as_json:
        problem = (
            error.problem if isinstance(error, Failure) else {"title": "bad usage", "detail": error.format_message()}
        )
        print(json.dumps(problem, ensure_ascii=False), file=sys.stderr)
    elif isinstance(error, Failure):
        for line in error.lines():
            print(printable(line), file=sys.stderr)


def printable(text: str) -> str:
    """The text without what could steer a terminal: control and direction characters are written as escapes, but for line ends."""
    return "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    if character == "\t":
        return " "
    if character in _HARMLESS or unicodedata.category(character) not in {"Cc", "Cf", "Cs"}:
        return character
    return character.encode("unicode_escape").decode("ascii")


def field_lines(error: Mapping[str, Any], text: str | None, *, kind: str = "") -> Iterator[str]:
    """What is wrong with a field, for people: where it is, a caret under `column` of the text, and the hint.

    Of several texts joined, `part` says which one `text` is. kind: a word before it all, such as "warning".
    """
    part = error.get("part")
    places = [error.get(key) for key in _PLACES]
    if isinstance(part, int):
        number = f"schedule {part + 1}"
        places = [number] if places == [None, None, None, "schedule"] else [f"{number},", *places]
    place = " ".join(str(place) for place in places if place)
    yield f"  {': '.join(word for word in (kind, place, str(error.get('message'))) if word)}"
    column = error.get("column")
    if text is not None and isinstance(column, int) and 0 <= column <= len(text) and "\n" not in text:
        shown = printable(text)
        yield f"      {shown}"
        yield f"      {' ' * _cells(printable(text[:column]))}^"
    if error.get("hint"):
        yield f"    hint: {error['hint']}"


def _cells(text: str) -> int:
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )
