"""Charts of the benchmark page: which columns of which table each one shows. `benchmarks.drawing` draws them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from benchmarks.table import Cell, Table, show


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A drawing of some columns of a table.

    Attributes:
        name: the file, `docs/reference/charts/<name>.svg`.
        table: the title of the table.
        kind: `bars` and `stacked` lie, one group or one bar a row; `lines` connect points.
        over: the columns that name a row; for `lines` one column of numbers.
        values: the columns that are drawn, a series each. Cells without a number are left out.
        by: a column whose values are series, for rows that `over` does not tell apart.
        over_label, value_label: axis labels with units.
        limit: the goal, as a line across the values.
        title: the table's own by default.
    """

    name: str
    table: str
    kind: Literal["bars", "stacked", "lines"]
    over: tuple[str, ...]
    values: tuple[str, ...]
    over_label: str
    value_label: str
    by: str | None = None
    log_over: bool = False
    log_values: bool = False
    limit: float | None = None
    title: str = ""


CHARTS = (
    Chart(
        name="write-units",
        table="Capacity units per occurrence",
        kind="stacked",
        over=("DynamoDB", "schedule"),
        values=("claim", "advance", "start", "report"),
        over_label="server, schedule",
        value_label="write units per occurrence",
        title="Write units per occurrence, by step",
    ),
    Chart(
        name="calls-by-load",
        table="Calls per occurrence, by how many are due in the same minute",
        kind="lines",
        over=("due together",),
        values=("claim and advance", "send", "receive and delete"),
        over_label="occurrences due together (logarithmic)",
        value_label="calls per occurrence",
        log_over=True,
    ),
    Chart(
        name="attempts",
        table="Write units of a run, by its number of attempts",
        kind="lines",
        over=("attempts",),
        values=("written",),
        over_label="attempts of the run",
        value_label="write units of the run",
    ),
    Chart(
        name="dispatch",
        table="Processor time and pace of dispatch",
        kind="bars",
        over=("scheduler", "with"),
        values=("Minutehand / this",),
        by="due at once",
        over_label="baseline, its server",
        value_label="Minutehand's processor time / the baseline's (below 1: Minutehand takes less)",
        title="Processor time to dispatch an occurrence: Minutehand relative to each baseline, by jobs due at once",
    ),
    Chart(
        name="growth",
        table="Time of a tick with 100 jobs due, by the number of all jobs",
        kind="lines",
        over=("jobs",),
        values=("processor ms", "elapsed ms"),
        over_label="jobs in the table (logarithmic)",
        value_label="time of a tick with 100 jobs due, ms",
        log_over=True,
    ),
    Chart(
        name="memory",
        table="Memory of a tick",
        kind="bars",
        over=("due", "schedule"),
        values=("peak MB",),
        over_label="jobs due at once, schedule",
        value_label="peak resident memory, MB",
        limit=256.0,
    ),
    Chart(
        name="imports",
        table="Import of the entrypoints",
        kind="bars",
        over=("what",),
        values=("elapsed ms", "processor ms"),
        over_label="program",
        value_label="time to import, ms",
    ),
    Chart(
        name="spans",
        table="Occurrences in a range",
        kind="bars",
        over=("schedule", "zone"),
        values=("ours: µs per occurrence", "cronsim: µs per occurrence"),
        over_label="schedule, time zone",
        value_label="processor time per occurrence, µs",
    ),
    Chart(
        name="precision",
        table="Lateness of jobs with seconds",
        kind="bars",
        over=("scheduler", "lateness at"),
        values=("p50, s", "p95, s", "p99, s"),
        over_label="scheduler, measured at",
        value_label="lateness, s",
        limit=1.2,
    ),
    Chart(
        name="worker",
        table="Processor time of the worker",
        kind="bars",
        over=("runs at a time",),
        values=("worker: µs per run", "bare: µs per run"),
        over_label="runs at a time",
        value_label="processor time per run, µs",
    ),
    Chart(
        name="capacity-ticks",
        table="Simulated: lateness by ticks, minute after minute",
        kind="lines",
        over=("due a minute",),
        values=("1 x 512 MB", "8 x 512 MB", "8 x 1,769 MB", "16 x 1,769 MB"),
        over_label="occurrences a minute (logarithmic)",
        value_label="p99 lateness at the worker, s (logarithmic)",
        log_over=True,
        log_values=True,
    ),
    Chart(
        name="capacity-workers",
        table="Simulated: lateness by workers, all due in one second",
        kind="lines",
        over=("due in one second",),
        values=("WorkerMaxConcurrency 100", "500", "1,000", "100 provisioned pollers"),
        over_label="occurrences in one second (logarithmic)",
        value_label="p99 lateness at the worker, s (logarithmic)",
        log_over=True,
        log_values=True,
    ),
)


@dataclass(frozen=True, kw_only=True)
class Series:
    """The points of one colour: a row's name (`bars`) or its number (`lines`), and the value."""

    name: str
    points: tuple[tuple[str | float, float], ...]


def series_of(chart: Chart, table: Table) -> list[Series]:
    """The data of a chart.

    Raises:
        ValueError: when the table lacks one of its columns, or has nothing to draw.
    """
    columns = {name: position for position, name in reversed(list(enumerate(table.columns)))}
    if missing := [name for name in (*chart.over, *chart.values) if name not in columns]:
        raise ValueError(f"the chart {chart.name} needs the column {missing[0]!r} of the table {table.title!r}")
    points: dict[str, list[tuple[str | float, float]]] = {}
    for row in table.rows:
        place = _place(chart, [row[columns[name]] for name in chart.over])
        for name in chart.values:
            value = row[columns[name]]
            if isinstance(value, (int, float)):
                series = name if chart.by is None else show(row[columns[chart.by]])
                points.setdefault(series, []).append((place, float(value)))
    if not points:
        raise ValueError(f"the chart {chart.name} has nothing to draw")
    return [Series(name=name, points=tuple(found)) for name, found in points.items()]


def description(chart: Chart, table: Table) -> str:
    """All values of a chart in words, which its file holds for screen readers and for the check that it is current."""
    sentences = [f"{chart.value_label}, by {chart.over_label}."]
    for series in series_of(chart, table):
        points = "; ".join(
            f"{place if isinstance(place, str) else number_text(place)}: {number_text(value)}"
            for place, value in series.points
        )
        sentences.append(f"{series.name}: {points}.")
    if chart.limit is not None:
        sentences.append(f"Goal: {number_text(chart.limit)}.")
    return " ".join(sentences)


def drawings(tables: Iterable[Table]) -> Mapping[str, tuple[Chart, Table]]:
    """The charts of the tables, by file name. A table whose question was never answered has none."""
    by_title = {table.title: table for table in tables}
    return {f"{chart.name}.svg": (chart, by_title[chart.table]) for chart in CHARTS if chart.table in by_title}


def number_text(value: float) -> str:
    """A number as tables show it, whole ones without decimals."""
    return show(int(value)) if value == int(value) else show(value)


def _place(chart: Chart, cells: Sequence[Cell]) -> str | float:
    if chart.kind == "lines" and isinstance(cells[0], (int, float)):
        return float(cells[0])
    return ", ".join(show(cell).strip("`") for cell in cells)
