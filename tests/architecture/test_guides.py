"""The guides for whoever deploys, runs and judges a stack say what there is, and add up."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from minutehand.domain.run import RunState
from minutehand.entrypoints.metrics import Metric
from tests.privilege.policy import ROOT, grants, read

DEPLOY, OPERATIONS, SECURITY, METRICS = (
    (ROOT / "docs" / name).read_text(encoding="utf-8")
    for name in ("how-to/deploy.md", "how-to/operations.md", "design/security.md", "reference/metrics.md")
)
TEMPLATE = read(ROOT / "template.yaml")
ENTRYPOINTS = sorted((ROOT / "functions" / "minutehand" / "entrypoints").rglob("*.py"))


def _section(page: str, title: str) -> str:
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    assert found, title
    return found[1]


def _rows(text: str) -> list[list[str]]:
    """The cells of a section's tables, without the lines that head them."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    rules = {index for index, line in enumerate(lines) if re.fullmatch(r"[|: -]+", line)}
    kept = [line for index, line in enumerate(lines) if not {index, index + 1} & rules]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in kept]


def _calls(name: str) -> Iterator[ast.Call]:
    for path in ENTRYPOINTS:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == name:
                yield node


def _texts(nodes: Iterator[ast.expr]) -> set[str]:
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def _named(text: str) -> set[str]:
    return set(re.findall(r"`([^`]+)`", text))


def test_every_parameter_of_the_template_is_documented_with_its_default_and_no_other_is() -> None:
    documented = {row[0]: row[1] for row in _rows(_section(DEPLOY, "Parameters"))}
    wanted = {
        f"`{name}`": f"`{one['Default']}`" if one["Default"] != "" else "empty"
        for name, one in TEMPLATE["Parameters"].items()
    }
    assert documented == wanted


def test_numbers_have_the_limits_that_are_documented() -> None:
    meanings = {row[0].strip("`"): row[2] for row in _rows(_section(DEPLOY, "Parameters"))}
    for name, one in TEMPLATE["Parameters"].items():
        if "MaxValue" in one:
            assert re.search(rf"\b{one['MaxValue']}\b", meanings[name]), name


def test_each_end_of_a_run_has_a_metric() -> None:
    ended = {state.value for state in RunState if state.finished} | {RunState.RETRYING.value}
    assert {f"RUNS_{state.upper()}" for state in ended - {RunState.SKIPPED.value}} <= set(Metric.__members__)


@pytest.mark.thorough
def test_every_declared_metric_is_written() -> None:
    written = {ast.unparse(node).rpartition(".")[2] for path in ENTRYPOINTS for node in _members(path, "Metric")}
    by_state = {
        name
        for name in Metric.__members__
        if name.startswith("RUNS_") and name[5:].lower() in {state.value for state in RunState}
    }
    assert written | by_state == set(Metric.__members__)


def _members(path: Path, of: str) -> Iterator[ast.Attribute]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == of:
            yield node


def test_functions_that_write_metrics_are_those_of_the_template() -> None:
    functions = [
        one["Properties"] for one in TEMPLATE["Resources"].values() if one["Type"] == "AWS::Serverless::Function"
    ]
    services = {one["Environment"]["Variables"]["POWERTOOLS_SERVICE_NAME"] for one in functions}
    named = {name for metric in Metric for name in metric.value.functions}
    assert named - {"worker", "all"} <= services
    assert services <= named | {name for line in METRICS.splitlines() for name in _named(line)}


@pytest.mark.thorough
def test_every_action_of_a_log_line_is_documented_and_no_other_is() -> None:
    written = _texts(
        keyword.value
        for level in ("info", "warning", "error", "exception")
        for call in _calls(level)
        for keyword in call.keywords
        if keyword.arg == "action"
    )
    changes = _texts(call.args[0] for call in _calls("log") if call.args) | {"pause", "resume", "shadow"}
    about = {"run", "drain"}  # these two put theirs into a dictionary first
    documented = {name for row in _rows(_section(OPERATIONS, "Log lines")) for name in _named(row[0])}
    assert documented == written | changes | about


