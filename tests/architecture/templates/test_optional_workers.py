"""A worker that a parameter adds: a stack without it has none of its resources, and knows nothing of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from infra.deploy.parameters import holds
from infra.template import load

from minutehand.targets import TYPES
from minutehand.targets.aws.names import PREFIX
from tests.architecture.templates.loaded import MAIN, NESTED, ROOT
from tests.unit.deploy.expansion import expand, long_forms

CONDITIONS = {"HasAws": {"AwsTargets": "true"}}


def _kept(value: Any, present: bool) -> Any:
    """A part of the template without `Fn::If` of the worker's condition."""
    match value:
        case {"Fn::If": ["HasAws" | "HasAwsWorker", then, otherwise]}:
            return _kept(then if present else otherwise, present)
        case dict():
            kept = {key: _kept(inner, present) for key, inner in value.items()}
            return {key: inner for key, inner in kept.items() if inner != {"Ref": "AWS::NoValue"}}
        case list():
            kept_items = [_kept(inner, present) for inner in value]
            return [inner for inner in kept_items if inner != {"Ref": "AWS::NoValue"}]
    return value


def _resources(present: bool) -> dict[str, Any]:
    expanded = expand(long_forms(), {"AwsTargets": "true" if present else "false"})
    there = {name: one for name, one in expanded.items() if present or one.get("Condition") != "HasAws"}
    kept: dict[str, Any] = _kept(there, present)
    return kept


def test_the_default_is_a_stack_without_the_worker() -> None:
    values = {name: str(one.get("Default", "")) for name, one in MAIN["Parameters"].items()}
    assert not holds(MAIN["Conditions"]["HasAws"], values)
    assert holds(MAIN["Conditions"]["HasAws"], values | CONDITIONS["HasAws"])


@pytest.mark.thorough
def test_a_stack_without_the_worker_has_no_queue_no_function_and_no_mapping_of_it() -> None:
    without, with_it = _resources(False), _resources(True)
    added = {name: one["Type"] for name, one in with_it.items() if name not in without}
    assert added == {
        "AwsWorker": "AWS::CloudFormation::Stack",
        "AwsWorkerFunction": "AWS::Lambda::Function",
        "AwsWorkerFunctionRuns": "AWS::Lambda::EventSourceMapping",
        "AwsWorkerFunctionSlowRuns": "AWS::Lambda::EventSourceMapping",
        "ExecutionEnds": "AWS::Events::Rule",
        "ExecutionEndsPermission": "AWS::Lambda::Permission",
        "TaskEnds": "AWS::Events::Rule",
        "TaskEndsPermission": "AWS::Lambda::Permission",
    }
    text = json.dumps(without)
    assert "AwsWorker" not in text.replace('"AwsWorkerLogsArn": ""', "").replace('"AwsWorkerFunction": "none"', "")
    assert "AWS_QUEUE_URL" not in text


@pytest.mark.thorough
def test_the_functions_that_send_runs_know_the_worker_only_if_the_stack_has_it() -> None:
    def knowing(resources: dict[str, Any]) -> set[str]:
        return {name for name, one in resources.items() if "AWS_QUEUE_URL" in json.dumps(one)}

    senders = {
        "TickFunction", "HttpWorkerFunction", "DrainFunction", "SweepFunction", "ApiFunction", "ResourceFunction",
        "AgentsFunction",
    }  # fmt: skip
    assert knowing(_resources(True)) == senders | {"AwsWorkerFunction"}
    assert not knowing(_resources(False))


