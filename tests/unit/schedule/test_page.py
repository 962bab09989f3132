"""docs/reference/schedules.md: its Python examples and its tables are executed."""

import doctest
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from minutehand.schedule import Schedule

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "schedules.md"
NOW = datetime(2026, 11, 20, tzinfo=UTC)


def rows(section):
    found = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    lines = [line for line in found[1].splitlines() if line.startswith("| `")]
    return [tuple(cell.strip().strip("`") for cell in line.strip("|").split(" | ")) for line in lines]


def test_python_examples_of_the_page():
    # A fence ends each example after an empty line, as doctest wants it.
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8", raise_on_error=False)
    assert failed == 0
    assert tried > 10


@pytest.mark.parametrize(("text", "sentence"), rows("What can be written"))
def test_grammar_table_of_the_page(text, sentence):
    assert Schedule.parse(text).describe() == sentence


@pytest.mark.parametrize(("text", "timezone", "message", "hint"), rows("Warnings"))
def test_warnings_table_of_the_page(text, timezone, message, hint):
    schedule = Schedule.parse(text, timezone=timezone, name="tests/job")
    warnings = schedule.warnings(NOW, timezone=timezone if "CRON_TZ" in text else None)
    assert [one for one in warnings if message in one.message and hint in one.hint], warnings
