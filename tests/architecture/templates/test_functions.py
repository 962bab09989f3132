"""The environment and the roles of the functions."""

from __future__ import annotations

import pytest

from tests.architecture.templates.loaded import FUNCTIONS, MAIN, NESTED, WORKERS


@pytest.mark.parametrize("name", ["Tick", "HttpWorker", "Drain", "Api"])
def test_a_function_that_dispatches_has_look_ahead_shards_and_every_workers_queue(name: str) -> None:
    variables = FUNCTIONS[f"{name}Function"]["Properties"]["Environment"]["Variables"]
    assert variables["LOOK_AHEAD_SECONDS"] == {"Ref": "LookAheadSeconds"}
    assert variables["DUE_SHARDS"] == {"Ref": "DueShards"}
    for worker in WORKERS:
        assert variables[f"{worker.upper()}_QUEUE_URL"] == {"Fn::GetAtt": f"Messaging.Outputs.{worker.title()}QueueUrl"}


@pytest.mark.parametrize("worker", WORKERS)
def test_the_worker_of_each_type_of_target_knows_its_name_and_reads_the_queues_of_its_lanes(worker: str) -> None:
    properties = FUNCTIONS[f"{worker.title()}WorkerFunction"]["Properties"]
    assert properties["Environment"]["Variables"]["WORKER"] == worker
    for event, queue in (("Runs", "Queue"), ("SlowRuns", "SlowQueue")):
        arn = {"Fn::GetAtt": f"Messaging.Outputs.{worker.title()}{queue}Arn"}
        assert properties["Events"][event]["Properties"]["Queue"] == arn


@pytest.mark.parametrize("name", ["Tick", "HttpWorker"])
@pytest.mark.parametrize("worker", WORKERS)
def test_a_function_that_knows_the_lane_of_a_job_sends_to_both(name: str, worker: str) -> None:
    variables = FUNCTIONS[f"{name}Function"]["Properties"]["Environment"]["Variables"]
    assert variables[f"{worker.upper()}_SLOW_QUEUE_URL"] == {
        "Fn::GetAtt": f"Messaging.Outputs.{worker.title()}SlowQueueUrl"
    }


def test_a_worker_has_the_callback_url_or_else_the_address_of_the_api() -> None:
    variables = FUNCTIONS["HttpWorkerFunction"]["Properties"]["Environment"]["Variables"]
    assert variables["API_ID"] == {"Ref": "Api"}
    condition, url, otherwise = variables["API_URL"]["Fn::If"]
    assert MAIN["Conditions"][condition] == {"Fn::Not": [{"Fn::Equals": [{"Ref": "CallbackUrl"}, ""]}]}
    assert (url, otherwise) == ({"Ref": "CallbackUrl"}, MAIN["Outputs"]["ApiUrl"]["Value"])


def test_every_role_has_the_permissions_boundary() -> None:
    roles = {name: one for name, one in NESTED["access"]["Resources"].items() if one["Type"] == "AWS::IAM::Role"}
    assert len(roles) == len(FUNCTIONS)
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