def _statements(present: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, one in NESTED["access"]["Resources"].items():
        if one["Type"] == "AWS::IAM::Role" and (present or one.get("Condition") != "HasAwsWorker"):
            [policy] = one["Properties"]["Policies"]
            for statement in _kept(policy["PolicyDocument"]["Statement"], present):
                yield name, statement


def test_no_role_of_a_stack_without_the_worker_names_its_queues() -> None:
    assert "Aws" not in json.dumps(list(_statements(False)))
    assert {role for role, one in _statements(True) if "AwsQueueArn" in json.dumps(one)} == {
        "TickRole", "HttpWorkerRole", "AwsWorkerRole", "AgentsRole", "DrainRole", "SweepRole", "ApiRole", "ResourceRole",
    }  # fmt: skip


def _without(value: Any, condition: str) -> Any:
    """A part of a template as a stack has it in which a condition does not hold."""
    match value:
        case {"Fn::If": [name, _, otherwise]} if name == condition:
            return _without(otherwise, condition)
        case dict():
            kept = {key: _without(inner, condition) for key, inner in value.items()}
            return {key: inner for key, inner in kept.items() if inner != {"Ref": "AWS::NoValue"}}
        case list():
            return [_without(inner, condition) for inner in value]
    return value


def test_a_stack_without_agents_has_nothing_of_them_but_routes_that_say_so() -> None:
    values = {name: str(one.get("Default", "")) for name, one in MAIN["Parameters"].items()}
    assert not holds(MAIN["Conditions"]["HasAgents"], values)
    theirs = {name for name, one in MAIN["Resources"].items() if str(one.get("Condition")).startswith("HasAgents")}
    assert theirs == {"AgentsWorker", "AgentsFunction", "AgentsPermission", "IamAgentsPermission"}
    rest = {name: _without(one, "HasAgents") for name, one in MAIN["Resources"].items() if name not in theirs}
    text = json.dumps(rest).replace('"AgentsFunction": "none"', "")
    assert not re.findall(r"AgentsWorker|AgentsFunction|AGENTS_QUEUE_URL", text)
    access = NESTED["access"]["Resources"]
    of_agents = {name for name, one in access.items() if str(one.get("Condition")).startswith("HasAgents")}
    assert of_agents == {"AgentsRole", "AgentRole", "GiveCredentials", "ReadMessagesWithKey"}
    kept = [_without(one, "HasAgents") for name, one in access.items() if name not in of_agents]
    assert not re.findall(r"Agent", json.dumps(kept))


def test_the_role_of_the_function_of_agents_may_do_with_runs_and_secrets_what_that_of_http_may() -> None:
    def of(role: str) -> dict[str, Any]:
        [policy] = NESTED["access"]["Resources"][role]["Properties"]["Policies"]
        found = [one.get("Fn::If", [None, one])[1] for one in policy["PolicyDocument"]["Statement"]]
        return {one["Sid"]: one for one in found}

    agents, http = of("AgentsRole"), of("HttpWorkerRole")
    same = (
        "ReadDefinitions", "StartAndReport", "StoreLongOutputs", "DeleteOldRuns", "DeleteLongOutputs",
        "ReadNamedSecrets", "DecryptNamedSecrets", "NeverFirstToken",
    )  # fmt: skip
    assert [agents[sid] for sid in same] == [http[sid] for sid in same]
    keys = [one["UpdateJobs"]["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"] for one in (agents, http)]
    assert set(keys[0]) - set(keys[1]) == {"NODES#*", "POOLS"}
    assert set(keys[1]) <= set(keys[0])


OWN = {"AwsQueueArn": "HttpQueueArn", "AwsSlowQueueArn": "HttpSlowQueueArn", "AwsWorkerLogsArn": "HttpWorkerLogsArn"}


def test_the_role_of_the_aws_worker_is_that_of_http_with_queues_of_its_own_and_what_parameters_add() -> None:
    def of(role: str, **renamed: str) -> dict[str, Any]:
        text = json.dumps([one for name, one in _statements(True) if name == role])
        for before, after in renamed.items():
            text = text.replace(f'"{before}"', f'"{after}"')
        return {one["Sid"]: one for one in json.loads(text) if "Sid" in one}

    aws, http = of("AwsWorkerRole", **OWN), of("HttpWorkerRole")
    http.pop("SendAwsRuns")
    http.pop("NeverFirstToken")
    assert {sid: aws[sid] for sid in http} == http
    assert aws.keys() - http.keys() == {"SendHttpRuns", "NeverOwnFunctions"}


@pytest.mark.parametrize(
    ("condition", "sid"),
    [
        ("HasTargetArns", "CallNamedTargets"),
        ("HasTaggedTargets", "CallTaggedTargets"),
        ("HasTargetRoles", "AssumeNamedRoles"),
        ("HasTaskRoles", "PassNamedRolesToTasks"),
    ],
)
@pytest.mark.thorough
def test_what_jobs_may_reach_needs_a_parameter_for_each_way(condition: str, sid: str) -> None:
    access = load(ROOT / "infra" / "access.yaml")
    defaults = {"AwsTargetArns": "", "AwsTargetRoles": "", "AwsTaskRoles": "", "AwsTaggedTargets": "false"}
    assert not holds(access["Conditions"][condition], defaults)
    [policy] = access["Resources"]["AwsWorkerRole"]["Properties"]["Policies"]
    [conditional] = [
        one["Fn::If"] for one in policy["PolicyDocument"]["Statement"] if one.get("Fn::If", [""])[0] == condition
    ]
    assert conditional[1]["Sid"] == sid
    assert conditional[2] == {"Ref": "AWS::NoValue"}
    for name, default in defaults.items():
        assert MAIN["Parameters"][name]["Default"] == default


@pytest.mark.parametrize(
    ("condition", "sid", "parameter"),
    [
        ("HasSecretArns", "ReadNamedSecrets", "SecretArns"),
        ("HasSecretKeyArns", "DecryptNamedSecrets", "SecretKeyArns"),
    ],
)
@pytest.mark.thorough
def test_the_http_worker_reads_no_secrets_without_a_parameter(condition: str, sid: str, parameter: str) -> None:
    access = load(ROOT / "infra" / "access.yaml")
    assert not holds(access["Conditions"][condition], {parameter: MAIN["Parameters"][parameter]["Default"]})
    [policy] = access["Resources"]["HttpWorkerRole"]["Properties"]["Policies"]
    [conditional] = [
        one["Fn::If"] for one in policy["PolicyDocument"]["Statement"] if one.get("Fn::If", [""])[0] == condition
    ]
    assert conditional[1]["Sid"] == sid
    assert conditional[1]["Resource"] == {"Fn::Split": [",", {"Ref": parameter}]}
    assert conditional[2] == {"Ref": "AWS::NoValue"}


def test_no_parameter_lets_a_job_have_the_first_token() -> None:
    [statement] = [one for name, one in _statements(True) if one.get("Effect") == "Deny" and name == "HttpWorkerRole"]
    assert (statement["Action"], statement["Resource"]) == ("ssm:GetParameter", {"Ref": "AdminTokenArn"})


def test_no_parameter_lets_a_job_invoke_a_function_of_the_stack_itself() -> None:
    [statement] = [one for name, one in _statements(True) if one.get("Effect") == "Deny" and name == "AwsWorkerRole"]
    assert (statement["Action"], statement["Resource"]) == ("lambda:InvokeFunction", {"Ref": "OwnFunctionsArn"})
    own = MAIN["Resources"]["Access"]["Properties"]["Parameters"]["OwnFunctionsArn"]
    arn = "arn:${AWS::Partition}:lambda:${AWS::Region}:${AWS::AccountId}:function:${AWS::StackName}-*"
    assert own == {"Fn::Sub": arn}


@pytest.mark.parametrize("name", ["ExecutionEnds", "TaskEnds"])
def test_the_ends_of_what_jobs_start_and_wait_for_invoke_the_api_function(name: str) -> None:
    rule, permission = MAIN["Resources"][name]["Properties"], MAIN["Resources"][f"{name}Permission"]["Properties"]
    [target] = rule["Targets"]
    assert target["Arn"] == {"Fn::GetAtt": "ApiFunction.Arn"}
    assert permission["FunctionName"] == {"Ref": "ApiFunction"}
    assert permission["SourceArn"] == {"Fn::GetAtt": f"{name}.Arn"}
    detail = rule["EventPattern"]["detail"]
    assert {"prefix": PREFIX} in [*detail.get("name", ()), *detail.get("startedBy", ())]


def test_one_parameter_names_what_each_type_of_target_reaches() -> None:
    pattern = MAIN["Parameters"]["AwsTargetArns"]["AllowedPattern"]
    for kind in TYPES.values():
        if kind.worker == "aws":
            _, arn = kind.fields(**kind.example).reaches
            assert re.fullmatch(pattern, arn), arn
            assert re.fullmatch(pattern, f"{arn},{arn}*"), arn
