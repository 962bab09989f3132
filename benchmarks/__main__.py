"""`python -m benchmarks [QUESTION...]`: answer the questions named, or all of them."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime

from benchmarks import cost, features, imports, kept, machine, page, schedules, stack
from benchmarks.capacity import paper
from benchmarks.capacity import question as capacity
from benchmarks.dispatch import question as dispatch
from benchmarks.end_to_end import question as end_to_end
from benchmarks.growth import question as growth
from benchmarks.memory import question as memory
from benchmarks.metered import LOCAL, MINISTACK, Scenes
from benchmarks.precision import question as precision
from benchmarks.table import Table, not_run, render, told_not_run


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
            yield Scenes(url, {MINISTACK: url}), (told_not_run(f"{absent}"),)
        else:
            yield Scenes(url, {MINISTACK: url, LOCAL: local}), ()


QUESTIONS: dict[str, Callable[[], list[Table]]] = {
    "cost": _cost,
    "features": _features,
    "dispatch": dispatch.tables,
    "growth": growth.tables,
    "memory": memory.tables,
    "imports": imports.tables,
    "schedules": schedules.tables,
    "precision": precision.tables,
    "end_to_end": end_to_end.tables,
    "capacity": capacity.tables,
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
    """Measure and print. 1 when a goal does not hold or a question has no whole answer."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("question", nargs="*", help=f"any of {', '.join(QUESTIONS)}; all of them when none is named")
    parser.add_argument(
        "--keep", action="store_true", help="keep the answers and show them in the documentation, as when all are asked"
    )
    parser.add_argument("--page", action="store_true", help="make the page anew from what is kept, and measure nothing")
    asked = parser.parse_args(arguments)
    unknown = [name for name in asked.question if name not in QUESTIONS]
    if unknown:
        parser.error(f"there is no question {unknown[0]!r}; ask {', '.join(QUESTIONS)}")
    if asked.page:
        _write()
        return 0
    on = machine.describe()
    print(f"{page.told(on)}; revision {on['revision']}\n")
    answers = [_asked(name, on, keep=asked.keep or not asked.question) for name in asked.question or QUESTIONS]
    failed = any(table.holds is False for answer in answers for table in answer.tables)
    return int(failed or not all(answer.whole for answer in answers))


def _asked(name: str, on: dict[str, object], *, keep: bool) -> kept.Answer:
    """An answer, printed; when it is to be kept, it takes the place of the one before to the same question, and of nothing else."""
    tables = _answer(name)
    print("\n".join(render(table) for table in tables), flush=True)
    answer = kept.Answer(question=name, measured_on=f"{datetime.now(UTC):%Y-%m-%d}", machine=on, tables=tuple(tables))
    if keep and answer.whole:
        kept.keep(answer)
        _write()
    elif keep:
        print(f"{name}: not kept, since something could not be measured", file=sys.stderr)
    return answer


def _write() -> None:
    """The page of figures, its pictures and the capacity paper, from what is kept."""
    answers = kept.latest(QUESTIONS)
    page.write(answers)
    paper.write(table for answer in answers for table in answer.tables)


if __name__ == "__main__":
    sys.exit(main())
