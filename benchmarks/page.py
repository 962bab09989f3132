"""The page of results, `docs/reference/benchmarks.md`: its prose is written by hand, its tables from the stored results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks import machine
from benchmarks.capacity import scale_page
from benchmarks.charts import drawings
from benchmarks.results import Result
from benchmarks.table import Table, render

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "benchmarks.md"
HEADING = "## The tables\n"
"""Everything after it is generated."""
_MEAN = "geometric mean"
VERDICTS = frozenset(
    (
        "Operations called by these measurements",
        "Operations called by features",
        "What each feature costs",
        "What a change of a job costs",
        "Write units that runs record, and that are counted",
        "What the entrypoints import beyond the baseline",
        "Occurrences in a range",
        "Compiling a schedule",
        "Refusing invalid texts",
    )
)
"""Tables of interest only while changing what they measure. The page shows their goals and notes, not their rows."""


def text(results: Sequence[Result], *, before: str) -> str:
    """The page with new tables under the prose of `before`.

    Raises:
        ValueError: when it lacks the heading.
    """
    prose, heading, _ = before.partition(HEADING)
    if not heading:
        raise ValueError(f"the page has no line {HEADING.strip()!r}, which its tables follow")
    usual = max((result.machine for result in results), key=lambda found: len(found["libraries"]), default=None)
    parts = [f"{prose}{heading}"]
    if usual:
        libraries = ", ".join(f"{name} {version}" for name, version in usual["libraries"].items())
        parts.append(
            f"Measured on {machine.hardware(usual)}, unless a question names another machine or other releases.\n"
        )
        parts.append(f"Releases: {libraries}.\n")
    pictures = {chart.table: (name, chart.title or table.title) for name, (chart, table) in _charts(results).items()}
    for result in results:
        parts.append(f"## `{result.question}`\n\n{_measured(result, usual or {})}\n")
        parts += [
            render(_shown(table, result), picture=_picture(table, pictures))
            for table in result.tables
            if not scale_page.simulated([table])
        ]
    return "\n".join(parts)


def _shown(table: Table, result: Result) -> Table:
    """The table; without rows that few would read."""
    file = f"`benchmarks/results/{result.question}/{result.measured_on}.json`"
    if table.title in VERDICTS:
        return replace(table, rows=(), notes=(f"The {len(table.rows)} rows are in {file}.", *table.notes))
    return _of_one_zone(table, file) if "zone" in table.columns else table


def _of_one_zone(table: Table, file: str) -> Table:
    """The table without the rows and notes of schedules in UTC; means of several zones stay."""
    at = table.columns.index("zone")
    rows = [row for row in table.rows if row[at] != "UTC" or row[0] == _MEAN]
    return replace(
        table,
        columns=(*table.columns[:at], *table.columns[at + 1 :]),
        rows=tuple((f"{_MEAN}, {row[at]}" if row[0] == _MEAN else row[0], *row[1:at], *row[at + 1 :]) for row in rows),
        notes=(
            *(note for note in table.notes if " in UTC: " not in note),
            f"Schedules are in {rows[0][at]}; those in UTC are in {file}.",
        ),
    )


def _charts(results: Sequence[Result]) -> Mapping[str, Any]:
    return drawings(table for result in results for table in result.tables)


def _measured(result: Result, usual: Mapping[str, Any]) -> str:
    """The day and revision of a result, and how its machine differs from the usual one."""
    found = result.machine
    other = "" if machine.hardware(found) == machine.hardware(usual) else f" on {machine.hardware(found)}"
    changed = [
        f"{name} {release}" for name, release in found["libraries"].items() if usual["libraries"].get(name) != release
    ]
    releases = f", with {', '.join(changed)}" if changed else ""
    return f"Measured on {result.measured_on}{other} at revision {found['revision']}{releases}."


def _picture(table: Table, pictures: Mapping[str, tuple[str, str]]) -> str:
    if table.title not in pictures:
        return ""
    name, title = pictures[table.title]
    where = "stored result" if table.title in VERDICTS else "table"
    return f"![{title}: the {where} has the numbers](charts/{name})"
