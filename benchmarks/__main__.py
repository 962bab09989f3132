"""`python -m benchmarks [QUESTION...]`: measure the answers to these questions, or to all."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from benchmarks import baselines, command_line, imports, machine, page, results, target_calls
from benchmarks.agents import question as agents
from benchmarks.bulk import question as bulk
from benchmarks.capacity import experiments, scale_page
from benchmarks.cost import features, per_occurrence
from benchmarks.dispatch import question as dispatch
from benchmarks.emulators import AbsentError
from benchmarks.end_to_end import question as end_to_end
from benchmarks.fairness import question as fairness
from benchmarks.growth import question as growth
from benchmarks.handlers import question as handlers
from benchmarks.lists import question as lists
from benchmarks.memory import question as memory
from benchmarks.precision import question as precision
from benchmarks.reading import question as reading
from benchmarks.results import Result
from benchmarks.schedules import question as schedules
from benchmarks.table import Table, not_run, render

QUESTIONS: dict[str, Callable[[], list[Table]]] = {
    "cost": per_occurrence.tables,
    "features": features.tables,
    "dispatch": dispatch.tables,
    "growth": growth.tables,
    "memory": memory.tables,
    "imports": imports.tables,
    "cli": command_line.tables,
    "handlers": handlers.tables,
    "agents": agents.tables,
    "lists": lists.tables,
    "reading": reading.tables,
    "bulk": bulk.tables,
    "schedules": schedules.tables,
    "precision": precision.tables,
    "fairness": fairness.tables,
    "target": target_calls.tables,
    "end_to_end": end_to_end.tables,
    "capacity": experiments.tables,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 when a goal is missed or a result is incomplete."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("question", nargs="*", help=f"{', '.join(QUESTIONS)}; all by default")
    parser.add_argument(
        "--keep",
        action="store_true",
        help="store the results and update the documentation; the default for all questions",
    )
    parser.add_argument(
        "--page", action="store_true", help="update the documentation from the stored results, and stop"
    )
    options = parser.parse_args(arguments)
    unknown = [name for name in options.question if name not in QUESTIONS]
    if unknown:
        parser.error(f"unknown question {unknown[0]!r}; choose from {', '.join(QUESTIONS)}")
    if options.page:
        return _document()
    description = machine.describe()
    print(f"{machine.hardware(description)}; revision {description['revision']}\n")
    keep = options.keep or not options.question
    found = [_measure(name, description, keep=keep) for name in options.question or QUESTIONS]
    if keep:
        _document()
    missed = any(table.holds is False for result in found for table in result.tables)
    return int(missed or not all(result.complete for result in found))


def _measure(question: str, description: dict[str, object], *, keep: bool) -> Result:
    began = time.monotonic()
    try:
        tables = QUESTIONS[question]()
    except Exception as error:  # noqa: BLE001 - one failed question does not stop the others
        tables = [not_run(f"The question `{question}`", f"{type(error).__name__}: {error}")]
    print(f"{question}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    print("\n".join(render(table) for table in tables), flush=True)
    day = f"{datetime.now(UTC):%Y-%m-%d}"
    result = Result(question=question, measured_on=day, machine=description, tables=tuple(tables))
    if keep and result.complete:
        results.store(result)
    elif keep:
        print(f"{question}: not stored, because it is incomplete", file=sys.stderr)
    return result


def _document() -> int:
    """Write the page of results, the generated parts of the capacity page, and the charts."""
    latest = results.latest(QUESTIONS)
    page.PAGE.write_text(page.text(latest, before=page.PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    scale_page.write(table for result in latest for table in result.tables)
    try:
        subprocess.run([baselines.python(), "-m", "benchmarks.drawing"], cwd=baselines.ROOT, check=True)  # noqa: S603 - our module
    except AbsentError as absent:
        print(f"error: the charts were not drawn: {absent}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
