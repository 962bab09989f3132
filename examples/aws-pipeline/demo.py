"""A chain of three jobs that reach Lambda, SQS and Step Functions: once it succeeds, and once its last job fails."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import boto3
from botocore.config import Config
from examples.stage import Stage, say, wait_until

from minutehand.client import Client, Run

PARAMETERS = {
    "AwsTargets": "true",
    "AwsTargetArns": ",".join(
        f"arn:aws:{each}"
        for each in (
            "lambda:*:*:function:pipeline-*",
            "sqs:*:*:pipeline-*",
            "states:*:*:stateMachine:pipeline-*",
        )
    ),
}
"""The worker for targets in AWS, and what jobs may reach."""

ACCOUNT = "000000000000"
"""The emulator's."""
RESOURCES = "pipeline"
JOBS = ("demo/publish", "demo/announce", "demo/collect")
ENDED = ("succeeded", "failed", "timed_out", "lost")


def play(stage: Stage) -> None:
    """Deploy what the jobs reach, save the jobs, and trigger the first of them twice."""
    with _resources(stage), Client(stage.stack.url, stage.stack.token) as client:
        stage.apply("pipeline.yaml", {"${REGION}": stage.stack.region, "${ACCOUNT}": ACCOUNT})
        with stage.jobs(*JOBS):
            for payload in ({"rows": 1200}, {"rows": 0}):
                before = {run["run_id"] for run in client.runs("demo/publish")}
                stage.minutehand("trigger", "demo/collect", "--payload", json.dumps(payload), "--wait")
                run = wait_until(lambda known=before: _ended(client, known), seconds=120, what="the last job ends")
                stage.minutehand("run", "demo/publish", run["run_id"])
            say("\nin the queue:")
            for text in _messages(stage):
                say(f"  {text}")


def _ended(client: Client, known: set[str]) -> Run | None:
    """The run of the last job that is not known yet, once it has ended."""
    return next(
        (run for run in client.runs("demo/publish") if run["run_id"] not in known and run["state"] in ENDED), None
    )


@contextmanager
def _resources(stage: Stage) -> Iterator[None]:
    cloudformation = _aws(stage, "cloudformation")
    say(
        "\n$ aws cloudformation deploy --template-file resources.yml --stack-name pipeline --capabilities CAPABILITY_IAM"
    )
    template = (stage.folder / "resources.yml").read_text(encoding="utf-8")
    cloudformation.create_stack(StackName=RESOURCES, TemplateBody=template, Capabilities=["CAPABILITY_IAM"])
    try:
        waiting = {"Delay": 1, "MaxAttempts": 60}
        cloudformation.get_waiter("stack_create_complete").wait(StackName=RESOURCES, WaiterConfig=waiting)
        yield
    finally:
        cloudformation.delete_stack(StackName=RESOURCES)


def _messages(stage: Stage) -> list[str]:
    sqs = _aws(stage, "sqs")
    url = sqs.get_queue_url(QueueName="pipeline-announcements")["QueueUrl"]
    found: list[str] = []

    def both() -> bool:
        answer = sqs.receive_message(QueueUrl=url, WaitTimeSeconds=1, MaxNumberOfMessages=10)
        found.extend(message["Body"] for message in answer.get("Messages", []))
        return len(found) >= 2

    wait_until(both, seconds=60, what="two messages arrive")
    return found


def _aws(stage: Stage, service: str) -> Any:
    """A client of the emulator's."""
    return boto3.client(
        service,
        endpoint_url=stage.stack.endpoint_url,
        region_name=stage.stack.region,
        aws_access_key_id="test",
        aws_secret_access_key="test",  # noqa: S106 - any key will do
        config=Config(proxies={}),
    )