def test_every_alarm_is_documented() -> None:
    resources = read(ROOT / "infra" / "monitoring.yaml")["Resources"]
    alarms = {name for name, one in resources.items() if one["Type"] == "AWS::CloudWatch::Alarm"}
    assert alarms <= {name for row in _rows(_section(OPERATIONS, "Alarms")) for name in _named(row[0])}


def test_what_each_role_may_do_is_documented_action_by_action() -> None:
    documented = {
        row[0].strip("`"): set(re.findall(r"`([A-Z]\w+)`", " ".join(row[1:])))
        for row in _rows(_section(SECURITY, "What each function may do"))
    }
    allowed: dict[str, set[str]] = {}
    for grant in grants():
        if grant.sid != "WriteLogs":
            allowed.setdefault(grant.role, set()).add(grant.action.partition(":")[2])
    assert documented == allowed


WRITES = {"DeleteItem", "PartiQLUpdate", "PutItem", "UpdateItem"}
PLACES = {
    "AUDIT#*": "records of changes",
    "CLOUDFORMATION#*": "answers to CloudFormation",
    "DEPENDENCIES": "graph of dependencies",
    "JOB#*": "items of jobs",
    "NAMESPACE#*": "namespaces",
    "NAMESPACES": "their lists",
    "NODES#*": "nodes",
    "POOLS": "pools",
    "NAMESPACE#*#PACE": "places given out",
    "NAMESPACE#*#SLOT#*": "slots of namespaces",
    "RENEWAL": "progress of renewals",
    "SHARDS": "layout of shards",
    "STAY#*": "packed timers",
    "SWEEP": "its own progress",
    "TICKS#*": "record of ticks",
    "TOKEN#*": "tokens",
    "TOKENS": "tokens and their list",
    "WATCHLISTS#*": "watchlists",
}
"""What the guide calls the items under these patterns of partition keys."""


def test_what_each_role_may_write_is_documented_place_by_place() -> None:
    documented = {
        role.strip("`"): words
        for roles, words in _rows(_section(SECURITY, "What each function may write"))
        for role in roles.split(", ")
    }
    documented["AwsWorker"] = documented["AwsWorker"].replace("as HttpWorker", documented["HttpWorker"])
    documented["Agents"] = documented["Agents"].replace("as HttpWorker", documented["HttpWorker"])
    documented["Authorizer"] = documented["Authorizer"].replace("the last use of tokens", "tokens")
    written: dict[str, set[str]] = {}
    for grant in grants():
        if grant.resource == "JobsTableArn" and grant.action.partition(":")[2] in WRITES:
            assert grant.keys, (grant.role, grant.sid)
            written.setdefault(grant.role, set()).update(grant.keys)
    assert documented.keys() == written.keys()
    for role, patterns in written.items():
        names = {pattern for pattern, words in PLACES.items() if re.search(rf"\b{words}\b", documented[role])}
        covered = {"TOKEN#*"} if "TOKENS" in names else {"NAMESPACE#*"} if "NAMESPACE#*#SLOT#*" in names else set()
        assert names - covered == patterns - covered, role


def test_only_statements_that_put_items_allow_requests_without_a_key() -> None:
    resources = read(ROOT / "infra" / "access.yaml")["Resources"]
    for name, role in resources.items():
        for policy in role["Properties"].get("Policies", ()):
            for statement in policy["PolicyDocument"]["Statement"]:
                condition = statement.get("Condition", {})
                if "dynamodb:LeadingKeys" in condition.get("ForAllValues:StringLike", {}) and "Null" not in condition:
                    assert statement["Action"] == "dynamodb:PutItem", (name, statement["Sid"])


def test_what_the_guide_has_make_deploy_say_it_says() -> None:
    printed = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "infra" / "deploy").glob("*.py"))
    printed = re.sub(r"\{[^{}]*\}", "…", re.sub(r'"\s*f?"', "", printed))
    for row in _rows(_section(DEPLOY, "Bad input")):
        for quoted in _named(row[1]):
            for part in re.split(r"…|'eu-wst-1'", quoted):
                assert part.strip() in printed, quoted
