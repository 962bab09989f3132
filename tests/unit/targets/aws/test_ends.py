"""Events about the ends of executions and tasks, in the form of the examples in AWS's guides."""

from __future__ import annotations

import json
from typing import Any

import pytest

from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Result, RunState
from minutehand.domain.run_key import RunKey
from minutehand.domain.token import attempt_nonce
from minutehand.targets import TYPES
from minutehand.targets.aws.ends import End, end_of
from minutehand.targets.aws.tasks.caller import variables_of
from minutehand.targets.aws.tasks.fields import Mode
from minutehand.usecases.ports.executions import Awaiting
from tests.unit.targets.aws.calling import NOW, a_call, arn

KEY = RunKey.scheduled(JobKey(namespace="shop", name="report"), NOW)
EXECUTION = arn("states", "execution:report:minutehand-1")
TOKEN = "q9-Zr_3kT1vYwB7xLm5nC0aHdEfGjKuP"
AWAITING = Awaiting(KEY, 2, attempt_nonce(TOKEN))
TASK = arn("ecs", "task/jobs/c13b4cb40f1f4fe4a2971f76ae5a47ad")


def ended(event: dict[str, Any]) -> End | None:
    """What an event tells, where an attempt waits for one execution."""
    return end_of(json.loads(json.dumps(event)), {EXECUTION: AWAITING}.get)


def execution(**detail: Any) -> dict[str, Any]:
    """The event of an execution: Step Functions' guide, "Automating event delivery with EventBridge"."""
    return {
        "version": "0",
        "id": "315c1398-40ff-a850-213b-158f73e60175",
        "detail-type": "Step Functions Execution Status Change",
        "source": "aws.states",
        "account": "111122223333",
        "region": "eu-west-1",
        "detail": {
            "executionArn": EXECUTION,
            "stateMachineArn": arn("states", "stateMachine:report"),
            "name": "minutehand-1",
            "status": "SUCCEEDED",
            "startDate": 1551225271984,
            "stopDate": 1551225286984,
            "input": '{"n": 1}',
            "inputDetails": {"included": True},
            "output": '{"rows": 3}',
            "outputDetails": {"included": True},
            "error": None,
            "cause": None,
        }
        | detail,
    }


def task(container: dict[str, Any] | None = None, **detail: Any) -> dict[str, Any]:
    """The event of a task: ECS's guide, "Amazon ECS task state change events"."""
    target = TYPES["ecs"].fields(
        cluster=arn("ecs", "cluster/jobs"),
        task_definition=arn("ecs", "task-definition/report"),
        container="main",
        mode=Mode.WAIT,
    )
    environment = [{"name": name, "value": value} for name, value in variables_of(target, a_call(attempt=2)).items()]
    return {
        "detail-type": "ECS Task State Change",
        "source": "aws.ecs",
        "detail": {
            "taskArn": TASK,
            "clusterArn": arn("ecs", "cluster/jobs"),
            "containers": [
                {"name": "sidecar", "lastStatus": "STOPPED", "exitCode": 137},
                {"name": "main", "lastStatus": "STOPPED", "exitCode": 0} | (container or {}),
            ],
            "desiredStatus": "STOPPED",
            "lastStatus": "STOPPED",
            "overrides": {"containerOverrides": [{"name": "sidecar"}, {"name": "main", "environment": environment}]},
            "startedBy": "minutehand-0a1b2c3d",
            "stopCode": "EssentialContainerExited",
            "stoppedReason": "Essential container in task exited",
        }
        | detail,
    }


def test_the_event_of_a_task_names_the_attempt_and_carries_its_token() -> None:
    end = ended(task())
    assert end is not None
    assert end.awaiting == Awaiting(KEY, 2, attempt_nonce("the-attempts-own"))
    assert (end.token, end.outcome.state) == ("the-attempts-own", RunState.SUCCEEDED)


