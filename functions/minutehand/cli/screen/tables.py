"""Lines and tables on a terminal or in a pipe. JSON output loads neither this module nor rich."""

import os
import re
import sys
from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment, Segments
from rich.table import Table
from rich.text import Text

from minutehand.cli.failures import printable
from minutehand.cli.screen.styles import Styled

PIPE_WIDTH = 10_000
"""Width of a pipe, in columns: cells are not wrapped at 80."""

NARROW = 60
"""Minimum width of a terminal for a table, in columns."""

FOLDED = 16
"""Minimum width of a wrapped cell, in columns."""

GAP = 2
"""Spaces between two cells."""

WHOLE = frozenset({"calendar", "job", "run", "schedule"})
"""Columns that never wrap, so that their values can be copied."""

_AT_ONCE = 200
"""Lines of a table that are printed at once."""
_DAY_AND_TIME = re.compile(r"(?:[A-Z][a-z]{2} )?\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?: [+-]\d\d:\d\d)?")
_INSTANT = re.compile(r"\S*\d{4}-\d\d-\d\dT\S+")


class Tables:
    """Prints lines and tables: with colours only on a terminal and without NO_COLOR, and with control characters escaped."""

    def __init__(self) -> None:
        watched = sys.stdout.isatty() or "COLUMNS" in os.environ
        self._console = Console(
            file=sys.stdout, width=None if watched else PIPE_WIDTH, highlight=False, markup=False, emoji=False
        )
        self._plain = not watched and not self._console.is_terminal  # which FORCE_COLOR makes of a pipe

    def line(self, *cells: str) -> None:
        """Print a line of cells, two spaces apart, without wrapping."""
        self._console.print(Text("  ").join(cell_text(cell) for cell in cells if cell), soft_wrap=True)

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Print a table. On a narrow terminal cells wrap, except instants and those of `WHOLE` columns; where that does not
        suffice, each row becomes a list of fields."""
        if self._plain and not any("\n" in cell for row in rows for cell in row):
            self._plainly(columns, rows)
            return
        cells = [[cell_text(cell) for cell in row] for row in rows]
        natural = [
            max(len(column), *(cell.cell_len for cell in cells))
            for column, cells in zip(columns, zip(*cells, strict=True), strict=True)
        ]
        if NARROW <= self._console.width >= sum(natural) + GAP * (len(columns) - 1):
            if not any("\n" in cell.plain for row in cells for cell in row):
                self._lines(columns, cells, natural)
                return
        widths = self._widths(columns, cells, natural)
        if widths is None:
            for each in rows:
                self.fields([*zip(columns, each, strict=True), ("", "")])
            return
        table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
        for column, width in zip(columns, widths, strict=True):
            table.add_column(column, overflow="fold", width=width)
        for row in cells:
            table.add_row(*row)
        for line in self._console.render_lines(table, pad=False):
            self._console.print(Segments([*_without_trailing_blanks(line), Segment.line()]), end="")

    def fields(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Print names and values, one pair a line, without wrapping."""
        width = max(len(name) for name, _ in pairs) if self._console.width >= NARROW else 0
        for name, value in pairs:
            self.line(Styled(name.ljust(width) if value else name, "bold"), value)

    def block(self, heading: str, text: str) -> None:
        """Print a heading and a text."""
        self._console.print(Text(heading, style="bold"))
        self._console.print(Text(printable(text.replace("\r\n", "\n"))), soft_wrap=True)

    def _plainly(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Print a table into a pipe, whose width nothing needs to fit: twenty times as quick as by rich."""
        texts = [columns, *([printable(cell) for cell in row] for row in rows)]
        widths = [max(map(_width, column)) + GAP for column in zip(*texts, strict=True)]
        for row in texts:
            padded = (text + " " * (width - _width(text)) for text, width in zip(row, widths, strict=True))
            self._console.file.write("".join(padded).rstrip() + "\n")

    def _lines(self, columns: Sequence[str], rows: Sequence[Sequence[Text]], widths: Sequence[int]) -> None:
        """Print a table in which no cell wraps, line by line: rich takes 0.4 ms for each row of a table."""
        self._console.print(_joined([Text(column, style="bold") for column in columns], widths), soft_wrap=True)
        for start in range(0, len(rows), _AT_ONCE):
            lines = [_joined(row, widths) for row in rows[start : start + _AT_ONCE]]
            self._console.print(Text("\n").join(lines), soft_wrap=True)

    def _widths(
        self, columns: Sequence[str], rows: Sequence[Sequence[Text]], natural: Sequence[int]
    ) -> list[int] | None:
        """The width of each column, where `natural` are those without wrapping; None when the terminal is too narrow for a table."""
        widths = [*natural]
        least = [
            width if column in WHOLE else max(min(len(column), FOLDED), *map(_narrowest, cells))
            for column, width, cells in zip(columns, widths, zip(*rows, strict=True), strict=True)
        ]
        room = self._console.width - GAP * (len(columns) - 1)
        if self._console.width < NARROW or sum(least) > room:
            return None
        while sum(widths) > room:
            widest = max((n for n in range(len(widths)) if widths[n] > least[n]), key=widths.__getitem__)
            widths[widest] -= 1
        return widths


def _width(text: str) -> int:
    return len(text) if text.isascii() else cell_len(text)


def _joined(row: Sequence[Text], widths: Sequence[int]) -> Text:
    """A line of cells, each padded to the width of its column; without trailing blanks."""
    line = Text()
    blanks = 0
    for cell, width in zip(row, widths, strict=True):
        if cell.plain:
            line.append(" " * blanks)
            line.append_text(cell)
            blanks = 0
        blanks += width - cell.cell_len + GAP
    line.rstrip()
    return line


def _narrowest(cell: Text) -> int:
    """The minimum width of a cell that keeps instants on one line."""
    if _DAY_AND_TIME.fullmatch(cell.plain):
        return cell.cell_len
    return max(min(cell.cell_len, FOLDED), *map(len, _INSTANT.findall(cell.plain)), 0)


def _without_trailing_blanks(line: Sequence[Segment]) -> list[Segment]:
    kept = list(line)
    while kept and not kept[-1].text.strip():
        kept.pop()
    if kept:
        kept[-1] = Segment(kept[-1].text.rstrip(), kept[-1].style)
    return kept


def cell_text(cell: str) -> Text:
    """A cell with control characters escaped, in its style."""
    return Text(printable(cell), style=cell.style if isinstance(cell, Styled) else "")
