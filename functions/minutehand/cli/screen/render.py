"""The screen: JSON for programs, tables for people."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from minutehand.cli.failures import printable

if TYPE_CHECKING:
    from rich.text import Text

    from minutehand.cli.screen.tables import Tables


class Screen:
    """Where a command's answer goes."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json

    @cached_property
    def _tables(self) -> "Tables":
        from minutehand.cli.screen.tables import Tables  # noqa: PLC0415 - loading rich takes longer than most answers in JSON

        return Tables()

    def data(self, value: object) -> None:
        """A whole JSON document."""
        print(json.dumps(value, indent=2, ensure_ascii=False), flush=True)

    def event(self, value: object) -> None:
        """One line of JSON, of several."""
        print(json.dumps(value, ensure_ascii=False), flush=True)

    def note(self, text: str) -> None:
        """A remark for people, on stderr, so that it never mixes with the answer; programs do not get it."""
        if not self.as_json:
            print(printable(text), file=sys.stderr)

    def text(self, text: str) -> None:
        """A text of several lines as it is, for a file or another program to read; a terminal gets what could steer it escaped, and
        an end to the last line."""
        watched = sys.stdout.isatty()
        end = "\n" if watched and text and not text.endswith("\n") else ""
        print(printable(text) if watched else text, end=end, flush=True)

    @contextmanager
    def progress(self, what: str, total: int) -> Iterator[Callable[[], None]]:
        """A line on stderr that counts the calls of what it yields, up to `total`, and goes away at the end; on a terminal only."""
        if self.as_json or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
            yield lambda: None
            return
        done = 0

        def step() -> None:
            nonlocal done
            done += 1
            print(f"\r{what} {done} of {total}", end="", file=sys.stderr, flush=True)

        try:
            yield step
        finally:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def line(self, *cells: "str | Text") -> None:
        """A line of cells, two spaces apart; long ones run on."""
        self._tables.line(*cells)

    def table(self, columns: Sequence[str], rows: "Sequence[Sequence[str | Text]]") -> None:
        """A table with a heading, folded where the terminal is narrow."""
        self._tables.table(columns, rows)

    def fields(self, pairs: "Sequence[tuple[str, str | Text]]") -> None:
        """Names and values, one below the other; long values run on."""
        self._tables.fields(pairs)

    def block(self, heading: str, text: str) -> None:
        """A heading and a text of several lines, as it is."""
        self._tables.block(heading, text)
