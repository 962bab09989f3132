"""Jobs that reach AWS through the worker of their own, on the deployed stack."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError
from localstack.clients import Clients
from localstack.echo import EchoServer

from minutehand.client import Invalid
from tests.e2e.conftest import Stack, eventually

pytestmark = pytest.mark.services

REPORTING = """
import json, urllib.request

def handler(event, context):
    if "callback" not in event:
        return {"got": event}
    report = json.dumps({"state": "succeeded", "result": {"rows": event["payload"]["rows"]}}).encode()
    headers = {"Minutehand-Token": event["callback"]["token"], "Content-Type": "application/json"}
    request = urllib.request.Request(event["callback"]["url"] + "/report", data=report, headers=headers)
    urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request).read()
"""
MACHINE = {
    "StartAt": "Check",
    "States": {
        "Check": {
            "Type": "Choice",
            "Choices": [{"Variable": "$.payload.fail", "BooleanEquals": True, "Next": "Broken"}],
            "Default": "Done",
        },
        "Broken": {"Type": "Fail", "Error": "NoRows", "Cause": "the table is empty"},
        "Done": {"Type": "Pass", "Result": {"rows": 3}, "End": True},
    },
}


class Aws:
    """What the jobs of a test reach."""

    def __init__(self, stack: Stack, namespace: str) -> None:
        clients = Clients(stack.record.endpoint_url)
        trust = {"Statement": [{"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}]}
        anything = {"Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
        role = clients.iam.create_role(RoleName=namespace, AssumeRolePolicyDocument=json.dumps(trust))["Role"]["Arn"]
        clients.iam.put_role_policy(RoleName=namespace, PolicyName="any", PolicyDocument=json.dumps(anything))
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w") as archive:
            archive.writestr("index.py", REPORTING)
        self.function = clients.functions.create_function(
            FunctionName=f"job-{namespace}",
            Runtime="python3.13",
            Role=role,
            Handler="index.handler",
            Code={"ZipFile": data.getvalue()},
            Timeout=30,
        )["FunctionArn"]
        self.url = stack.sqs.create_queue(QueueName=f"job-{namespace}")["QueueUrl"]
        attributes = stack.sqs.get_queue_attributes(QueueUrl=self.url, AttributeNames=["QueueArn"])["Attributes"]
        self.queue = attributes["QueueArn"]
        self.states = stack.session.client("stepfunctions", endpoint_url=stack.record.endpoint_url)
        self.machine = self.states.create_state_machine(
            name=f"job-{namespace}", definition=json.dumps(MACHINE), roleArn=role
        )["stateMachineArn"]

    def close(self) -> None:
        self.states.close()


@pytest.fixture
def aws(stack: Stack, namespace: str) -> Iterator[Aws]:
    aws = Aws(stack, namespace)
    yield aws
    aws.close()


def ended(stack: Stack, job: str, run_id: str) -> dict[str, Any]:
    """The run, once it has ended."""

    def look() -> dict[str, Any] | None:
        run: Any = stack.client.run(job, run_id)
        return run if run["state"] not in ("queued", "running", "waiting", "retrying") else None

    return eventually(look, seconds=60, what=f"the end of {run_id}")


def triggered(stack: Stack, namespace: str, target: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Save and trigger a job; its run, once it has ended."""
    document = {"namespace": namespace, "name": "job", "schedule": "@manual", "target": target} | fields
    stack.client.apply_job(document)
    return ended(stack, f"{namespace}/job", stack.client.trigger(f"{namespace}/job")["run_id"])


def test_a_function_answers_a_run(stack: Stack, namespace: str, aws: Aws) -> None:
    run = triggered(stack, namespace, {"type": "lambda", "function": aws.function}, payload={"n": 1})
    assert (run["state"], run["result"]["type"]) == ("succeeded", "lambda")
    assert json.loads(run["result"]["body"]) == {"got": {"n": 1}}


def test_a_function_reports_later_with_what_its_event_had(stack: Stack, namespace: str, aws: Aws) -> None:
    target = {"type": "lambda", "function": aws.function, "mode": "callback"}
    run = triggered(stack, namespace, target, payload={"rows": 5}, timeout="1h")
    assert (run["state"], run["result"]["type"]) == ("succeeded", "callback")
    assert json.loads(run["result"]["body"]) == {"rows": 5}


@pytest.mark.parametrize(
    ("fail", "state", "kind"), [(False, "succeeded", None), (True, "failed", "NoRows")], ids=["it succeeds", "it fails"]
)
def test_the_end_of_an_execution_ends_the_run_that_waits_for_it(
    stack: Stack, namespace: str, aws: Aws, fail: bool, state: str, kind: str | None
) -> None:
    target = {"type": "stepfunctions", "state_machine": aws.machine, "mode": "wait"}
    run = triggered(stack, namespace, target, payload={"fail": fail}, timeout="1h")
    assert (run["state"], run["error"] and run["error"]["type"]) == (state, kind)
    if not fail:
        assert json.loads(run["result"]["body"]) == {"rows": 3}


def test_a_chain_goes_from_a_url_to_a_function_and_a_queue(
    stack: Stack, namespace: str, aws: Aws, target: EchoServer
) -> None:
    stack.client.apply_job(
        {"namespace": namespace, "name": "first", "schedule": "@manual", "target": {"type": "http", "url": target.url}}
    )
    for name, parent, reached in (
        ("second", "first", {"type": "lambda", "function": aws.function}),
        ("third", "second", {"type": "sqs", "queue": aws.queue}),
    ):
        stack.client.apply_job(
            {"namespace": namespace, "name": name, "target": reached, "depends_on": [{"job": parent}]}
        )
    stack.client.trigger(f"{namespace}/first")
    messages: Any = eventually(
        lambda: stack.sqs.receive_message(QueueUrl=aws.url).get("Messages"), seconds=60, what="the message of the third"
    )
    [parent] = json.loads(messages[0]["Body"])["parents"]
    assert (parent["job"], parent["state"]) == (f"{namespace}/second", "succeeded")


def test_an_arn_that_no_parameter_names_is_refused_when_it_is_saved(stack: Stack, namespace: str) -> None:
    target = {"type": "sqs", "queue": "arn:aws:sqs:us-east-1:000000000000:other"}
    with pytest.raises(Invalid, match="is not among the ARNs"):
        stack.client.apply_job({"namespace": namespace, "name": "job", "schedule": "@manual", "target": target})


def test_the_worker_that_calls_urls_may_reach_nothing_that_jobs_may_reach_in_aws(stack: Stack, aws: Aws) -> None:
    function = stack.record.outputs["HttpWorkerFunction"]
    role = stack.functions.get_function_configuration(FunctionName=function)["Role"]
    sts = stack.session.client("sts", endpoint_url=stack.record.endpoint_url)
    given = sts.assume_role(RoleArn=role, RoleSessionName="test")["Credentials"]
    keys = {
        "aws_access_key_id": given["AccessKeyId"],
        "aws_secret_access_key": given["SecretAccessKey"],
        "aws_session_token": given["SessionToken"],
    }
    client = stack.session.client("sqs", endpoint_url=stack.record.endpoint_url, **keys)
    with pytest.raises(ClientError, match="AccessDenied"):
        client.send_message(QueueUrl=aws.url, MessageBody="{}")
    for each in (sts, client):
        each.close()
