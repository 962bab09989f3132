"""The guide and the files to install an agent say what there is."""

from __future__ import annotations

import ast
import configparser
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from minutehand.agent.agent import Timing
from minutehand.agent.rules_file import KEYS, rules_for
from minutehand.cli.command import Session
from minutehand.cli.commands.agent import agent_command
from minutehand.tools.costs.prices import shipped_prices
from minutehand.tools.costs.units import MILLION, MONTH, Unit
from tests.unit.agent.conftest import OWN

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "functions" / "minutehand" / "agent"
EXAMPLE = ROOT / "examples" / "agent"
GUIDE = (ROOT / "docs" / "how-to" / "agents.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", GUIDE, re.MULTILINE | re.DOTALL)
    assert found, title
    return found[1]


def rows(text: str) -> list[list[str]]:
    """The cells of a table's rows, without its head."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines if not line.startswith("| ---")][
        1:
    ]


def words(text: str) -> set[str]:
    return set(re.findall(r"`(\w+)`", text))


def calls() -> Iterator[ast.Call]:
    for path in PACKAGE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                yield node


def first_texts(*names: str) -> set[str]:
    """The first arguments of calls of these functions or methods."""
    of_names = (call for call in calls() if ast.unparse(call.func).rpartition(".")[2] in names and call.args)
    texts = (node for call in of_names for node in ast.walk(call.args[0]))
    return {node.value for node in texts if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def test_every_action_of_the_log_is_documented_and_no_other_is() -> None:
    documented = {word for row in rows(section("Log")) for word in words(row[0])}
    written = first_texts("info", "warning", "error")
    assert {word for word in written if re.fullmatch(r"[a-z_]+", word)} == documented


def test_every_type_of_error_is_documented_and_no_other_is() -> None:
    documented = {word for row in rows(section("How a command ends")) for word in words(row[0])}
    assert documented == first_texts("failed", "NotLaunched")


def test_every_key_of_the_configuration_is_documented_and_the_example_of_the_guide_is_valid(tmp_path: Path) -> None:
    text = section("Configuration")
    assert [row[0].strip("`") for row in rows(text)] == list(KEYS)
    [example] = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    assert set(tomllib.loads(example)) == set(KEYS)
    path = tmp_path / "agent.toml"
    path.write_text(re.sub(r"^users = .*$", f'users = ["{OWN.name}"]', example, flags=re.MULTILINE))
    rules_for(path, OWN)


def test_the_numbers_of_the_guide_are_those_of_the_agent() -> None:
    timing = Timing()
    assert (timing.drain, timing.at_once, timing.patience.term, timing.poll) == (180, 5, 10, 20)
    stop = section("Stop, drain, upgrade")
    for said in (
        "up to `--drain-for` (3 minutes), then TERM, and KILL 10 s later",
        "TERM, KILL 5 s later",
        "20 s at most",
    ):
        assert said in stop


def test_the_month_of_an_idle_agent_adds_up_at_the_prices_of_the_package() -> None:
    prices = shipped_prices().region("us-east-1")
    seconds = MONTH.total_seconds()
    requests = seconds / 60 + seconds / 720
    amounts = {
        "SQS": (2 * seconds / 20, Unit.SQS_CALL, None),
        "API requests": (requests, None, 3.50),
        "Lambda requests": (2 * requests, Unit.LAMBDA_REQUEST, None),
        "Lambda": (2 * requests * 0.05, Unit.LAMBDA_GB_SECOND, None),
        "its row": (seconds / 60, Unit.DYNAMODB_WRITE, None),
        "row and token": (3 * requests, Unit.DYNAMODB_READ, None),
    }
    shown = {row[0].partition(":")[0].partition(" at ")[0]: row[1:] for row in rows(section("What it costs"))}
    assert shown.keys() == amounts.keys()
    total = 0.0
    for name, (amount, unit, price) in amounts.items():
        each = price if unit is None else prices.dollars(unit, MILLION)
        assert each is not None
        millions, price_shown, dollars = map(float, shown[name])
        assert price_shown == each
        assert millions == pytest.approx(amount / MILLION, abs=0.0006)
        assert dollars == round(amount / MILLION * each, 2)
        total += amount / MILLION * each
    assert f"In all ${total:.2f} a month" in GUIDE


def test_the_unit_of_systemd_runs_the_agent_with_options_that_exist_and_waits_for_its_drain(tmp_path: Path) -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]  # names have capitals
    unit.read(EXAMPLE / "minutehand-agent.service", encoding="utf-8")
    service = unit["Service"]
    program, name, *options = shlex.split(service["ExecStart"].replace("${POOL}", "shop/web"))
    assert (program, name) == ("/opt/minutehand/bin/minutehand", "agent")
    given = agent_command.make_context("agent", options, obj=Session()).params
    assert given["drain_for"] == Timing().drain
    assert int(service["TimeoutStopSec"]) > Timing().drain + Timing().patience.term + Timing().poll
    assert service["KillMode"] == "mixed"
    assert service["RestartPreventExitStatus"].split() == ["2", "3", "4", "5"]
    variables = dict(line.split("=") for line in (EXAMPLE / "agent.env.example").read_text().split())
    assert variables.keys() == {"MINUTEHAND_URL", "MINUTEHAND_TOKEN", "POOL"}


def test_the_configuration_to_copy_is_valid(tmp_path: Path) -> None:
    path = tmp_path / "agent.toml"
    path.write_text(f'users = ["{OWN.name}"]\n{(EXAMPLE / "agent.toml").read_text()}')
    rules = rules_for(path, OWN)
    assert rules.commands is not None
    assert any(each.allows("/opt/jobs/report --day 2026-11-20") for each in rules.commands)
    assert not any(each.allows("/opt/jobs/report; id") for each in rules.commands)


def test_the_container_copies_files_that_exist_and_installs_the_lock_of_the_extra() -> None:
    text = (EXAMPLE / "Containerfile").read_text(encoding="utf-8")
    for line in re.findall(r"^COPY (.+)$", text, re.MULTILINE):
        *sources, _ = line.split()
        assert all((ROOT / each).exists() for each in sources)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    locked = (ROOT / "requirements" / "agent.txt").read_text(encoding="utf-8")
    for wanted in (*project["dependencies"], *project["optional-dependencies"]["agent"]):
        name = re.split(r"[<>=]", wanted)[0]
        assert re.search(rf"^{re.escape(name)}==", locked, re.MULTILINE), name
