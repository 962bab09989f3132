"""Bars that lie, so that what they stand for can be written beside them; grouped by row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import wrap

from benchmarks.charts import svg
from benchmarks.charts.axis import Axis, linear
from benchmarks.charts.chart import Chart, Series

_THICK = 15
_BETWEEN = 11
_LETTERS = 34
"""In a line of what stands beside a bar."""
_FOR_FIGURES = 70
_HEADING = 22
"""Above the bars: what their names are, and below that the goal, which may be anywhere along the axis."""


def bars(chart: Chart, series: Sequence[Series], top: float, shown: Callable[[float], str]) -> tuple[list[str], float]:
    """The shapes below `top`, and where they end. `shown` writes a figure."""
    labels = list(dict.fromkeys(str(place) for one in series for place, _ in one.points))
    lines = {label: wrap(label, _LETTERS) or [""] for label in labels}
    left = 28 + svg.LETTER * max(len(words) for wrapped in lines.values() for words in wrapped)
    figures = [figure for one in series for _, figure in one.points]
    limit = [] if chart.limit is None else [chart.limit]
    axis = linear([*figures, *limit], start=left, end=svg.WIDTH - _FOR_FIGURES)
    top += _HEADING + (0 if chart.limit is None else svg.LINE)
    shapes: list[str] = []
    y = top
    for label in labels:
        tall = max(len(series) * _THICK, len(lines[label]) * svg.LINE)
        first = y + tall / 2 - (len(lines[label]) - 1) * svg.LINE / 2 + 4
        shapes += [
            svg.text(left - 8, first + n * svg.LINE, words, anchor="end") for n, words in enumerate(lines[label])
        ]
        inset = (tall - len(series) * _THICK) / 2
        for number, one in enumerate(series):
            figure = dict(one.points).get(label)
            if figure is not None:
                at = y + inset + number * _THICK
                shapes.append(svg.bar(left, at + 1, max(axis.at(figure) - left, 1), _THICK - 2, number))
                shapes.append(svg.text(axis.at(figure) + 5, at + 11.5, shown(figure)))
        y += tall + _BETWEEN
    return [*_frame(chart, axis, top, y, shown), *shapes, *_goal(chart, axis, top, y, shown)], y + 54


def _frame(chart: Chart, axis: Axis, top: float, bottom: float, shown: Callable[[float], str]) -> list[str]:
    shapes = [svg.line(axis.at(mark), top - 4, axis.at(mark), bottom, "grid") for mark in axis.marks]
    shapes += [svg.text(axis.at(mark), bottom + 16, shown(mark), anchor="middle") for mark in axis.marks]
    return [
        *shapes,
        svg.line(axis.start, top - 4, axis.start, bottom, "axis"),
        svg.text((axis.start + axis.end) / 2, bottom + 38, chart.y, anchor="middle"),
        svg.text(20, top - 9 - (0 if chart.limit is None else svg.LINE), chart.x, kind="of"),
    ]


def _goal(chart: Chart, axis: Axis, top: float, bottom: float, shown: Callable[[float], str]) -> list[str]:
    if chart.limit is None:
        return []
    x = axis.at(chart.limit)
    return [
        svg.line(x, top - 4, x, bottom, "limit"),
        svg.text(x, top - 9, f"goal: {shown(chart.limit)}", anchor="middle", kind="goal"),
    ]
