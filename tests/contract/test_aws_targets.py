"""Targets in AWS, called on MiniStack: what arrives there, and how its refusals end an attempt.

MiniStack has no containers here, so a task of `ecs` only starts. Its stop, and answers that MiniStack does not give, are recorded from AWS's
documentation in tests/unit/targets/aws.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import boto3
import pytest

from minutehand.domain.outcome import Outcome
from minutehand.domain.run import RunState
from minutehand.targets import TYPES
from minutehand.targets.aws.clients import Clients
from minutehand.targets.aws.functions.fields import Mode
from tests.contract.conftest import Server
from tests.unit.targets.aws.calling import RUN, Recorded, a_call, caller

pytestmark = pytest.mark.services

CODE = """
def handler(event, context):
    print("got", event)
    if event == "fail":
        raise ValueError("as asked")
    return {"echo": event}
"""
ANYBODY = {"Statement": [{"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}]}
ANYTHING = {"Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
Make = Callable[..., Any]


@pytest.fixture
def make(ministack: Server) -> Make:
    """Makes clients of MiniStack's services."""
    keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test", "region_name": "us-east-1"}
    endpoint = ministack.client.meta.endpoint_url

    def client(service: str, **given: Any) -> Any:
        return boto3.client(service, endpoint_url=endpoint, **(keys | given))

    return client


@pytest.fixture
def role(make: Make, namespace: str) -> str:
    """A role that anybody may assume, and that may do anything."""
    name, iam = f"role-{namespace}", make("iam")
    arn: str = iam.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(ANYBODY))["Role"]["Arn"]
    iam.put_role_policy(RoleName=name, PolicyName="anything", PolicyDocument=json.dumps(ANYTHING))
    return arn


@pytest.fixture
def call(make: Make) -> Callable[..., Outcome]:
    """Calls a target of a type on MiniStack."""

    def made(kind: str, payload: Any = None, **fields: Any) -> Outcome:
        call = caller(kind, Recorded())
        call._clients = Clients(make)
        return call(TYPES[kind].fields(**fields), a_call(payload, timeout=60))

    return made