@pytest.mark.parametrize(
    "detail",
    [
        {},
        {"input": None, "inputDetails": {"included": False}},
        {"input": None, "output": None, "inputDetails": None, "outputDetails": None},
        {"stateMachineArn": arn("states", "stateMachine:report:live")},
    ],
)
def test_the_event_of_an_execution_names_the_attempt_that_waits_for_it_whatever_aws_leaves_out(
    detail: dict[str, Any],
) -> None:
    end = ended(execution(**detail))
    assert end is not None
    assert (end.awaiting, end.token, end.outcome.state) == (AWAITING, "", RunState.SUCCEEDED)


@pytest.mark.parametrize("detail", [
    {"output": json.dumps({"callback": {"token": TOKEN}})},
    {"output": json.dumps({"said": json.dumps({"token": TOKEN})})},
    {"status": "FAILED", "output": None, "error": "Refused", "cause": f"the token {TOKEN} is not known"},
])  # fmt: skip
def test_a_token_that_an_execution_quotes_is_known_so_that_it_can_be_removed(detail: dict[str, Any]) -> None:
    end = ended(execution(**detail))
    assert end is not None
    assert end.token == TOKEN


def test_the_output_of_an_execution_is_the_result() -> None:
    end = ended(execution())
    assert end is not None
    assert end.outcome.result == Result(type="stepfunctions", status=0, body='{"rows": 3}')


def test_an_output_that_aws_left_out_is_cut() -> None:
    end = ended(execution(output=None, outputDetails={"included": False}))
    assert end is not None
    assert end.outcome.result == Result(type="stepfunctions", status=0, body="", cut=True)


@pytest.mark.parametrize(
    ("detail", "kind", "words"),
    [
        ({"status": "FAILED", "error": "NoRows", "cause": "the table is empty"}, "NoRows", "the table is empty"),
        ({"status": "TIMED_OUT", "output": None}, "ExecutionTimedOut", "TIMED_OUT"),
        ({"status": "ABORTED", "output": None}, "ExecutionAborted", "ABORTED"),
    ],
)
def test_an_execution_that_did_not_succeed_fails_the_attempt(detail: dict[str, Any], kind: str, words: str) -> None:
    end = ended(execution(**detail))
    assert end is not None
    assert end.outcome.error is not None
    assert (end.outcome.state, end.outcome.error.type) == (RunState.FAILED, kind)
    assert words in end.outcome.error.message
    assert EXECUTION in end.outcome.error.message


@pytest.mark.parametrize(
    ("container", "detail", "kind", "words"),
    [
        ({"exitCode": 3}, {}, "ExitCode", "exit code 3: Essential container in task exited"),
        ({"exitCode": 137, "reason": "OutOfMemoryError: Container killed"}, {}, "ExitCode", "OutOfMemoryError"),
        (
            {"exitCode": None},
            {"stopCode": "TaskFailedToStart", "stoppedReason": "CannotPullContainerError: no such image"},
            "TaskFailedToStart",
            "CannotPullContainerError",
        ),
        ({"exitCode": None}, {"stopCode": "SpotInterruption"}, "SpotInterruption", "without an exit code"),
    ],
)
def test_a_task_that_did_not_exit_with_0_fails_the_attempt_with_the_reason(
    container: dict[str, Any], detail: dict[str, Any], kind: str, words: str
) -> None:
    end = ended(task(container, **detail))
    assert end is not None
    assert end.outcome.error is not None
    assert (end.outcome.state, end.outcome.error.type) == (RunState.FAILED, kind)
    assert words in end.outcome.error.message
    assert end.outcome.result is not None
    assert json.loads(end.outcome.result.body)["exit_code"] == container["exitCode"]


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"detail-type": "Scheduled Event", "source": "aws.events", "detail": {}},
        {
            "detail-type": "Step Functions Execution Status Change",
            "source": "com.example",
            "detail": execution()["detail"],
        },
        execution(status="RUNNING"),
        execution(name="minutehand-2"),
        execution(name=None),
        execution(stateMachineArn=arn("states", "stateMachine:other")),
        task(lastStatus="RUNNING"),
        task(overrides={"containerOverrides": [{"name": "main"}]}),
        task(overrides={}),
    ],
)
def test_an_event_about_nothing_that_waits_says_nothing(event: dict[str, Any]) -> None:
    assert ended(event) is None
