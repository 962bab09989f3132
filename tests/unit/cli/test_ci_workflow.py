"""The workflow in examples/ci: it can be read, and its commands do what the guide says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import yaml
from click.testing import Result

from tests.support.api_server import ApiServer
from tests.unit.cli.conftest import Cli
from tests.unit.cli.files import job, write

ROOT = Path(__file__).parents[3]
WORKFLOW: dict[str, Any] = yaml.load(
    (ROOT / "examples" / "ci" / "github-actions.yml").read_text(encoding="utf-8"),
    yaml.BaseLoader,  # noqa: S506 - it makes texts alone, so that the key on stays on
)
GUIDE = (ROOT / "docs" / "how-to" / "jobs-as-code.md").read_text(encoding="utf-8")
PLAN, APPLY, DRIFT = ("plan", "apply", "drift")


def _command(name: str) -> list[str]:
    """The words of the one command of minutehand in a job of the workflow, without its redirection."""
    steps = [step["run"] for step in WORKFLOW["jobs"][name]["steps"] if step.get("run", "").startswith("minutehand ")]
    [line] = steps
    return shlex.split(line.partition(" > ")[0])[1:]


def test_the_workflow_runs_on_pull_requests_on_merges_and_every_day() -> None:
    assert set(WORKFLOW["on"]) == {"pull_request", "push", "schedule"}
    conditions = {name: one["if"] for name, one in WORKFLOW["jobs"].items()}
    assert conditions == {
        PLAN: "github.event_name == 'pull_request'",
        APPLY: "github.event_name == 'push'",
        DRIFT: "github.event_name == 'schedule'",
    }


def test_only_the_plan_may_comment_and_nothing_may_write_the_repository() -> None:
    assert WORKFLOW["permissions"] == {"contents": "read"}
    granted = {name: one.get("permissions") for name, one in WORKFLOW["jobs"].items()}
    assert granted == {PLAN: {"contents": "read", "pull-requests": "write"}, APPLY: None, DRIFT: None}


def test_no_text_of_a_pull_request_reaches_a_shell() -> None:
    lines = [step["run"] for one in WORKFLOW["jobs"].values() for step in one["steps"] if "run" in step]
    assert not [line for line in lines if "${{" in line]


def test_the_guide_has_the_commands_of_the_workflow() -> None:
    for name in (PLAN, APPLY):
        assert f"`minutehand {shlex.join(_command(name))}`" in GUIDE
    assert set(_command(DRIFT)) - set(_command(PLAN)) == {"--exit-code", "--quiet"}
    codes = re.findall(r"^\| (\d+) \|", GUIDE, re.MULTILINE)
    assert codes == ["0", "6"]


def test_a_change_is_planned_applied_and_afterwards_there_is_no_drift(api: ApiServer, cli: Cli) -> None:
    def run(name: str) -> Result:
        return cli(*_command(name))

    api.add_job("default/by-hand")
    Path("jobs").mkdir()
    write("jobs/one.yaml", job("one"))
    write("jobs/two.yaml", job("two"))
    assert run(PLAN).exit_code == 0
    assert run(DRIFT).exit_code == 6
    assert set(api.jobs) == {"default/by-hand"}
    assert run(APPLY).exit_code == 0
    assert run(DRIFT).exit_code == 0
    Path("jobs/two.yaml").unlink()
    write("jobs/one.yaml", job("one", "0 5 * * *"))
    planned = run(PLAN)
    assert planned.exit_code == 0
    assert "would update" in planned.stdout
    assert "would delete" in planned.stdout
    assert run(DRIFT).exit_code == 6
    assert run(APPLY).exit_code == 0
    assert set(api.jobs) == {"default/by-hand", "default/one"}
    assert run(DRIFT).exit_code == 0
    Path("jobs/one.yaml").unlink()
    write("jobs/three.yaml", job("three"))
    write("jobs/one.yaml", job("one", "0 25 * * *"))
    assert run(PLAN).exit_code == 2
    assert run(APPLY).exit_code == 2
    assert set(api.jobs) == {"default/by-hand", "default/one"}
