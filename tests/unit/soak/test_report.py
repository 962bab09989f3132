"""The soak's report, and the independence of its checker."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

from tests import soak
from tests.soak.checker import judge
from tests.soak.report import MOST_SHOWN, report
from tests.unit.soak.scene import BEGAN, outage, well, with_run, without_run

FOLDER = Path(soak.__file__).parent
HANDLES = {"stack.py"}
"""Modules that start and break the stack, and so know how it is run."""


def _imported(path: Path) -> set[str]:
    """The packages that a module imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    return found


def test_the_checker_uses_no_code_of_the_product() -> None:
    modules = [path for path in FOLDER.rglob("*.py") if path.name not in HANDLES]
    assert len(modules) > 10
    for path in modules:
        assert not _imported(path) & {"minutehand", "localstack", "infra", "boto3", "croniter", "cronsim"}, path.name
    assert "minutehand" not in _imported(FOLDER / "stack.py")


def test_a_report_has_the_worst_values_and_each_rules_count() -> None:
    evidence = with_run(well(), 2, lateness_ms=3500)
    text = report(evidence, judge(evidence), 7)
    assert "occurrences judged  60" in text
    assert "3.5  beat run 20261122T120130Z" in text
    assert "none early" in text
    assert text.endswith("No violation. Seed 7.")


def test_a_report_names_the_violations_and_the_seed_that_repeats_them() -> None:
    evidence = without_run(without_run(well(), 5), 2)
    text = report(evidence, judge(evidence), 7)
    assert "2 violations. Seed 7 plays the same jobs, faults and requests again." in text
    assert "none lost: beat: 2026-11-22 12:01:30+00:00 has no run" in text


def test_a_report_counts_violations_beyond_the_first_of_a_rule() -> None:
    evidence = well()
    for _ in range(MOST_SHOWN + 3):
        evidence = without_run(evidence, 2)
    assert "none lost: 3 more" in report(evidence, judge(evidence), 7)


def test_a_report_says_how_often_each_fault_came_and_how_long_it_lasted() -> None:
    evidence = replace(well(), faults=tuple(outage(BEGAN, seconds) for seconds in (10, 20)))
    text = report(evidence, judge(evidence), 7)
    assert "workers cannot read tables  2 times, 30 s, 2 hit" in text