@pytest.fixture
def function(make: Make, namespace: str, role: str) -> str:
    """A function that answers what it gets."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("index.py", CODE)
    arn: str = make("lambda").create_function(
        FunctionName=f"echo-{namespace}",
        Runtime="python3.13",
        Role=role,
        Handler="index.handler",
        Code={"ZipFile": data.getvalue()},
        Publish=True,
    )["FunctionArn"]
    return arn


def body(outcome: Outcome) -> Any:
    assert outcome.result is not None, outcome.error
    return json.loads(outcome.result.body)


def test_a_function_answers_and_its_log_is_kept(call: Callable[..., Outcome], function: str) -> None:
    outcome = call("lambda", {"n": 1}, function=function, qualifier="1", log_tail=True)
    assert (outcome.state, body(outcome)) == (RunState.SUCCEEDED, {"echo": {"n": 1}})
    assert outcome.result is not None
    assert "got" in outcome.result.log


def test_a_function_that_raises_fails_the_attempt_with_its_own_error(
    call: Callable[..., Outcome], function: str
) -> None:
    outcome = call("lambda", "fail", function=function)
    assert outcome.error is not None
    assert (outcome.state, outcome.error.message) == (
        RunState.FAILED,
        "as asked",
    )  # MiniStack tells neither type nor stack
    assert outcome.result is not None
    assert "ValueError: as asked" in outcome.result.log
    assert not outcome.final


def test_an_event_is_queued_for_a_function(call: Callable[..., Outcome], function: str) -> None:
    outcome = call("lambda", {"n": 1}, function=function, mode=Mode.EVENT)
    assert (outcome.state, outcome.result and outcome.result.status) == (RunState.SUCCEEDED, 202)


def test_what_does_not_exist_is_final(call: Callable[..., Outcome]) -> None:
    prefix = "us-east-1:000000000000"
    missing: dict[str, dict[str, str]] = {
        "lambda": {"function": f"arn:aws:lambda:{prefix}:function:missing"},
        "sqs": {"queue": f"arn:aws:sqs:{prefix}:missing"},
        "sns": {"topic": f"arn:aws:sns:{prefix}:missing"},
        "stepfunctions": {"state_machine": f"arn:aws:states:{prefix}:stateMachine:missing"},
        "ecs": {
            "cluster": f"arn:aws:ecs:{prefix}:cluster/missing",
            "task_definition": f"arn:aws:ecs:{prefix}:task-definition/missing",
            "container": "main",
        },
    }
    outcomes = {kind: call(kind, {}, **fields) for kind, fields in missing.items()}
    assert {kind: (one.state, one.final) for kind, one in outcomes.items()} == dict.fromkeys(
        missing, (RunState.FAILED, True)
    )


def received(make: Make, url: str) -> list[dict[str, Any]]:
    answer = make("sqs").receive_message(
        QueueUrl=url, MaxNumberOfMessages=10, MessageAttributeNames=["All"], WaitTimeSeconds=10
    )
    messages: list[dict[str, Any]] = answer.get("Messages", [])
    return messages


def queue(make: Make, name: str, **attributes: str) -> tuple[str, str]:
    """The ARN and the URL of a new queue."""
    url = make("sqs").create_queue(QueueName=name, Attributes=attributes)["QueueUrl"]
    found = make("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    open_to_all = {"Statement": [{"Effect": "Allow", "Principal": "*", "Action": "sqs:SendMessage", "Resource": found}]}
    make("sqs").set_queue_attributes(QueueUrl=url, Attributes={"Policy": json.dumps(open_to_all)})
    return found, url


def test_a_message_arrives_with_the_facts_about_the_run(
    call: Callable[..., Outcome], make: Make, namespace: str
) -> None:
    arn, url = queue(make, f"plain-{namespace}")
    outcome = call("sqs", {"n": 1}, queue=arn, attributes=(("team", "data"),))
    [message] = received(make, url)
    assert (message["MessageId"], message["Body"]) == (body(outcome)["message_id"], '{"n":1}')
    values = {name: each["StringValue"] for name, each in message["MessageAttributes"].items()}
    assert (values["team"], values["Minutehand-Run-Id"]) == ("data", RUN)


def test_a_fifo_queue_drops_the_message_of_a_repeated_attempt(
    call: Callable[..., Outcome], make: Make, namespace: str
) -> None:
    arn, url = queue(make, f"ordered-{namespace}.fifo", FifoQueue="true")
    first, second = (call("sqs", {"n": 1}, queue=arn) for _ in range(2))
    assert body(first)["message_id"] == body(second)["message_id"]
    assert len(received(make, url)) == 1


def test_a_role_that_is_assumed_sends_the_message(
    call: Callable[..., Outcome], make: Make, namespace: str, role: str
) -> None:
    arn, url = queue(make, f"assumed-{namespace}")
    assert call("sqs", {}, queue=arn, role_arn=role).state is RunState.SUCCEEDED
    assert len(received(make, url)) == 1


def test_a_topic_passes_a_message_on(call: Callable[..., Outcome], make: Make, namespace: str) -> None:
    queue_arn, url = queue(make, f"subscribed-{namespace}")
    topic = make("sns").create_topic(Name=f"topic-{namespace}")["TopicArn"]
    make("sns").subscribe(TopicArn=topic, Protocol="sqs", Endpoint=queue_arn)
    outcome = call("sns", {"n": 1}, topic=topic, subject="A report is due")
    [message] = received(make, url)
    passed = json.loads(message["Body"])
    assert (passed["MessageId"], passed["Subject"]) == (body(outcome)["message_id"], "A report is due")
    assert passed["Message"] == '{"n":1}'


def test_a_bus_passes_an_event_on(call: Callable[..., Outcome], make: Make, namespace: str) -> None:
    queue_arn, url = queue(make, f"matched-{namespace}")
    events = make("events")
    bus = events.create_event_bus(Name=f"bus-{namespace}")["EventBusArn"]
    pattern = json.dumps({"source": ["com.example.reports"]})
    events.put_rule(Name="all", EventBusName=f"bus-{namespace}", EventPattern=pattern)
    events.put_targets(Rule="all", EventBusName=f"bus-{namespace}", Targets=[{"Id": "queue", "Arn": queue_arn}])
    outcome = call("eventbridge", {"n": 1}, bus=bus, source="com.example.reports", detail_type="report due")
    [message] = received(make, url)
    passed = json.loads(message["Body"])
    assert (passed["id"], passed["detail"], passed["detail-type"]) == (
        body(outcome)["event_id"],
        {"n": 1},
        "report due",
    )


def test_a_state_machine_starts_one_execution_for_each_attempt(
    call: Callable[..., Outcome], make: Make, namespace: str, role: str
) -> None:
    states = make("stepfunctions")
    machine = states.create_state_machine(
        name=f"machine-{namespace}",
        definition=json.dumps({"StartAt": "Done", "States": {"Done": {"Type": "Pass", "End": True}}}),
        roleArn=role,
    )["stateMachineArn"]
    outcomes = [call("stepfunctions", {"n": 1}, state_machine=machine) for _ in range(2)]
    assert [one.state for one in outcomes] == [RunState.SUCCEEDED] * 2
    [execution] = states.list_executions(stateMachineArn=machine)["executions"]
    assert execution["executionArn"] == body(outcomes[0])["execution_arn"]
    described = states.describe_execution(executionArn=execution["executionArn"])
    assert json.loads(described["input"]) == {"n": 1}


def test_a_cluster_starts_a_task_with_the_runs_values(call: Callable[..., Outcome], make: Make, namespace: str) -> None:
    ecs = make("ecs")
    cluster = ecs.create_cluster(clusterName=f"cluster-{namespace}")["cluster"]["clusterArn"]
    definition = ecs.register_task_definition(
        family=f"task-{namespace}",
        containerDefinitions=[{"name": "main", "image": "busybox", "memory": 64, "essential": True}],
    )["taskDefinition"]["taskDefinitionArn"]
    outcome = call("ecs", {"n": 1}, cluster=cluster, task_definition=definition, container="main")
    assert outcome.state is RunState.SUCCEEDED
    [task] = ecs.describe_tasks(cluster=cluster, tasks=[body(outcome)["task_arn"]])["tasks"]
    [override] = task["overrides"]["containerOverrides"]
    assert {"name": "MINUTEHAND_PAYLOAD", "value": '{"n":1}'} in override["environment"]
