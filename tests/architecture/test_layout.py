"""The house rules that a machine can hold."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from pathlib import Path

import pytest

from minutehand.entrypoints.api import generate

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "functions" / "minutehand"
WORLDLY = {
    "datetime.now",
    "datetime.utcnow",
    "time.time",
    "time.sleep",
    "os.environ",
    "os.getenv",
    "random.random",
    "uuid.uuid4",
}


def _calls(path: Path) -> set[str]:
    return {ast.unparse(node) for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute)}


@pytest.mark.thorough
def test_rules_and_use_cases_read_no_clock_no_environment_and_no_dice() -> None:
    for layer in ("schedule", "domain", "usecases"):
        for path in (PACKAGE / layer).rglob("*.py"):
            assert not _calls(path) & WORLDLY, path.relative_to(ROOT)


def test_no_module_is_longer_than_a_few_screens() -> None:
    written = [path for path in PACKAGE.rglob("*.py") if path not in generate.FILES]
    long = {str(p.relative_to(ROOT)): n for p in written if (n := len(p.read_text().splitlines())) > 300}
    assert not long


def test_every_dependency_has_its_line_in_the_docs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *(d for extra in project["optional-dependencies"].values() for d in extra)]
    for name in ("bench", "lambda", "localstack"):
        wanted += (ROOT / "requirements" / f"{name}.in").read_text().split()
    package = json.loads((ROOT / "clients" / "typescript" / "package.json").read_text())
    wanted += [*package["devDependencies"], *package.get("dependencies", ())]
    names = {re.split(r"[\[<>=~!]", text)[0].lower() for text in wanted}
    described = (ROOT / "docs" / "design" / "dependencies.md").read_text().lower()
    assert not {name for name in names if f"| {name} |" not in described}


def test_no_lock_names_a_host() -> None:
    locks = [
        *(ROOT / "requirements").glob("*.txt"),
        ROOT / "functions" / "requirements.txt",
        ROOT / "package-lock.json",
        ROOT / "clients" / "typescript" / "package-lock.json",
    ]
    for lock in locks:
        assert "://" not in re.sub(r'"(url|funding)": "[^"]*"', "", lock.read_text()), lock.name


def test_every_glossary_entry_points_at_a_file_that_is_there() -> None:
    rows = re.findall(r"\| `([a-z_/.]+)` \|$", (ROOT / "docs" / "reference" / "glossary.md").read_text(), re.MULTILINE)
    assert rows
    assert not [row for row in rows if not (PACKAGE / row).exists()]


def test_the_glossary_is_sorted_and_defines_each_word_once() -> None:
    lines = (ROOT / "docs" / "reference" / "glossary.md").read_text().splitlines()
    words = [line.split("|")[1].strip().lower() for line in lines if line.endswith("` |")]
    assert words == sorted(set(words))
