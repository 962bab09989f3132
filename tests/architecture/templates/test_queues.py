"""Queues, their workers, and how often a failure is repeated."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from infra.deploy.parameters import holds

from minutehand.entrypoints.sweep import RENEWING, SENDING, UNPACKING
from minutehand.usecases.upkeep.reshard import AT_MOST
from minutehand.usecases.upkeep.sweep import SWEEP_EVERY
from tests.architecture.templates.loaded import FUNCTIONS, MAIN, NESTED, OWN_QUEUES, QUEUE_NAMES, QUEUES

FOURTEEN_DAYS = 14 * 24 * 3600


def _timeout(function: str) -> int:
    properties = FUNCTIONS[function]["Properties"]
    seconds: int = properties.get("Timeout", MAIN["Globals"]["Function"]["Timeout"])
    return seconds


def test_a_failed_tick_is_not_retried() -> None:
    tick = FUNCTIONS["TickFunction"]["Properties"]
    schedule = tick["Events"]["EveryMinute"]["Properties"]
    for policy in (tick["EventInvokeConfig"], schedule["RetryPolicy"]):
        assert policy == {"MaximumRetryAttempts": 0, "MaximumEventAgeInSeconds": 60}
    assert schedule["Schedule"] == "rate(1 minute)"


def test_a_failed_sweep_is_not_retried() -> None:
    sweep = FUNCTIONS["SweepFunction"]["Properties"]
    schedule = sweep["Events"]["EveryMinute"]["Properties"]
    for policy in (sweep["EventInvokeConfig"], schedule["RetryPolicy"]):
        assert policy == {"MaximumRetryAttempts": 0, "MaximumEventAgeInSeconds": SWEEP_EVERY.total_seconds()}
    assert schedule["Schedule"] == "rate(1 minute)"
    assert timedelta(minutes=1) == SWEEP_EVERY
    limits = SENDING + AT_MOST + UNPACKING + RENEWING
    assert limits < timedelta(seconds=sweep["Timeout"])


@pytest.mark.parametrize(
    ("queue", "function"),
    [
        ("HttpQueue", "HttpWorkerFunction"),
        ("HttpSlowQueue", "HttpWorkerFunction"),
        ("HttpDeadLetterQueue", "DrainFunction"),
    ],
)
def test_a_queue_has_a_long_enough_visibility_timeout_and_retention(queue: str, function: str) -> None:
    properties = QUEUES[queue]["Properties"]
    assert properties["VisibilityTimeout"] >= 6 * _timeout(function)
    assert properties["MessageRetentionPeriod"] == FOURTEEN_DAYS


def test_a_message_becomes_a_dead_letter_only_after_many_receives() -> None:
    for queue in ("HttpQueue", "HttpSlowQueue"):
        assert QUEUES[queue]["Properties"]["RedrivePolicy"]["maxReceiveCount"] >= 20


def test_both_lanes_have_the_same_queue_and_dead_letters() -> None:
    assert QUEUES["HttpSlowQueue"] == QUEUES["HttpQueue"]


def test_only_workers_may_send_messages_that_come_back_to_it() -> None:
    allowed = {name: one["Properties"].get("RecursiveLoop") for name, one in FUNCTIONS.items()}
    assert {name for name, loop in allowed.items() if loop == "Allow"} == {
        "AgentsFunction", "AwsWorkerFunction", "HttpWorkerFunction",
    }  # fmt: skip


def test_only_the_queues_of_the_lanes_are_polled_by_lambda() -> None:
    """A mapping polls its queue all the time, which costs more than all that an idle sweep does."""
    polled = {
        name: [one["Properties"]["Queue"]["Fn::GetAtt"] for one in function["Properties"].get("Events", {}).values()
               if one["Type"] == "SQS"]
        for name, function in FUNCTIONS.items()
    }  # fmt: skip
    assert {name: queues for name, queues in polled.items() if queues} == {
        "HttpWorkerFunction": ["Messaging.Outputs.HttpQueueArn", "Messaging.Outputs.HttpSlowQueueArn"],
        "AwsWorkerFunction": ["AwsWorker.Outputs.QueueArn", "AwsWorker.Outputs.SlowQueueArn"],
        "AgentsFunction": ["AgentsWorker.Outputs.QueueArn"],
    }


def test_the_queues_of_a_worker_that_a_parameter_adds_are_as_those_of_http() -> None:
    theirs = {
        name: {key: value for key, value in one.items() if key != "Condition"}
        for name, one in OWN_QUEUES.items()
        if name != "Logs"
    }
    conditional = {name for name, one in OWN_QUEUES.items() if one.get("Condition") == "HasSlowLane"}
    assert conditional == {name for name in OWN_QUEUES if name.startswith("Slow")}
    of_http = json.loads(json.dumps(QUEUES).replace("Http", ""))
    assert theirs["Queue"]["Properties"].pop("VisibilityTimeout") == {"Ref": "VisibilityTimeout"}
    hides = of_http["Queue"]["Properties"].pop("VisibilityTimeout")
    assert NESTED["worker"]["Parameters"]["VisibilityTimeout"]["Default"] == hides
    assert theirs == of_http
    logs = NESTED["logs"]["Resources"]["HttpWorkerLogs"]
    assert OWN_QUEUES["Logs"] == logs


def test_the_sweep_counts_the_dead_letters_that_the_drain_receives_and_starts_it() -> None:
    sweep, drain = (FUNCTIONS[f"{name}Function"]["Properties"] for name in ("Sweep", "Drain"))
    for one in (sweep, drain):
        variables = one["Environment"]["Variables"]
        assert variables["HTTP_DEAD_LETTER_QUEUE_URL"] == {"Fn::GetAtt": "Messaging.Outputs.HttpDeadLetterQueueUrl"}
        if_present = ["HasAws", {"Fn::GetAtt": "AwsWorker.Outputs.DeadLetterQueueUrl"}, {"Ref": "AWS::NoValue"}]
        assert variables["AWS_DEAD_LETTER_QUEUE_URL"] == {"Fn::If": if_present}
        if_present = ["HasAgents", {"Fn::GetAtt": "AgentsWorker.Outputs.DeadLetterQueueUrl"}, {"Ref": "AWS::NoValue"}]
        assert variables["AGENTS_DEAD_LETTER_QUEUE_URL"] == {"Fn::If": if_present}
    assert sweep["Environment"]["Variables"]["DRAIN_FUNCTION"] == {"Ref": "DrainFunction"}
    assert drain["EventInvokeConfig"] == {"MaximumRetryAttempts": 0, "MaximumEventAgeInSeconds": 60}
    assert timedelta(seconds=_timeout("DrainFunction")) <= SWEEP_EVERY, "one drain ends before the next begins"


@pytest.mark.parametrize("pollers", [0, 100])
def test_workers_have_a_maximum_concurrency_or_provisioned_pollers_and_never_both(pollers: int) -> None:
    values = {name: str(one.get("Default", "")) for name, one in MAIN["Parameters"].items()}
    values |= {"WorkerPollers": str(pollers), "WorkerMaxConcurrency": "7"}
    events = _resolved(FUNCTIONS["HttpWorkerFunction"]["Properties"]["Events"], values)["Runs"]["Properties"]
    assert events["ScalingConfig"] == (None if pollers else {"MaximumConcurrency": "7"})
    assert events["ProvisionedPollerConfig"] == (
        {"MinimumPollers": "100", "MaximumPollers": "100"} if pollers else None
    )


def test_without_a_limit_the_scaling_of_both_lanes_is_empty_which_removes_an_earlier_limit() -> None:
    """CloudFormation's reference, `ScalingConfig`: "To remove the configuration, pass an empty value."""
    values = {name: str(one.get("Default", "")) for name, one in MAIN["Parameters"].items()}
    values |= {"WorkerMaxConcurrency": "0", "SlowWorkerMaxConcurrency": "0"}
    events = _resolved(FUNCTIONS["HttpWorkerFunction"]["Properties"]["Events"], values)
    assert [events[name]["Properties"]["ScalingConfig"] for name in ("Runs", "SlowRuns")] == [{}, {}]


