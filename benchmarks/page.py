"""The documentation's page of figures, and its charts, made of the answers that are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.charts.draw import draw
from benchmarks.kept import Answer
from benchmarks.table import Table, render

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
CHARTS = "charts"
"""The folder of pictures beside the page."""
HEADING = "## The tables\n"
"""What follows it in the page is made anew each time."""


def write(answers: Sequence[Answer], *, page: Path = PAGE) -> None:
    """Make the page and its pictures anew; pictures of what is drawn no longer are removed."""
    made, drawn = text(answers, before=page.read_text(encoding="utf-8")), charts(answers)
    folder = page.parent / CHARTS
    folder.mkdir(exist_ok=True)
    for stale in folder.glob("*.svg"):
        if stale.name not in drawn:
            stale.unlink()
    for name, picture in drawn.items():
        (folder / name).write_text(picture, encoding="utf-8")
    page.write_text(made, encoding="utf-8")


def text(answers: Sequence[Answer], *, before: str) -> str:
    """The page as it should be; `before` is as it is, of which all is kept that stands before the heading.

    Raises:
        ValueError: when the page has no such heading.
    """
    prose, heading, _ = before.partition(HEADING)
    if not heading:
        raise ValueError(f"the page has no line {HEADING.strip()!r}, after which its tables would stand")
    common = answers[0].machine if answers else {}
    parts = [f"{prose}{heading}"]
    if common:
        parts.append(f"On {told(common)}, unless a question says otherwise.\n")
    for answer in answers:
        parts.append(f"## `{answer.question}`\n\n{_measured(answer, common)}\n")
        parts += [render(table, picture=_shown(table)) for table in answer.tables]
    return "\n".join(parts)


def charts(answers: Sequence[Answer]) -> dict[str, str]:
    """The pictures by the names of their files.

    Raises:
        ValueError: when two have the same name.
    """
    pictures: dict[str, str] = {}
    for table in (table for answer in answers for table in answer.tables):
        if table.chart is not None:
            name = f"{table.chart.name}.svg"
            if name in pictures:
                raise ValueError(f"two charts have the name {table.chart.name}; give each its own")
            pictures[name] = draw(table, table.chart)
    return pictures


def told(machine: Mapping[str, Any]) -> str:
    """A machine and what was installed on it, in one line."""
    libraries = ", ".join(f"{name} {version}" for name, version in machine["libraries"].items())
    return f"{machine['processor']}, {machine['cores']} cores, {machine['memory_gib']} GiB, {machine['system']}, {machine['python']}; {libraries}"


def _measured(answer: Answer, common: Mapping[str, Any]) -> str:
    elsewhere = "" if told(answer.machine) == told(common) else f" on {told(answer.machine)}"
    return f"Measured on {answer.measured_on}{elsewhere}, at revision {answer.machine['revision']}."


def _shown(table: Table) -> str:
    if table.chart is None:
        return ""
    title = (table.chart.title or table.title).replace("[", "(").replace("]", ")")
    return f"![{title}: the figures are in the table]({CHARTS}/{table.chart.name}.svg)"
