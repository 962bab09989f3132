"""Targets of type `ecs`, over the answers in ECS's API reference. No emulator that the tests use runs containers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from minutehand.domain.run import RunState
from minutehand.targets.aws.tasks.fields import Mode
from tests.unit.targets.aws.calling import RUN, Recorded, a_call, arn, error, make_call

CLUSTER, DEFINITION = arn("ecs", "cluster/jobs"), arn("ecs", "task-definition/report:7")
TASK = arn("ecs", "task/jobs/1dc5c17a422b4dc4b493371970c6c4d6")
FIELDS: dict[str, Any] = {"cluster": CLUSTER, "task_definition": DEFINITION, "container": "main"}
STARTED = {
    "tasks": [{"taskArn": TASK, "lastStatus": "PROVISIONING"}],
    "failures": [],
    "ResponseMetadata": {"HTTPStatusCode": 200},
}


def variables(request: dict[str, Any]) -> dict[str, str]:
    """The variables of the container."""
    [override] = request["overrides"]["containerOverrides"]
    assert override["name"] == "main"
    return {each["name"]: each["value"] for each in override["environment"]}


def test_a_task_is_started_with_the_runs_values() -> None:
    recorded = Recorded(run_task=STARTED)
    outcome = make_call("ecs", recorded, a_call({"n": 1}), environment=(("LEVEL", "info"),), **FIELDS)
    assert outcome.state is RunState.SUCCEEDED
    assert outcome.result is not None
    assert json.loads(outcome.result.body) == {"task_arn": TASK}
    request = recorded.request
    assert (request["cluster"], request["taskDefinition"], request["count"]) == (CLUSTER, DEFINITION, 1)
    assert variables(request) == {
        "LEVEL": "info",
        "MINUTEHAND_JOB": "shop/report",
        "MINUTEHAND_RUN_ID": RUN,
        "MINUTEHAND_ATTEMPT": "1",
        "MINUTEHAND_SCHEDULED_FOR": "2026-11-20T09:00:00Z",
        "MINUTEHAND_PAYLOAD": '{"n":1}',
    }
    assert request["startedBy"].startswith("minutehand-")
    assert "networkConfiguration" not in request
    assert "launchType" not in request


def test_a_repeated_start_of_an_attempt_has_the_same_client_token() -> None:
    tokens = []
    for attempt in (1, 1, 2):
        recorded = Recorded(run_task=STARTED)
        make_call("ecs", recorded, a_call(attempt=attempt), **FIELDS)
        tokens.append(recorded.request["clientToken"])
    assert tokens[0] == tokens[1] != tokens[2]
    assert len(tokens[0]) == 64


def test_a_task_on_fargate_gets_its_network_and_its_command() -> None:
    recorded = Recorded(run_task=STARTED)
    make_call(
        "ecs", recorded, a_call(), launch_type="FARGATE", subnets=("subnet-0a1b2c3d",), security_groups=("sg-0a1b2c3d",),
        public_ip=True, command=("report", "--all"), **FIELDS,
    )  # fmt: skip
    assert recorded.request["launchType"] == "FARGATE"
    assert recorded.request["networkConfiguration"]["awsvpcConfiguration"] == {
        "subnets": ["subnet-0a1b2c3d"],
        "securityGroups": ["sg-0a1b2c3d"],
        "assignPublicIp": "ENABLED",
    }
    assert recorded.request["overrides"]["containerOverrides"][0]["command"] == ["report", "--all"]


def test_a_task_whose_stop_is_waited_for_gets_what_its_stop_is_told_with() -> None:
    recorded = Recorded(run_task=STARTED)
    outcome = make_call("ecs", recorded, a_call(), mode=Mode.WAIT, **FIELDS)
    assert outcome.state is RunState.WAITING
    assert variables(recorded.request)["MINUTEHAND_TOKEN"] == "the-attempts-own"
    assert variables(recorded.request)["MINUTEHAND_CALLBACK_URL"].startswith("https://api.test/")


@pytest.mark.parametrize(
    ("reason", "final"),
    [
        ("RESOURCE:MEMORY", False),
        ("AGENT", False),
        ("Capacity is unavailable at this time. Please try again later or in a different availability zone", False),
        ("MISSING", True),
        ("INACTIVE", True),
    ],
)
def test_a_task_that_ecs_does_not_start_is_a_failure_although_the_answer_is_200(reason: str, final: bool) -> None:
    answer = STARTED | {"tasks": [], "failures": [{"arn": CLUSTER, "reason": reason}]}
    outcome = make_call("ecs", Recorded(run_task=answer), a_call(), **FIELDS)
    assert outcome.error is not None
    assert (outcome.state, outcome.error.type, outcome.final) == (RunState.FAILED, "TaskNotStarted", final)
    assert reason in outcome.error.message


@pytest.mark.parametrize(
    ("code", "status", "final"),
    [
        ("ClusterNotFoundException", 400, True),
        ("InvalidParameterException", 400, True),
        ("AccessDeniedException", 400, True),
        ("ServerException", 500, False),
        ("ThrottlingException", 400, False),
    ],
)
def test_a_refusal_is_final_unless_ecs_is_busy(code: str, status: int, final: bool) -> None:
    outcome = make_call("ecs", Recorded(run_task=error(code, status=status)), a_call(), **FIELDS)
    assert (outcome.state, outcome.final) == (RunState.FAILED, final)
