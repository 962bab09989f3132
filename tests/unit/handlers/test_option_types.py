"""A type checker finds the mistakes in the options of `@job` and of an `App`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mypy import api

ROOT = Path(__file__).parents[3]
RIGHT = """
from datetime import UTC, datetime, timedelta
from minutehand import App, Context, job

app = App("mypkg", timezone="Europe/Paris", labels={"team": "data"}, retry={"max_attempts": 3})

@job("extract", schedule=["0 1 * * *", "0 13 * * *"], payload={"days": 7}, heartbeat="2m", start_at=datetime(2026, 11, 20, tzinfo=UTC))
def extract(days: int) -> dict[str, int]:
    return {"rows": days}

@job(
    "nightly",
    depends_on=[extract, "other/load", {"job": extract, "on": "failure"}],
    timeout=timedelta(hours=1),
    overlap="skip",
    retry={"max_attempts": 3, "backoff": {"initial": timedelta(seconds=30), "factor": 2}, "retry_on": ["Busy"]},
    limits=[{"name": "database", "max": 2}],
    paused={"until": "2026-12-01T09:00:00Z"},
)
async def nightly(context: Context) -> None: ...

rows: dict[str, int] = extract(7)
"""
WRONG = {
    'schedul="@hourly"': 'Unexpected keyword argument "schedul"',
    "timeout=5": '"timeout".* has incompatible type "int"',
    'overlap="never"': '"overlap".* has incompatible type "Literal..never',
    'retry={"attempts": 3}': 'Extra key "attempts"',
    'retry={"backoff": {"initial": 30}}': 'TypedDict item "initial" has type',
    "max_concurrency=1.5": '"max_concurrency".* has incompatible type "float"',
    'depends_on="extract"': '"depends_on".* has incompatible type "str"',
    'limits=[{"name": "database"}]': 'Missing key "max"',
    'target={"type": "http"}': 'Unexpected keyword argument "target"',
    'calendars="weekend"': '"calendars".* has incompatible type "str"',
}
"""Wrong options, and what the checker says of each."""


def checked(folder: Path, code: str) -> list[str]:
    """What mypy finds in the code of a package that uses Minutehand; each complaint with its line."""
    file = folder / "mypkg.py"
    file.write_text(code, encoding="utf-8")
    settings = ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(folder / "cache"), "--no-pretty"]
    output, errors, _ = api.run([*settings, "--no-error-summary", str(file)])
    assert not errors, errors
    return output.splitlines()


@pytest.fixture(autouse=True)
def in_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder to which the paths in mypy's settings are relative."""
    monkeypatch.chdir(ROOT)


@pytest.mark.thorough
def test_right_options_pass_and_each_wrong_one_is_found(tmp_path: Path) -> None:
    cases = [*(f"job('job', {each})(extract)" for each in WRONG), *(f"App('other', {each})" for each in WRONG)]
    found = checked(tmp_path, RIGHT + "\n".join(cases))
    right = len(RIGHT.splitlines())
    by_line = {int(match[1]): line for line in found if (match := re.match(r".+?:(\d+): error: ", line))}
    assert [line for number, line in by_line.items() if number <= right] == []
    for number, pattern in enumerate([*WRONG.values()] * 2, right + 1):
        assert re.search(pattern, by_line.get(number, "nothing")), (cases[number - right - 1], by_line.get(number))
