"""What of a table is drawn over what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from benchmarks.table import Cell

MOST_SERIES = 6
"""More cannot be told apart by their colours."""


@dataclass(frozen=True, kw_only=True)
class Chart:
    """Which columns of a table are drawn, and over which.

    Attributes:
        name: the file, `docs/charts/<name>.svg`: small letters, digits and hyphens.
        kind: `bars` lie, grouped by row, on an axis that begins at zero; `lines` go through points.
        over: the columns that name a row, joined by a comma; for `lines` one column of figures above all else.
        values: the columns that are drawn, a series each; what is no figure is left out.
        by: a column whose different cells are series, as long as its rows are not told apart by `over` already.
        x: what `over` is, with its unit; the label of that axis.
        y: what is drawn, with its unit; the label of the other.
        log_x: whether ten times as much is always as far along, for `lines`.
        log_y: the same for what is drawn, for `lines` too: a bar's length is read from zero.
        limit: where the goal lies among what is drawn.
        title: the table's own where it says nothing.
    """

    name: str
    kind: Literal["bars", "lines"]
    over: tuple[str, ...]
    values: tuple[str, ...]
    x: str
    y: str
    by: str | None = None
    log_x: bool = False
    log_y: bool = False
    limit: float | None = None
    title: str = ""


@dataclass(frozen=True, kw_only=True)
class Series:
    """What is drawn in one colour: its points, each a place along `over` and a figure."""

    name: str
    points: tuple[tuple[str | float, float], ...]


def read(chart: Chart, columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> tuple[Series, ...]:
    """The series of a chart, from its table's columns and rows.

    Raises:
        ValueError: when a column is not there or there twice, nothing would be drawn, or too much.
    """
    over = [_column(columns, name) for name in chart.over]
    values = [(name, _column(columns, name)) for name in chart.values]
    by = None if chart.by is None else _column(columns, chart.by)
    found: dict[str, list[tuple[str | float, float]]] = {}
    for row in rows:
        place = _place(chart, [row[column] for column in over])
        for name, column in values:
            figure = _figure(row[column])
            if figure is None or place is None or (chart.log_y and figure <= 0):
                continue
            found.setdefault(_series(name, None if by is None else row[by], len(values)), []).append((place, figure))
    if not 0 < len(found) <= MOST_SERIES:
        raise ValueError(f"the chart {chart.name} has {len(found)} series; between 1 and {MOST_SERIES} can be drawn")
    return tuple(Series(name=name, points=tuple(points)) for name, points in found.items())


def _column(columns: Sequence[str], name: str) -> int:
    if list(columns).count(name) != 1:
        raise ValueError(f"a chart names the column {name!r}, which must be there once; there are {', '.join(columns)}")
    return list(columns).index(name)


def _series(value: str, by: Cell, values: int) -> str:
    if by is None:
        return value
    return str(by) if values == 1 else f"{by}: {value}"


def _place(chart: Chart, cells: Sequence[Cell]) -> str | float | None:
    if chart.kind == "bars":
        return ", ".join(f"{cell:,}" if isinstance(cell, int) else str(cell).strip("`") for cell in cells)
    figure = _figure(cells[0])
    return None if figure is None or (chart.log_x and figure <= 0) else figure


def _figure(cell: Cell) -> float | None:
    return None if cell is None or isinstance(cell, (str, bool)) else float(cell)
