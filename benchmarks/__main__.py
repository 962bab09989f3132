"""`python -m benchmarks [cost] [features] [tick] [imports] [schedules]`: answer the questions named, or all of them."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import cost, features, imports, machine, schedules, stack, tick
from benchmarks.metered import LOCAL, MINISTACK, Scenes
from benchmarks.table import Table, not_run, render

RESULTS = Path(__file__).parent / "results"
"""One file for each day, replaced by the day's last complete run."""
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
HEADING = "## The tables of the last run\n"
"""What follows it in the page is replaced by each complete run."""


def _cost() -> list[Table]:
    with _scenes() as (scenes, absent):
        return cost.Costs(scenes, absent).tables()


def _features() -> list[Table]:
    with _scenes() as (scenes, absent):
        return [*features.tables(scenes, absent), cost.scans("Operations that features called", scenes)]


@contextmanager
def _scenes() -> Iterator[tuple[Scenes, Sequence[str]]]:
    """Scenes on every server there is, and notes that say which one is missing."""
    with stack.ministack() as url, ExitStack() as servers:
        try:
            local = servers.enter_context(stack.dynamodb_local())
        except stack.AbsentError as absent:
            yield Scenes(url, {MINISTACK: url}), (f"Not run: {absent}.",)
        else:
            yield Scenes(url, {MINISTACK: url, LOCAL: local}), ()


def _tick() -> list[Table]:
    with stack.ministack() as url:
        return [tick.table(url)]


QUESTIONS: dict[str, Callable[[], list[Table]]] = {
    "cost": _cost,
    "features": _features,
    "tick": _tick,
    "imports": imports.tables,
    "schedules": schedules.tables,
}


def _answer(name: str) -> list[Table]:
    began = time.monotonic()
    try:
        answers = QUESTIONS[name]()
    except Exception as trouble:  # noqa: BLE001 - whatever keeps one question from its answer is told, and the next is asked
        answers = [not_run(f"The question `{name}`", f"{type(trouble).__name__}: {trouble}")]
    print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    return answers


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; a run that answers every question is kept, and shown in the documentation. 1 when a goal does not hold or a question has no answer."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("question", nargs="*", help=f"any of {', '.join(QUESTIONS)}; all of them when none is named")
    named = parser.parse_args(arguments).question
    unknown = [name for name in named if name not in QUESTIONS]
    if unknown:
        parser.error(f"there is no question {unknown[0]!r}; ask {', '.join(QUESTIONS)}")
    on = machine.describe()
    print(f"{_told(on)}\n")
    tables: list[Table] = []
    for name in named or QUESTIONS:
        answers = _answer(name)
        tables += answers
        print("\n".join(render(table) for table in answers), flush=True)
    answered = all(table.rows for table in tables)
    if not named and answered:
        _keep(on, tables)
    return int(not answered or any(table.holds is False for table in tables))


def _keep(on: dict[str, object], tables: Sequence[Table]) -> None:
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    RESULTS.mkdir(exist_ok=True)
    kept = {"measured_on": today, "machine": on, "tables": [asdict(table) for table in tables]}
    (RESULTS / f"{today}.json").write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8").partition(HEADING)[0]
    shown = "\n".join(render(table) for table in tables)
    PAGE.write_text(f"{page}{HEADING}\n{today}, on {_told(on)}.\n\n{shown}", encoding="utf-8")


def _told(on: dict[str, object]) -> str:
    libraries = on["libraries"]
    versions = libraries.items() if isinstance(libraries, dict) else ()
    return (
        f"{on['processor']}, {on['cores']} cores, {on['memory_gib']} GiB, {on['system']}, {on['python']}; "
        + ", ".join(f"{name} {version}" for name, version in versions)
        + f"; revision {on['revision']}"
    )


if __name__ == "__main__":
    sys.exit(main())
