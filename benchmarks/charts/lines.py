"""Lines through points, over figures; either axis may be logarithmic."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchmarks.charts import svg
from benchmarks.charts.axis import Axis, linear, logarithmic
from benchmarks.charts.chart import Chart, Series

_TALL = 260
_RIGHT = 32


def lines(chart: Chart, series: Sequence[Series], top: float, shown: Callable[[float], str]) -> tuple[list[str], float]:
    """The shapes below `top`, and where they end. `shown` writes a figure."""
    top += 12
    bottom = top + _TALL
    limit = [] if chart.limit is None else [chart.limit]
    drawn = [figure for one in series for _, figure in one.points] + limit
    places = [float(place) for one in series for place, _ in one.points]
    upward = logarithmic(drawn, start=bottom, end=top) if chart.log_y else linear(drawn, start=bottom, end=top)
    left = 48 + svg.LETTER * max(len(shown(mark)) for mark in upward.marks)
    right = float(svg.WIDTH - _RIGHT)
    along = (
        logarithmic(places, start=left, end=right)
        if chart.log_x
        else linear(places, start=left, end=right, from_zero=False)
    )
    shapes = _frame(chart, along, upward, shown)
    for number, one in enumerate(series):
        points = sorted((along.at(float(place)), upward.at(figure)) for place, figure in one.points)
        shapes.append(svg.path(points, number))
        shapes += [svg.mark(x, y, number) for x, y in points]
    if chart.limit is not None:
        y = upward.at(chart.limit)
        shapes.append(svg.line(left, y, right, y, "limit"))
        shapes.append(svg.text(right, y - 5, f"goal: {shown(chart.limit)}", anchor="end", kind="goal"))
    return shapes, bottom + 54


def _frame(chart: Chart, along: Axis, upward: Axis, shown: Callable[[float], str]) -> list[str]:
    left, right, bottom, top = along.start, along.end, upward.start, upward.end
    shapes: list[str] = []
    for mark in upward.marks:
        y = upward.at(mark)
        shapes.append(svg.line(left, y, right, y, "grid"))
        shapes.append(svg.text(left - 7, y + 4, shown(mark), anchor="end"))
    for mark in along.marks:
        x = along.at(mark)
        shapes.append(svg.line(x, bottom, x, bottom + 5, "axis"))
        shapes.append(svg.text(x, bottom + 19, shown(mark), anchor="middle"))
    return [
        *shapes,
        svg.line(left, bottom, right, bottom, "axis"),
        svg.line(left, top, left, bottom, "axis"),
        svg.text((left + right) / 2, bottom + 41, chart.x, anchor="middle"),
        svg.text(20, (top + bottom) / 2, chart.y, anchor="middle", turned=True),
    ]
