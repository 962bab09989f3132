"""A table that answers one question: what was measured, the goal, and whether it holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.charts.chart import Chart

_NOT_RUN = "Not run: "

Cell = str | float | bool | None
"""What stands in a table; None where there is nothing to say."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """The answer to a question.

    Attributes:
        goal: what is promised; empty when the figures are for information alone.
        holds: whether the goal does; None without a goal, or when it could not be measured.
        notes: what a reader must know: how it was measured, and what could not be and why.
        chart: what of it is drawn in the documentation, if anything.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    goal: str = ""
    holds: bool | None = None
    notes: tuple[str, ...] = ()
    chart: Chart | None = None

    @property
    def whole(self) -> bool:
        """Whether it has figures, whether its goal could be measured if it has one, and whether nothing is missing from it."""
        measured = not self.goal or self.holds is not None
        return bool(self.rows) and measured and not any(note.startswith(_NOT_RUN) for note in self.notes)


def told_not_run(reason: str) -> str:
    """The note of a table that something is missing from."""
    return f"{_NOT_RUN}{reason}."


def not_run(title: str, reason: str) -> Table:
    """What stands for a question that could not be answered."""
    return Table(title=title, columns=(), rows=(), notes=(told_not_run(reason),))


def ratio(measured: Sequence[float], reference: Sequence[float]) -> float:
    """The median of what was measured over the median of what it is compared with.

    Raises:
        ValueError: when either is empty, or the reference took no time at all.
    """
    if not measured or not reference:
        raise ValueError("a ratio needs at least one measurement on each side")
    below = median(reference)
    if below <= 0:
        raise ValueError(f"the reference's median is {below}; nothing can be a multiple of it")
    return median(measured) / below


def within(value: float, most: float) -> bool:
    """Whether a figure keeps its goal; the last bits of a sum of floats do not count."""
    return value <= most + 1e-9


def show(cell: Cell) -> str:
    """A cell as text: figures with three digits that matter, or fewer."""
    match cell:
        case None:
            return "-"
        case bool():
            return "yes" if cell else "no"
        case int():
            return f"{cell:,}"
        case float():
            size = abs(cell)
            digits = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 0.1 or size == 0 else 3
            return f"{cell:,.{digits}f}"
        case str():
            return cell


def render(table: Table, *, picture: str = "") -> str:
    """The table in Markdown, its columns aligned, under its title, its goal and the picture of it, if there is one."""
    lines = [f"### {table.title}", ""]
    if table.goal:
        verdict = {True: "holds", False: "**does not hold**", None: "could not be measured"}[table.holds]
        lines += [f"Goal: {table.goal} — {verdict}.", ""]
    if picture:
        lines += [picture, ""]
    if table.rows:
        lines += [*_grid(table), ""]
    lines += [f"- {note}" for note in table.notes]
    return "\n".join(lines).rstrip() + "\n"


def _grid(table: Table) -> list[str]:
    texts = [table.columns, *(tuple(show(cell) for cell in row) for row in table.rows)]
    widths = [max(3, *(len(text[column]) for text in texts)) for column in range(len(table.columns))]
    figures = [_is_figures(row[column] for row in table.rows) for column in range(len(table.columns))]
    aligned = [
        "| "
        + " | ".join(
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(row, widths, figures, strict=True)
        )
        + " |"
        for row in texts
    ]
    rule = [f"{'-' * (width - 1)}:" if right else "-" * width for width, right in zip(widths, figures, strict=True)]
    return [aligned[0], f"| {' | '.join(rule)} |", *aligned[1:]]


def _is_figures(cells: Iterable[Cell]) -> bool:
    """Whether a column is aligned to the right: it holds figures and nothing else but gaps."""
    known = [cell for cell in cells if cell is not None]
    return bool(known) and all(isinstance(cell, (int, float)) and not isinstance(cell, bool) for cell in known)
