"""The screen prints the output of commands: as JSON for programs, or as text and tables for people."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from minutehand.cli.failures import printable

if TYPE_CHECKING:
    from minutehand.cli.screen.tables import Tables
    from minutehand.client import Page

T = TypeVar("T")


class Screen:
    """Prints the output of a command: JSON if `as_json`, else tables and text."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json

    @cached_property
    def _tables(self) -> "Tables":
        from minutehand.cli.screen.tables import Tables  # noqa: PLC0415 - loading rich takes longer than most answers in JSON

        return Tables()

    def data(self, value: object) -> None:
        """Print a JSON document."""
        print(_json(value, indent=2), flush=True)

    def event(self, value: object) -> None:
        """Print a value as one line of JSON."""
        print(_json(value), flush=True)

    def note(self, text: str) -> None:
        """Print a note to stderr; not with JSON output."""
        if not self.as_json:
            print(printable(text), file=sys.stderr)

    def text(self, text: str) -> None:
        """Print a text unchanged; to a terminal with control characters escaped and a final line end."""
        watched = sys.stdout.isatty()
        end = "\n" if watched and text and not text.endswith("\n") else ""
        print(printable(text) if watched else text, end=end, flush=True)

    @contextmanager
    def progress(self, what: str, total: int | None = None) -> Iterator[Callable[[], None]]:
        """A progress counter on stderr, on a terminal only; calling the yielded function advances it. total: None if it is unknown."""
        if self.as_json or not _is_terminal():
            yield lambda: None
            return
        done = 0

        def step() -> None:
            nonlocal done
            done += 1
            print(f"\r{what} {done}{'' if total is None else f' of {total}'}", end="", file=sys.stderr, flush=True)

        try:
            yield step
        finally:
            _erase_line()

    @contextmanager
    def live(self) -> Iterator[Callable[[str, str], None]]:
        """A status on stderr: calling the yielded function with a text and the time so far shows both in the terminal's last line, in
        place of what was there. Elsewhere, each other text is a note, without the time; not with JSON output."""
        watched, shown = _is_terminal() and not self.as_json, ""

        def say(text: str, so_far: str) -> None:
            nonlocal shown
            if watched:
                import shutil  # noqa: PLC0415 - few commands wait

                line = f"{printable(text)}  {so_far}"[: shutil.get_terminal_size().columns - 1]
                print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)
            elif text != shown:
                self.note(text)
            shown = text

        try:
            yield say
        finally:
            if watched and shown:
                _erase_line()

    def line(self, *cells: str) -> None:
        """Print a line of cells, two spaces apart, without wrapping."""
        self._tables.line(*cells)

    def result(self, value: T, cells: "Callable[[T], Iterable[str]]") -> None:
        """Print a JSON document, or its cells in a line (see `line`)."""
        if self.as_json:
            self.data(value)
        else:
            self.line(*cells(value))

    def record(self, value: T, pairs: "Callable[[T], Iterable[tuple[str, str]]]") -> None:
        """Print a JSON document, or its names and values (see `fields`)."""
        if self.as_json:
            self.data(value)
        else:
            self.fields(list(pairs(value)))

    def page(self, page: "Page[T]", columns: Sequence[str], row: "Callable[[T], Sequence[str]]", *, empty: str) -> None:
        """Print a page of a list as JSON, or as a table with how to continue. empty: the note for a page without items."""
        if self.as_json:
            self.data(page)
        elif not page["items"]:
            self.note(empty)
        else:
            self.table(columns, [row(item) for item in page["items"]])
            if page["next"]:
                self.note(f"more: --cursor {page['next']}")

    def table(self, columns: Sequence[str], rows: "Sequence[Sequence[str]]") -> None:
        """Print a table; cells wrap on a narrow terminal."""
        self._tables.table(columns, rows)

    def fields(self, pairs: "Sequence[tuple[str, str]]") -> None:
        """Print names and values, one pair a line, without wrapping."""
        self._tables.fields(pairs)

    def block(self, heading: str, text: str) -> None:
        """Print a heading and a text."""
        self._tables.block(heading, text)


def _json(value: object, indent: int | None = None) -> str:
    """A value as JSON. On a terminal, characters that it would obey or not show are escaped as JSON allows: it stays the same value."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    if not sys.stdout.isatty():
        return text
    return "".join(each if each.isprintable() or each == "\n" else json.dumps(each)[1:-1] for each in text)


def _is_terminal() -> bool:
    """Whether stderr is a terminal on which a line can be rewritten."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def _erase_line() -> None:
    print("\r\x1b[K", end="", file=sys.stderr, flush=True)
