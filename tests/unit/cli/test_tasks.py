"""docs/cli.md: its commands do what it says, and its counts are those of its commands."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from tests.support.api_server import TARGET, ApiServer
from tests.unit.cli.conftest import Cli, Sleeper
from tests.unit.cli.tasks import OURS, PAGE, TOOLS, Effort, effort, tasks, with_table

TEXT = PAGE.read_text(encoding="utf-8")
TASKS = tasks(TEXT)


@pytest.fixture
def night(api: ApiServer, sleeper: Sleeper) -> ApiServer:
    """A job with a label that was edited, with a failed run and a later one that succeeded; and a folder with another version of it."""
    api.add_job("default/report", schedule="0 9 * * *", labels={"team": "data"})
    job = {"schedule": "0 9,18 * * *", "target": TARGET, "labels": {"team": "data"}}
    api.ask("PUT", "namespaces/default/jobs/report", job)
    api.add_run("default/report", "20261119T233000Z", "failed")
    api.add_run("default/report", "20261120T080000Z", "succeeded")
    Path("jobs").mkdir()
    Path("jobs/report.json").write_text(json.dumps(job | {"name": "report", "schedule": "0 7 * * *"}), encoding="utf-8")
    sleeper.then = [lambda: api.move_all("default/report", "succeeded")] * 3
    return api


ANSWERS: dict[str, Callable[[ApiServer, Result], bool]] = {
    "runs": lambda api, result: "20261119T233000Z" in result.stdout and "20261120T080000Z" not in result.stdout,
    "explain": lambda api, result: result.stdout.startswith("2026-11-19 09:00:00 UTC"),
    "rerun": lambda api, result: len(api.runs("default/report")) == 3,
    "diff": lambda api, result: "0 9,18 * * *" in result.stdout and "would update" in result.stdout,
    "pause": lambda api, result: api.jobs["default/report"]["paused"],
    "trigger": lambda api, result: result.stdout.startswith("succeeded"),
    "next": lambda api, result: result.stdout.count("09:00:00") >= 2,
    "audit": lambda api, result: "0 9 * * * -> 0 9,18 * * *" in result.stdout,
    "rollback": lambda api, result: api.jobs["default/report"]["schedule"] == "0 9 * * *",
    "output": lambda api, result: result.stdout == "pong",
}
"""Whether a command has answered its question."""


@pytest.mark.parametrize("title", TASKS)
@pytest.mark.thorough
def test_our_command_answers_the_question(night: ApiServer, cli: Cli, title: str) -> None:
    program, *words = shlex.split(TASKS[title][OURS])
    result = cli(*words)
    assert program == OURS
    assert result.exit_code == (6 if words[0] == "diff" else 0), result.output
    assert ANSWERS[words[0]](night, result), result.output


def test_there_are_ten_tasks_and_each_is_played() -> None:
    assert len(TASKS) == 10
    assert {shlex.split(typed[OURS])[1] for typed in TASKS.values()} == set(ANSWERS)
    assert {tool for typed in TASKS.values() for tool in typed} == set(TOOLS)


def test_the_counts_of_the_page_are_those_of_its_commands() -> None:
    assert with_table(TEXT) == TEXT, "run `python -m tests.unit.cli.tasks`"


@pytest.mark.parametrize("title", TASKS)
def test_no_task_takes_more_with_us_than_with_another(title: str) -> None:
    ours = effort(TASKS[title][OURS])
    for tool in TASKS[title]:
        theirs = effort(TASKS[title][tool])
        assert ours.programs <= theirs.programs
        assert ours.characters <= theirs.characters


@pytest.mark.parametrize(
    ("typed", "programs"),
    [
        ("ls", 1),
        ("ls\nls", 2),
        ("ls | wc", 2),
        ("jq '.a|.b' x", 1),
        ("kill $(pidof x)", 2),
        ("ls | xargs -I{} wc {}", 3),
        ("for f in *; do wc $f | sort; done", 2),
    ],
)
def test_programs_are_counted(typed: str, programs: int) -> None:
    assert effort(typed) == Effort(programs, len(typed) + 1)
