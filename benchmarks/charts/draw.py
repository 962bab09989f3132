"""From a table to a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchmarks.charts import svg
from benchmarks.charts.bars import bars
from benchmarks.charts.chart import Chart, Series, read
from benchmarks.charts.lines import lines
from benchmarks.table import show

if TYPE_CHECKING:
    from benchmarks.table import Table


def draw(table: Table, chart: Chart) -> str:
    """The chart of a table, as the text of an SVG file.

    Raises:
        ValueError: when the chart names what the table has not got.
    """
    series = read(chart, table.columns, table.rows)
    shapes, below = svg.legend([one.name for one in series], 52, lines=chart.kind == "lines")
    body, height = (bars if chart.kind == "bars" else lines)(chart, series, below, _shown)
    title = chart.title or table.title
    return svg.picture(title, _told(chart, series), height, [*shapes, *body])


def _shown(figure: float) -> str:
    """As in tables, without noughts that say nothing."""
    if figure == int(figure) and abs(figure) < 1e15:
        return show(int(figure))
    return show(figure)


def _told(chart: Chart, series: Sequence[Series]) -> str:
    """All that is drawn, in words."""
    kind = "Bars" if chart.kind == "bars" else "Lines"
    said = [f"{kind}: {chart.y}, by {chart.x}."]
    for one in series:
        points = "; ".join(
            f"{place if isinstance(place, str) else _shown(place)}: {_shown(figure)}" for place, figure in one.points
        )
        said.append(f"{one.name} - {points}.")
    if chart.limit is not None:
        said.append(f"The goal is {_shown(chart.limit)}.")
    return " ".join(said)