@pytest.mark.parametrize("pollers", [0, 100])
def test_the_slow_lane_has_a_share_of_its_own_whatever_the_quick_one_has(pollers: int) -> None:
    values = {name: str(one.get("Default", "")) for name, one in MAIN["Parameters"].items()}
    values |= {"WorkerPollers": str(pollers), "WorkerMaxConcurrency": "7", "SlowWorkerMaxConcurrency": "5"}
    events = FUNCTIONS["HttpWorkerFunction"]["Properties"]["Events"]
    quick, slow = (_resolved(events, values)[name]["Properties"] for name in ("Runs", "SlowRuns"))
    assert slow["ScalingConfig"] == {"MaximumConcurrency": "5"}
    assert (slow["BatchSize"], slow["FunctionResponseTypes"]) == (quick["BatchSize"], quick["FunctionResponseTypes"])


def _resolved(value: Any, values: dict[str, str]) -> Any:
    """A part of the template with these parameters; None for AWS::NoValue."""
    match value:
        case {"Fn::If": [name, then, otherwise]}:
            return _resolved(then if holds(MAIN["Conditions"][name], values) else otherwise, values)
        case {"Ref": name}:
            return None if name == "AWS::NoValue" else values[name]
        case {"Fn::GetAtt": _}:
            return value
        case dict():
            return {key: _resolved(inner, values) for key, inner in value.items()}
        case list():
            return [_resolved(inner, values) for inner in value]
    return value


@pytest.mark.parametrize("queue", QUEUE_NAMES)
def test_a_queue_refuses_requests_without_tls(queue: str) -> None:
    [policy] = [
        one["Properties"]
        for one in QUEUES.values()
        if one["Type"] == "AWS::SQS::QueuePolicy" and {"Ref": queue} in one["Properties"]["Queues"]
    ]
    [statement] = policy["PolicyDocument"]["Statement"]
    assert (statement["Effect"], statement["Principal"], statement["Action"]) == ("Deny", "*", "sqs:*")
    assert json.dumps({"Ref": queue}) in json.dumps(statement["Resource"])
    assert statement["Condition"] == {  # as the bucket's
        "Bool": {"aws:SecureTransport": "false"},
        "NotIpAddress": {"aws:SourceIp": "127.0.0.0/8"},
    }
