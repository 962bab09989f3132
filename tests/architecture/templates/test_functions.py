"""The environment and the roles of the functions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.architecture.templates.loaded import CALLING, FUNCTIONS, MAIN, NESTED, WORKERS, function_of


@pytest.mark.parametrize("name", ["Tick", "HttpWorker", "AwsWorker", "Agents", "Drain", "Api"])
def test_a_function_that_dispatches_has_look_ahead_shards_and_every_workers_queue(name: str) -> None:
    variables = FUNCTIONS[f"{name}Function"]["Properties"]["Environment"]["Variables"]
    assert variables["LOOK_AHEAD_SECONDS"] == {"Ref": "LookAheadSeconds"}
    assert variables["DUE_SHARDS"] == {"Ref": "DueShards"}
    for worker in WORKERS:
        assert _present(variables[f"{worker.upper()}_QUEUE_URL"]) == _output(worker, "QueueUrl")


def _output(worker: str, name: str) -> Any:
    """An output with a queue of a worker: those of http are in the template of messages, others in one of their own."""
    stack = f"Messaging.Outputs.{worker.title()}" if worker == "http" else f"{worker.title()}Worker.Outputs."
    return {"Fn::GetAtt": f"{stack}{name}"}


def _present(value: Any) -> Any:
    """The value in a stack that has every worker."""
    match value:
        case {"Fn::If": ["HasAws" | "HasAgents", present, {"Ref": "AWS::NoValue"}]}:
            return present
    return value


@pytest.mark.parametrize("worker", WORKERS)
def test_the_worker_of_each_type_of_target_knows_its_name_and_reads_the_queues_of_its_lanes(worker: str) -> None:
    properties = FUNCTIONS[function_of(worker)]["Properties"]
    assert properties["Environment"]["Variables"]["WORKER"] == worker
    lanes = (("Runs", "Queue"), ("SlowRuns", "SlowQueue")) if worker in CALLING else (("Runs", "Queue"),)
    for event, queue in lanes:
        assert properties["Events"][event]["Properties"]["Queue"] == _output(worker, f"{queue}Arn")


@pytest.mark.parametrize("worker", CALLING)
def test_the_tick_and_a_jobs_own_worker_which_know_its_lane_send_to_both(worker: str) -> None:
    for name in ("Tick", f"{worker.title()}Worker"):
        variables = FUNCTIONS[f"{name}Function"]["Properties"]["Environment"]["Variables"]
        assert _present(variables[f"{worker.upper()}_SLOW_QUEUE_URL"]) == _output(worker, "SlowQueueUrl")


def test_the_api_counts_the_messages_of_every_queue() -> None:
    watched = FUNCTIONS["ApiFunction"]["Properties"]["Environment"]["Variables"]["WATCHED_QUEUES"]
    space, parts = watched["Fn::Join"]
    assert space == " "
    found = {}
    for part, condition in zip(parts, (None, "HasAws", "HasAgents"), strict=True):
        if condition is not None:
            assert (part["Fn::If"][0], part["Fn::If"][2]) == (condition, "")
        text, values = (part if condition is None else part["Fn::If"][1])["Fn::Sub"]
        named = [each.split("=", 1) for each in text.split()]
        found |= {name: values[reference.strip("${}")] for name, reference in named}
    lanes = {"": "QueueUrl", "_slow": "SlowQueueUrl", "_dead_letter": "DeadLetterQueueUrl"}
    assert found == {
        f"{worker}{lane}": _output(worker, output)
        for worker in WORKERS
        for lane, output in lanes.items()
        if worker in CALLING or lane != "_slow"
    }


def test_no_function_sends_to_a_slow_lane_of_agents_which_there_is_not() -> None:
    assert "AGENTS_SLOW" not in json.dumps(MAIN)
    assert MAIN["Resources"]["AgentsWorker"]["Properties"]["Parameters"]["SlowLane"] == "false"


@pytest.mark.parametrize("worker", CALLING)
def test_a_worker_has_the_callback_url_or_else_the_address_of_the_api(worker: str) -> None:
    variables = FUNCTIONS[f"{worker.title()}WorkerFunction"]["Properties"]["Environment"]["Variables"]
    assert variables["API_ID"] == {"Ref": "Api"}
    condition, url, otherwise = variables["API_URL"]["Fn::If"]
    assert MAIN["Conditions"][condition] == {"Fn::Not": [{"Fn::Equals": [{"Ref": "CallbackUrl"}, ""]}]}
    assert (url, otherwise) == ({"Ref": "CallbackUrl"}, MAIN["Outputs"]["ApiUrl"]["Value"])


def test_every_role_has_the_permissions_boundary() -> None:
    roles = {name: one for name, one in NESTED["access"]["Resources"].items() if one["Type"] == "AWS::IAM::Role"}
    assert len(roles) == len([*FUNCTIONS, "the role whose credentials agents get"])
    for name, role in roles.items():
        assert role["Properties"]["PermissionsBoundary"]["Fn::If"][0] == "HasBoundary", name
    assert "AWS::IAM::Role" not in {one["Type"] for one in MAIN["Resources"].values()}


def test_the_seed_may_use_the_one_parameter_that_it_is_told() -> None:
    name = "/minutehand/${AWS::StackName}/admin-token"
    seed = MAIN["Resources"]["SeedFunction"]["Properties"]["Environment"]["Variables"]
    arn = MAIN["Resources"]["Access"]["Properties"]["Parameters"]["AdminTokenArn"]
    output = MAIN["Outputs"]["AdminTokenParameter"]["Value"]
    assert seed["ADMIN_TOKEN"] == output == {"Fn::Sub": name}
    assert arn == {"Fn::Sub": "arn:${AWS::Partition}:ssm:${AWS::Region}:${AWS::AccountId}:parameter" + name}


def test_the_seed_is_stopped_before_cloudformation_takes_no_answer_any_more() -> None:
    resources = MAIN["Resources"]
    assert FUNCTIONS["SeedFunction"]["Properties"]["Timeout"] < resources["AdminToken"]["Properties"]["ServiceTimeout"]
