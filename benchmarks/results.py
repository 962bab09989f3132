"""Results store: one JSON file for each question and day, `benchmarks/results/<question>/<day>.json`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.table import Table

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True, kw_only=True)
class Result:
    """The measured answer to a question.

    Attributes:
        measured_on: the UTC day, as `2026-11-20`.
        machine: see `machine.describe`.
    """

    question: str
    measured_on: str
    machine: Mapping[str, Any]
    tables: tuple[Table, ...]

    @property
    def complete(self) -> bool:
        """Whether every table is. An incomplete result is printed but never replaces a stored one."""
        return bool(self.tables) and all(table.complete for table in self.tables)


def store(result: Result, *, results: Path = RESULTS) -> Path:
    """Write a result; it replaces an earlier one of the same day and question."""
    file = results / result.question / f"{result.measured_on}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    tables = [{key: value for key, value in asdict(table).items() if value is not None} for table in result.tables]
    fields = {"measured_on": result.measured_on, "machine": dict(result.machine), "tables": tables}
    file.write_text(json.dumps(fields, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return file


def latest(questions: Iterable[str], *, results: Path = RESULTS) -> list[Result]:
    """The latest result of each question that has one, in the order given."""
    newest = ((question, max((results / question).glob("*.json"), default=None)) for question in questions)
    return [read(question, file) for question, file in newest if file is not None]


def read(question: str, file: Path) -> Result:
    """A stored result."""
    fields = json.loads(file.read_text(encoding="utf-8"))
    return Result(
        question=question,
        measured_on=fields["measured_on"],
        machine=fields["machine"],
        tables=tuple(_table(table) for table in fields["tables"]),
    )


def _table(fields: Mapping[str, Any]) -> Table:
    return Table(
        title=fields["title"],
        columns=tuple(fields["columns"]),
        rows=tuple(tuple(row) for row in fields["rows"]),
        goal=fields["goal"],
        holds=fields.get("holds"),
        notes=tuple(fields["notes"]),
    )
