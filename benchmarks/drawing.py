"""`python -m benchmarks.drawing`: draws `docs/reference/charts/*.svg` from the stored results.

It needs matplotlib, which is installed in `.venv-bench` only, and so imports nothing of Minutehand.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from benchmarks import results
from benchmarks.charts import Chart, Series, description, drawings, number_text, series_of
from benchmarks.table import Table

FOLDER = Path(__file__).parents[1] / "docs" / "reference" / "charts"
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#a3498b", "#8a6d00", "#5b5b5b")
_HATCHES = ("", "////", "\\\\\\\\", "xxxx", "||||", "----")
_MARKERS = "os^Dvp"
_DASHES = ("-", "--", ":", "-.", (0, (6, 1)), (0, (3, 1)))
"""Hatches, markers and dashes tell series apart without colour."""
_WIDTH, _LINES_HEIGHT, _BAR_HEIGHT, _FRAME_HEIGHT = 8.0, 4.4, 0.24, 1.5
"""Inches."""
_STYLE = {
    "svg.hashsalt": "minutehand",  # makes the ids of SVG elements, and so the whole file, reproducible
    "svg.fonttype": "none",
    "font.family": ["DejaVu Sans", "sans-serif"],
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "hatch.linewidth": 0.5,
}
_GOAL = {"color": "#b00020", "linestyle": "--", "linewidth": 1.2}
_GOAL_TEXT = {"color": "#b00020", "ha": "center", "va": "bottom", "fontsize": 8}


def main() -> int:
    """Draw all charts, and remove files of charts that no longer exist."""
    questions = sorted(folder.name for folder in results.RESULTS.iterdir())
    found = drawings(table for result in results.latest(questions) for table in result.tables)
    FOLDER.mkdir(exist_ok=True)
    for file in FOLDER.glob("*.svg"):
        if file.name not in found:
            file.unlink()
    for name, (chart, table) in found.items():
        _draw(chart, table, FOLDER / name)
    return 0


def _draw(chart: Chart, table: Table, file: Path) -> None:
    series = series_of(chart, table)
    with mpl.rc_context(_STYLE):
        height = _LINES_HEIGHT if chart.kind == "lines" else _FRAME_HEIGHT + _BAR_HEIGHT * _slots(chart, series)
        figure = Figure(figsize=(_WIDTH, height), layout="constrained", facecolor="white")
        axes: Any = figure.subplots()
        {"bars": _bars, "stacked": _stacked, "lines": _lines}[chart.kind](axes, chart, series)
        title = chart.title or table.title
        figure.suptitle(textwrap.fill(title, 88), x=0.01, ha="left", fontsize=11, fontweight="bold")
        if len(series) > 1:
            figure.legend(loc="outside lower center", title=chart.by, ncols=min(len(series), 4), frameon=False)
        metadata = {"Title": title, "Description": description(chart, table), "Date": None, "Creator": None}
        figure.savefig(file, format="svg", metadata=metadata)
    # matplotlib ends some lines with a space, which editors and git complain of.
    text = "\n".join(line.rstrip() for line in file.read_text(encoding="utf-8").splitlines())
    file.write_text(f"{text}\n", encoding="utf-8")


def _bars(axes: Any, chart: Chart, series: Sequence[Series]) -> None:
    """Groups of horizontal bars; a group is a row, or the rows that `by` joins."""
    places = _names(series)
    thickness = 0.84 / len(series)
    for number, one in enumerate(series):
        offset = (number - (len(series) - 1) / 2) * thickness
        drawn = axes.barh(
            [places.index(str(place)) + offset for place, _ in one.points],
            [value for _, value in one.points],
            height=thickness,
            label=one.name,
            **_fill(number),
        )
        axes.bar_label(drawn, [number_text(value) for _, value in one.points], padding=3, fontsize=8)
    _bar_axes(axes, chart, places)


def _stacked(axes: Any, chart: Chart, series: Sequence[Series]) -> None:
    """One bar a row, its series end to end, with the sum after it."""
    places = _names(series)
    ends = {place: [0.0, *accumulate(dict(one.points).get(place, 0.0) for one in series)] for place in places}
    for number, one in enumerate(series):
        starts = [ends[place][number] for place in places]
        widths = [ends[place][number + 1] - ends[place][number] for place in places]
        drawn = axes.barh(range(len(places)), widths, left=starts, height=0.7, label=one.name, **_fill(number))
        if number == len(series) - 1:
            axes.bar_label(drawn, [number_text(ends[place][-1]) for place in places], padding=3, fontsize=8)
    _bar_axes(axes, chart, places)


def _bar_axes(axes: Any, chart: Chart, places: Sequence[str]) -> None:
    axes.set_yticks(range(len(places)), places)
    axes.invert_yaxis()
    axes.set_ylabel(chart.over_label)
    axes.set_xlabel(chart.value_label)
    axes.margins(x=0.1)
    axes.xaxis.set_major_formatter(_tick)
    axes.grid(axis="x", color="#d8dee4")
    if chart.limit is not None:
        axes.axvline(chart.limit, **_GOAL)
        axes.annotate(
            f"goal: {number_text(chart.limit)}", (chart.limit, 1), xycoords=("data", "axes fraction"), **_GOAL_TEXT
        )


def _lines(axes: Any, chart: Chart, series: Sequence[Series]) -> None:
    for number, one in enumerate(series):
        axes.plot(
            *zip(*sorted(one.points), strict=True),
            color=_COLOURS[number],
            linestyle=_DASHES[number],
            marker=_MARKERS[number],
            label=one.name,
        )
    if chart.log_over:
        axes.set_xscale("log")
    else:
        axes.set_xticks([float(place) for place, _ in series[0].points])
    if chart.log_values:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(_tick)
        axis.set_minor_formatter(lambda *_: "")
    axes.set_xlabel(chart.over_label)
    axes.set_ylabel(chart.value_label)
    axes.grid(color="#d8dee4")


def _tick(value: float, _: int) -> str:
    return f"{value:,.10g}"


def _fill(number: int) -> dict[str, Any]:
    return {"color": _COLOURS[number], "hatch": _HATCHES[number], "edgecolor": "white", "linewidth": 0.5}


def _names(series: Sequence[Series]) -> list[str]:
    return list(dict.fromkeys(str(place) for one in series for place, _ in one.points))


def _slots(chart: Chart, series: Sequence[Series]) -> float:
    """How many bars lie above one another."""
    return len(_names(series)) * (1.3 if chart.kind == "stacked" else len(series) + 0.4)


if __name__ == "__main__":
    sys.exit(main())
