"""Result tables: the numbers, the goal and its verdict, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

_NOT_RUN = "Not run: "

Cell = str | float | bool | None
"""None where there is no value."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """A part of the answer to a question.

    Attributes:
        goal: the target; empty when the numbers are informative only.
        holds: whether the goal is met; None without a goal, or when it could not be measured.
        notes: how it was measured, and what is missing and why.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    goal: str = ""
    holds: bool | None = None
    notes: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether it has numbers, a verdict on its goal, and no missing part."""
        judged = not self.goal or self.holds is not None
        return bool(self.rows) and judged and not any(note.startswith(_NOT_RUN) for note in self.notes)


def missing(reason: str) -> str:
    """The note that makes a table incomplete."""
    return f"{_NOT_RUN}{reason}."


def not_run(title: str, reason: str) -> Table:
    """A table without numbers, for a question that failed."""
    return Table(title=title, columns=(), rows=(), notes=(missing(reason),))


def ratio(measured: Sequence[float], reference: Sequence[float]) -> float:
    """The ratio of two medians.

    Raises:
        ValueError: when either is empty, or the reference is not above zero.
    """
    if not measured or not reference:
        raise ValueError("a ratio needs at least one measurement on each side")
    below = median(reference)
    if below <= 0:
        raise ValueError(f"the reference's median is {below}; it must be above 0")
    return median(measured) / below


def within(value: float, most: float) -> bool:
    """Whether a value is at most its limit, rounding errors of floats aside."""
    return value <= most + 1e-9


def show(cell: Cell) -> str:
    """A cell as text: numbers with at most three significant digits, whole parts in full."""
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
    """A table in Markdown: title, goal, picture, aligned columns, notes."""
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
    numeric = [_is_numeric(row[column] for row in table.rows) for column in range(len(table.columns))]
    lines = [
        " | ".join(
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(row, widths, numeric, strict=True)
        )
        for row in texts
    ]
    rule = " | ".join(
        f"{'-' * (width - 1)}:" if right else "-" * width for width, right in zip(widths, numeric, strict=True)
    )
    return [f"| {line} |" for line in (lines[0], rule, *lines[1:])]


def _is_numeric(cells: Iterable[Cell]) -> bool:
    """Whether a column holds numbers and gaps only; it is then aligned to the right."""
    known = [cell for cell in cells if cell is not None]
    return bool(known) and all(isinstance(cell, (int, float)) and not isinstance(cell, bool) for cell in known)
