"""The screen: JSON for programs, tables for people."""

import json
import os
import sys
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from minutehand.cli.failures import printable

PIPE_WIDTH = 10_000
"""Columns when nobody looks on: a pipe gets every cell in one line, not one folded at 80."""

NARROW = 60
"""Columns below which a table would be cells of a few letters."""

STATE_STYLES: Mapping[str, str] = {
    "succeeded": "green",
    "failed": "red",
    "timed_out": "red",
    "lost": "red",
    "cancelled": "yellow",
    "skipped": "yellow",
    "retrying": "yellow",
    "running": "cyan",
    "waiting": "cyan",
    "queued": "dim",
}


class Screen:
    """Where a command's answer goes. Colours only on a terminal, and none with NO_COLOR; texts from outside are shown as they are,
    with anything that could steer a terminal escaped."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        watched = sys.stdout.isatty() or "COLUMNS" in os.environ
        self._console = Console(
            file=sys.stdout, width=None if watched else PIPE_WIDTH, highlight=False, markup=False, emoji=False
        )

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

    def line(self, *cells: str | Text) -> None:
        """A line of cells, two spaces apart; long ones run on."""
        self._console.print(Text("  ").join(cell_text(cell) for cell in cells if cell), soft_wrap=True)

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[str | Text]]) -> None:
        """A table with a heading; cells fold when the terminal is narrow, and stand below each other when it is too narrow for that."""
        if self._console.width < NARROW:
            for row in rows:
                self.fields([*zip(columns, row, strict=True), ("", "")])
            return
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        for column in columns:
            table.add_column(column, overflow="fold")
        for row in rows:
            table.add_row(*(cell_text(cell) for cell in row))
        self._console.print(table)

    def fields(self, pairs: Sequence[tuple[str, str | Text]]) -> None:
        """Names and values, one below the other."""
        if self._console.width < NARROW:
            for name, value in pairs:
                self.line(Text(name, style="bold"), value)
            return
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(style="bold", overflow="fold")
        grid.add_column(overflow="fold")
        for name, value in pairs:
            grid.add_row(name, cell_text(value))
        self._console.print(grid)

    def block(self, heading: str, text: str) -> None:
        """A heading and a text of several lines, as it is."""
        self._console.print(Text(heading, style="bold"))
        self._console.print(Text(printable(text.replace("\r\n", "\n"))), soft_wrap=True)


def cell_text(cell: str | Text) -> Text:
    """A cell with everything escaped that could steer a terminal."""
    return cell if isinstance(cell, Text) else Text(printable(cell))


def state_text(state: str, width: int = 0) -> Text:
    """A run's state in its colour, padded to `width`."""
    return Text(printable(state).ljust(width), style=STATE_STYLES.get(state, ""))
