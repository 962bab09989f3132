"""Each kind of target of EventBridge becomes a target of a job, or one to be completed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.tools.importers.imports import changed, from_json, lost, only
from tests.unit.tools.importers.test_eventbridge import ACCOUNT, schedule

ECS = {
    "Arn": f"arn:aws:ecs:{ACCOUNT}:cluster/jobs",
    "EcsParameters": {
        "LaunchType": "FARGATE",
        "NetworkConfiguration": {
            "awsvpcConfiguration": {
                "AssignPublicIp": "ENABLED",
                "SecurityGroups": ["sg-0a1b2c3d"],
                "Subnets": ["subnet-0a1b2c3d"],
            }
        },
        "PlatformVersion": "LATEST",
        "TaskCount": 2,
        "TaskDefinitionArn": f"arn:aws:ecs:{ACCOUNT}:task-definition/report:7",
    },
    "Input": json.dumps(
        {"containerOverrides": [{"name": "main", "command": ["run"], "environment": [{"name": "A", "value": "1"}]}]}
    ),
}


def target(given: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = only(from_json("eventbridge", json.dumps(schedule(given)))).document
    return found["target"] | {"payload": found.get("payload")}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            {"Arn": f"arn:aws:lambda:{ACCOUNT}:function:report:live"},
            {"type": "lambda", "qualifier": "live", "mode": "event", "payload": {"month": "last"}},
        ),
        (
            {"Arn": f"arn:aws:sqs:{ACCOUNT}:q.fifo", "SqsParameters": {"MessageGroupId": "g"}},
            {"type": "sqs", "queue": f"arn:aws:sqs:{ACCOUNT}:q.fifo", "group": "g", "payload": '{"month": "last"}'},
        ),
        ({"Arn": f"arn:aws:sns:{ACCOUNT}:t", "Input": "Hello"}, {"type": "sns", "payload": "Hello"}),
        (
            {
                "Arn": f"arn:aws:events:{ACCOUNT}:event-bus/default",
                "EventBridgeParameters": {"DetailType": "due", "Source": "com.example"},
            },
            {"type": "eventbridge", "source": "com.example", "detail_type": "due", "payload": {"month": "last"}},
        ),
        ({"Arn": f"arn:aws:states:{ACCOUNT}:stateMachine:m"}, {"type": "stepfunctions", "mode": "start"}),
        (
            ECS,
            {
                "type": "ecs",
                "launch_type": "FARGATE",
                "subnets": ["subnet-0a1b2c3d"],
                "security_groups": ["sg-0a1b2c3d"],
                "public_ip": True,
                "container": "main",
                "command": ["run"],
                "environment": {"A": "1"},
            },
        ),
        (
            {
                "Arn": "arn:aws:scheduler:::aws-sdk:sqs:sendMessage",
                "Input": json.dumps(
                    {
                        "QueueUrl": "https://sqs.eu-west-1.amazonaws.com/111122223333/q",
                        "MessageBody": "hi",
                        "DelaySeconds": 5,
                    }
                ),
            },
            {"type": "sqs", "queue": f"arn:aws:sqs:{ACCOUNT}:q", "delay": "5s", "payload": "hi"},
        ),
        (
            {
                "Arn": "arn:aws:scheduler:::aws-sdk:lambda:invoke",
                "Input": json.dumps({"FunctionName": f"arn:aws:lambda:{ACCOUNT}:function:f", "Payload": '{"a":1}'}),
            },
            {"type": "lambda", "function": f"arn:aws:lambda:{ACCOUNT}:function:f", "payload": {"a": 1}},
        ),
        (
            {
                "Arn": "arn:aws:scheduler:::aws-sdk:sns:publish",
                "Input": json.dumps({"TopicArn": f"arn:aws:sns:{ACCOUNT}:t", "Message": "m", "Subject": "s"}),
            },
            {"type": "sns", "topic": f"arn:aws:sns:{ACCOUNT}:t", "subject": "s", "payload": "m"},
        ),
        (
            {
                "Arn": "arn:aws:scheduler:::aws-sdk:sfn:startExecution",
                "Input": json.dumps({"StateMachineArn": f"arn:aws:states:{ACCOUNT}:stateMachine:m", "Input": "[1]"}),
            },
            {"type": "stepfunctions", "payload": [1]},
        ),
        (
            {"Arn": "arn:aws:scheduler:::aws-sdk:ec2:stopInstances", "Input": '{"InstanceIds": ["i-1"]}'},
            {"type": "http", "url": "to-be-completed", "payload": {"InstanceIds": ["i-1"]}},
        ),
        (
            {"Arn": "arn:aws:scheduler:::aws-sdk:lambda:invoke", "Input": '{"FunctionName": "by-name"}'},
            {"type": "http", "url": "to-be-completed", "payload": {"FunctionName": "by-name"}},
        ),
        ({"Arn": f"arn:aws:kinesis:{ACCOUNT}:stream/s"}, {"type": "http", "url": "to-be-completed"}),
    ],
    ids=str,
)
def test_a_target_becomes_one_of_ours(given: dict[str, Any], expected: dict[str, Any]) -> None:
    found = target(given)
    assert {name: found.get(name) for name in expected} == expected


def test_parameters_of_a_task_that_no_job_has_are_named() -> None:
    draft = only(from_json("eventbridge", json.dumps(schedule(ECS))))
    assert "Target.EcsParameters.TaskCount" in changed(draft)
    assert lost(draft) == {"Target.EcsParameters.PlatformVersion"}


def test_a_task_without_a_named_container_is_to_be_completed() -> None:
    draft = only(from_json("eventbridge", json.dumps(schedule(ECS | {"Input": None}))))
    assert draft.to_complete() == ["target.container"]


def test_keywords_in_the_input_are_told_to_stay_as_they_are() -> None:
    given = {"Input": '{"at": "<aws.scheduler.scheduled-time>"}'}
    draft = only(from_json("eventbridge", json.dumps(schedule(given))))
    assert lost(draft) == {"Target.Input"}
    assert draft.document["payload"] == {"at": "<aws.scheduler.scheduled-time>"}


def rule(*targets: dict[str, Any], **fields: Any) -> str:
    """What `describe-rule` and `list-targets-by-rule` print, one after the other."""
    described = {
        "Name": "noon",
        "Arn": f"arn:aws:events:{ACCOUNT}:rule/noon",
        "ScheduleExpression": "cron(0 12 ? * MON-FRI *)",
        "State": "ENABLED",
        "EventBusName": "default",
        "CreatedBy": "111122223333",
    } | fields
    return json.dumps(described) + json.dumps({"Targets": list(targets)})


FUNCTION = {"Id": "1", "Arn": f"arn:aws:lambda:{ACCOUNT}:function:report"}


def test_each_target_of_a_rule_becomes_a_job() -> None:
    done = from_json("eventbridge", rule(FUNCTION, {"Id": "queue", "Arn": f"arn:aws:sqs:{ACCOUNT}:q"}))
    names = [draft.document["name"] for draft in done.kept]
    assert names == ["noon-1", "noon-queue"]
    assert {draft.document["schedule"] for draft in done.kept} == {"cron(0 12 ? * MON-FRI *)"}
    assert only(from_json("eventbridge", rule(FUNCTION))).document["name"] == "noon"


def test_a_rule_without_a_schedule_or_without_targets_is_left_out() -> None:
    pattern = from_json("eventbridge", rule(FUNCTION, ScheduleExpression=None, EventPattern='{"source": ["aws.ec2"]}'))
    alone = from_json("eventbridge", json.dumps(json.loads(rule().split('{"Targets"')[0])))
    for done, reason in ((pattern, "events start this rule"), (alone, "list-targets-by-rule")):
        [draft] = done.drafts
        assert draft.refused is not None
        assert reason in draft.refused.reason


def test_an_input_transformer_is_carried_if_it_takes_nothing_from_the_event() -> None:
    constant = {"InputTransformer": {"InputTemplate": '{"a": 1}'}}
    taking = {"InputTransformer": {"InputPathsMap": {"t": "$.time"}, "InputTemplate": '{"at": <t>}'}}
    assert only(from_json("eventbridge", rule(FUNCTION | constant))).document["payload"] == {"a": 1}
    draft = only(from_json("eventbridge", rule(FUNCTION | taking)))
    assert "payload" not in draft.document
    assert lost(draft) == {"Target.InputTransformer"}


def test_an_api_of_api_gateway_is_called_by_its_url() -> None:
    arn = f"arn:aws:execute-api:{ACCOUNT}:abc123/prod/POST/reports/*"
    parameters = {
        "PathParameterValues": ["7"],
        "HeaderParameters": {"X-A": "{{b}}"},
        "QueryStringParameters": {"q": "1"},
    }
    found = only(from_json("eventbridge", rule({"Id": "1", "Arn": arn, "HttpParameters": parameters}))).document[
        "target"
    ]
    assert found == {
        "type": "http",
        "method": "POST",
        "url": "https://abc123.execute-api.eu-west-1.amazonaws.com/prod/reports/7",
        "headers": {"X-A": "{{{{b}}"},
        "query": {"q": "1"},
    }


def test_an_api_destination_is_to_be_completed() -> None:
    arn = f"arn:aws:events:{ACCOUNT}:api-destination/hook/1"
    assert only(from_json("eventbridge", rule({"Id": "1", "Arn": arn}))).to_complete() == ["target.url"]
