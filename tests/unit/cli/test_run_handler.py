"""`minutehand run-handler`: a handler here, without Minutehand."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Cli

CODE = """
import sys
from minutehand import App, Context, job

app = App(__name__, middlewares=[])

@app.init
def opened():
    yield "open"
    print("closed", file=sys.stderr)

@job("reports.nightly", payload={"days": 7})
def nightly(context: Context, days: int) -> dict[str, object]:
    context.progress(50, "half")
    context.progress(text="nearly")
    return {"days": days, "job": context.job, "at": context.scheduled_for.isoformat(), "state": context.state,
            "left": context.time_left.total_seconds()}

@job("fails")
def fails() -> None:
    raise OSError("no room")
"""


@pytest.fixture(autouse=True)
def _app(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A module `crew` in the working folder."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    Path("crew.py").write_text(CODE, encoding="utf-8")
    importlib.invalidate_caches()
    yield
    sys.modules.pop("crew", None)


def test_the_result_goes_to_stdout_and_progress_to_stderr(cli: Cli) -> None:
    result = cli("run-handler", "reports.nightly", "--app", "crew", "--timeout", "5m")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {
        "days": 7,
        "job": "default/reports.nightly",
        "at": "2026-11-20T08:30:00+00:00",
        "state": "open",
        "left": 300,
    }
    assert result.stderr == "50 %  half\nnearly\nclosed\n"


def test_payload_and_instant_may_be_given(cli: Cli) -> None:
    result = cli(
        "run-handler",
        "live/reports.nightly",
        "--app",
        "crew:app",
        "--payload",
        '{"days": 3}',
        "--scheduled-for",
        "2026-01-01T00:00:00Z",
    )
    found = json.loads(result.stdout)
    assert (found["days"], found["job"], found["at"]) == (3, "live/reports.nightly", "2026-01-01T00:00:00+00:00")


def test_a_handler_that_fails_ends_with_its_error_and_stack(cli: Cli) -> None:
    result = cli("run-handler", "fails", "--app", "crew")
    assert result.exit_code == 1
    assert 'raise OSError("no room")' in result.stderr
    assert result.stderr.endswith("error: OSError: no room\n")


@pytest.mark.parametrize(
    "init",
    [
        "def opened():\n    connect()\n    yield 1\n",
        "async def opened():\n    connect()\n    return 1\n",
    ],
    ids=["a generator", "an async function"],
)
def test_an_init_function_that_fails_is_shown_with_its_error_and_the_place_in_the_app(cli: Cli, init: str) -> None:
    code = (
        "from minutehand import App, job\nimport json\napp = App(__name__)\n\ndef connect():\n    json.loads('no')\n\n"
    )
    handler = "@job('fails')\ndef fails() -> None:\n    pass\n"
    Path("crew.py").write_text(f"{code}@app.init\n{init}\n{handler}", encoding="utf-8")
    result = cli("run-handler", "fails", "--app", "crew")
    assert result.exit_code == 1
    assert "    json.loads('no')\n" in result.stderr
    assert result.stderr.endswith(
        "error: App('crew'): its init function failed with JSONDecodeError: "
        "Expecting value: line 1 column 1 (char 0), at crew.py:6\n"
    )


def test_a_payload_that_does_not_fit_is_refused(cli: Cli) -> None:
    result = cli("run-handler", "reports.nightly", "--app", "crew", "--payload", '{"days": "x"}')
    assert result.exit_code == 1
    assert result.stderr == 'closed\nerror: InvalidPayload: argument days is "x"; write a whole number\n'


def test_a_handler_that_is_not_there_is_named_with_the_likely_one(cli: Cli) -> None:
    result = cli("run-handler", "reports.nigthly", "--app", "crew")
    assert result.exit_code == 3
    assert "crew has no handler for 'reports.nigthly'" in result.stderr
    assert "did you mean 'reports.nightly'?" in result.stderr


def test_an_app_that_cannot_be_imported_is_refused(cli: Cli) -> None:
    Path("crew.py").write_text("1 / 0\n", encoding="utf-8")
    result = cli("run-handler", "fails", "--app", "crew")
    assert result.exit_code == 2
    assert "crew cannot be imported: ZeroDivisionError: division by zero at" in result.stderr
