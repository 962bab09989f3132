"""The tables of docs/how-to/moving-in.md, from the importers' rules. `python -m tests.unit.tools.importers.guide` writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from minutehand.tools.importers.rules import Outcome, Rule
from minutehand.tools.importers.running import System
from minutehand.tools.importers.systems import SYSTEMS

PAGE = Path(__file__).parents[4] / "docs" / "how-to" / "moving-in.md"
_TABLE = r"<!-- generated: import {} -->\n.*?<!-- end of generated -->"


def table(system: System) -> str:
    """What becomes of each field of a system; fields of one fate share a row."""
    return "\n".join(
        [
            f"<!-- generated: import {system.name} -->",
            "| in the export | | in the job | |",
            "| --- | --- | --- | --- |",
            *_rows(system),
            "<!-- end of generated -->",
        ]
    )


def with_tables(page: str) -> str:
    """The page with all tables as they are now."""
    for system in SYSTEMS.values():
        text = table(system)
        page = re.sub(_TABLE.format(system.name), lambda _, text=text: text, page, flags=re.DOTALL)  # type: ignore[misc]
    return page


def _rows(system: System) -> Iterator[str]:
    order = list(Outcome)
    ordered = sorted(system.rules.all, key=lambda rule: order.index(rule.outcome))
    for (outcome, into, reason), rules in groupby(
        ordered, key=lambda rule: (rule.outcome, rule.into, rule.whole_reason)
    ):
        fields = ", ".join(map(_field, rules))
        yield f"| {fields} | {outcome} | {_code(into)} | {reason} |"


def _field(rule: Rule) -> str:
    return f"`{rule.field}`{f' ({rule.case})' if rule.case else ''}"


def _code(into: str) -> str:
    return f"`{into}`" if into else ""


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
