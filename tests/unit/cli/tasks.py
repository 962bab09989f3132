"""The tasks of docs/cli.md, and what they take to type: `python -m tests.unit.cli.tasks` writes the page's table."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).parents[3] / "docs" / "cli.md"
OURS = "minutehand"
TOOLS = (OURS, "kubectl", "gh", "dkron")
_TASK = re.compile(r"^## (.+?)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_TYPED = re.compile(r"^(\w+)(?:,[^\n]*)?:\n\n```sh\n(.+?)\n```$", re.MULTILINE | re.DOTALL)
_TABLE = re.compile(r"(?<=<!-- generated: tasks -->\n).*?(?=<!-- end of generated -->)", re.DOTALL)


class Effort(NamedTuple):
    """What a task takes: programs started, and characters typed with Enter after each line."""

    programs: int
    characters: int


def tasks(page: str) -> Mapping[str, Mapping[str, str]]:
    """For each task of a page, the lines to type by tool."""
    return {title: dict(_TYPED.findall(text)) for title, text in _TASK.findall(page)}


def effort(typed: str) -> Effort:
    """Count what is typed. A line, a pipe, a loop's body, a substitution and `xargs` or `watch` each start a program of their own."""
    outside = re.sub(r"'[^']*'", "", typed)
    started = re.findall(r"\||\$\(|<\(|\bdo\b|\bxargs\b|^watch\b", outside, re.MULTILINE)
    lines = [line for line in outside.splitlines() if not line.startswith("for ")]
    return Effort(len(lines) + len(started), len(typed) + 1)


def table(page: str) -> str:
    """The page's table."""
    lines = [f"| task | {' | '.join(TOOLS)} |", f"| --- |{' --- |' * len(TOOLS)}"]
    for title, typed in tasks(page).items():
        cells = [f"{took.programs} · {took.characters}" if (took := _took(typed, tool)) else "-" for tool in TOOLS]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "".join(f"{line}\n" for line in lines)


def with_table(page: str) -> str:
    """The page with its table as it should be."""
    return _TABLE.sub(lambda _: table(page), page)


def _took(typed: Mapping[str, str], tool: str) -> Effort | None:
    return effort(typed[tool]) if tool in typed else None


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
