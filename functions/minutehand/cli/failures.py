"""Failures of a command, written to stderr as text or as problem JSON."""

import json
import sys
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from typing import Any

import click

_MOST_FIELDS = 20
"""Maximum number of invalid fields in a failure's text; its JSON has all."""

_LONGEST_TEXT = 160
"""Maximum number of characters that are shown of a text with an error, such as a line of a crontab."""
_HARMLESS = "\n\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}"


class Exit(IntEnum):
    """Exit codes of the command line."""

    DONE = 0
    """Success."""
    FAILED = 1
    """Failure: the API is unreachable, a run did not succeed, a wait timed out."""
    USAGE = 2
    """Invalid arguments, file or field; nothing was changed."""
    NOT_FOUND = 3
    """What the command names does not exist, such as a job or a run."""
    CONFLICT = 4
    """Conflict with the current state: another change came first, or a run has already ended."""
    NOT_ALLOWED = 5
    """The token is unknown, or lacks the role or the namespace."""
    DIFFERS = 6
    """With `--exit-code`: stored jobs differ from what the command was given; nothing was changed."""
    INTERRUPTED = 130
    """Ctrl-C, by the convention of shells: 128 + SIGINT."""


class Failure(click.ClickException):
    """A command's failure.

    `message` is the heading of the text, `problem` an RFC 9457 document. `texts` maps an index of its `errors` to the text that
    `column` points into.
    """

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
        """The failure as text: the message, the invalid fields, and the hint."""
        found = self.problem.get("errors")
        errors = [error for error in found if isinstance(error, Mapping)] if isinstance(found, Sequence) else []
        repeated = any(error.get("message") and str(error["message"]) in self.message for error in errors)
        yield f"error: {self.problem.get('title') if repeated else self.message}"
        for place, error in enumerate(errors[:_MOST_FIELDS]):
            yield from field_lines(error, self._texts.get(place))
        if len(errors) > _MOST_FIELDS:
            yield f"  and {len(errors) - _MOST_FIELDS} more; -o json lists them all"
        if self.problem.get("hint"):
            yield f"hint: {self.problem['hint']}"


def failure(
    title: str,
    detail: str,
    *,
    hint: str | None = None,
    errors: Sequence[Mapping[str, Any]] | None = None,
    exit_code: Exit = Exit.USAGE,
    texts: Mapping[int, str] | None = None,
) -> Failure:
    """A failure from the fields of its problem document, without those that are None."""
    more = {"hint": hint, "errors": errors}
    problem = {"title": title, "detail": detail, **{key: value for key, value in more.items() if value is not None}}
    return Failure(problem, exit_code=exit_code, texts=texts)


def write_failure(error: click.ClickException, *, as_json: bool) -> None:
    """Write the failure to stderr."""
    if as_json:
        usage = {"title": "bad usage", "detail": error.format_message()}
        problem = error.problem if isinstance(error, Failure) else usage
        print(json.dumps(problem, ensure_ascii=False), file=sys.stderr)
    elif isinstance(error, Failure):
        for line in error.lines():
            print(printable(line), file=sys.stderr)
    else:
        error.show()


def printable(text: str) -> str:
    """The text with terminal control and bidirectional characters escaped; line ends stay."""
    return text if text.isprintable() else "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    if character == "\t":
        return " "
    if character in _HARMLESS or unicodedata.category(character) not in {"Cc", "Cf", "Cs"}:
        return character
    return character.encode("unicode_escape").decode("ascii")


def field_lines(error: Mapping[str, Any], text: str | None, *, kind: str = "") -> Iterator[str]:
    """The lines about an invalid field: its place, a caret under `column` of the text, and the hint.

    If several texts are joined to one schedule, the error's `part` is the index of `text`. kind: a prefix, such as "warning".
    """
    part = error.get("part")
    places = [error.get(key) for key in ("file", "job", "calendar", "path")]
    if isinstance(part, int):
        number = f"schedule {part + 1}"
        places = [number] if places == [None, None, None, "schedule"] else [f"{number},", *places]
    place = " ".join(str(place) for place in places if place)
    yield f"  {': '.join(word for word in (kind, place, str(error.get('message'))) if word)}"
    column = error.get("column")
    if text is not None and isinstance(column, int) and 0 <= column <= len(text) and "\n" not in text:
        before, after = _around(text, column)
        yield f"      {printable(before + after)}"
        yield f"      {' ' * _cells(printable(before))}^"
    if error.get("hint"):
        yield f"    hint: {error['hint']}"


def _around(text: str, column: int) -> tuple[str, str]:
    """A text before and from a column on. Of a long one, what is far from the column or in the middle is left out."""
    before, after, half = text[:column], text[column:], _LONGEST_TEXT // 2
    if len(text) <= _LONGEST_TEXT:
        return before, after
    if column < half:
        return before, f"{after[: half - column]}…{text[-half:]}"
    if len(after) < half:
        return f"{text[:half]}…{text[len(text) - half : column]}", after
    return f"…{before[-half:]}", f"{after[:half]}…"


def _cells(text: str) -> int:
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )
