"""Answers as they are kept: one file of JSON for each question and day, in `benchmarks/results/<question>/`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.charts.chart import Chart
from benchmarks.table import Table

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What was measured of one question, once.

    Attributes:
        measured_on: the day, in UTC, as `2026-11-20`.
        machine: see `machine.describe`.
    """

    question: str
    measured_on: str
    machine: Mapping[str, Any]
    tables: tuple[Table, ...]

    @property
    def whole(self) -> bool:
        """Whether each table is: what lacks something is told, and does not take the place of what does not."""
        return bool(self.tables) and all(table.whole for table in self.tables)


def keep(answer: Answer, *, results: Path = RESULTS) -> Path:
    """Write an answer down, in the place of that day's earlier one."""
    file = results / answer.question / f"{answer.measured_on}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    tables = [{key: value for key, value in asdict(table).items() if value is not None} for table in answer.tables]
    told = {"measured_on": answer.measured_on, "machine": dict(answer.machine), "tables": tables}
    file.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return file


def latest(questions: Iterable[str], *, results: Path = RESULTS) -> Sequence[Answer]:
    """The last answer to each question that has ever been answered, in the order of the questions."""
    newest = ((question, max((results / question).glob("*.json"), default=None)) for question in questions)
    return [_read(question, file) for question, file in newest if file is not None]


def _read(question: str, file: Path) -> Answer:
    told = json.loads(file.read_text(encoding="utf-8"))
    return Answer(
        question=question,
        measured_on=told["measured_on"],
        machine=told["machine"],
        tables=tuple(_table(table) for table in told["tables"]),
    )


def _table(told: dict[str, Any]) -> Table:
    chart = told.pop("chart", None)
    return Table(
        title=told["title"],
        columns=tuple(told["columns"]),
        rows=tuple(tuple(row) for row in told["rows"]),
        goal=told["goal"],
        holds=told.get("holds"),
        notes=tuple(told["notes"]),
        chart=None if chart is None else Chart(**{key: _frozen(value) for key, value in chart.items()}),
    )


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
