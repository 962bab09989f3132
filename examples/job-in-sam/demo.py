"""A stack with a function and the job that invokes it: created, changed, changed wrongly and rolled back, deleted."""

import time
from typing import Any

import boto3
from botocore.config import Config
from examples.stage import Stage, say

PARAMETERS = {
    "ResourceNamespaces": "shop",
    "AwsTargets": "true",
    "AwsTargetArns": "arn:aws:lambda:*:*:function:job-in-sam-*",
}
"""Stacks may declare jobs of the namespace `shop`, and jobs may invoke the functions of this stack."""

STACK = "job-in-sam"
JOB = "shop/nightly-report"
ROLLED_BACK = ("ROLLBACK_COMPLETE", "UPDATE_ROLLBACK_COMPLETE")


def play(stage: Stage) -> None:
    """Deploy the stack, and change it twice."""
    cloudformation = _cloudformation(stage)
    template = (stage.folder / "template.yml").read_text(encoding="utf-8")
    try:
        _deploy(cloudformation, stage, template)
        stage.minutehand("show", JOB)
        stage.minutehand("trigger", JOB, "--wait")
        _deploy(cloudformation, stage, template, "0 5 * * *")
        _deploy(cloudformation, stage, template, "0 25 * * *")
        stage.minutehand("list", "--namespace", "shop")
    finally:
        say(f"\n$ sam delete --stack-name {STACK}")
        cloudformation.delete_stack(StackName=STACK)
        _status(cloudformation)
    stage.minutehand("list", "--namespace", "shop")


def _deploy(cloudformation: Any, stage: Stage, template: str, schedule: str = "") -> None:
    """Create or update the stack, and show what became of the job's resource."""
    overrides = f" --parameter-overrides 'Schedule={schedule}'" if schedule else ""
    say(f"\n$ sam deploy --stack-name {STACK} --capabilities CAPABILITY_IAM{overrides}")
    given = {"MinutehandStack": stage.stack.stack} | ({"Schedule": schedule} if schedule else {})
    call = cloudformation.update_stack if schedule else cloudformation.create_stack
    call(
        StackName=STACK,
        TemplateBody=template,
        Parameters=[{"ParameterKey": name, "ParameterValue": value} for name, value in given.items()],
        Capabilities=["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"],
    )
    status = _status(cloudformation)
    say(status)
    if status in ROLLED_BACK:
        for event in cloudformation.describe_stack_events(StackName=STACK)["StackEvents"]:
            if event.get("ResourceStatus", "").endswith("_FAILED") and event["LogicalResourceId"] == "NightlyReport":
                say(event["ResourceStatusReason"])


def _status(cloudformation: Any) -> str:
    """What the stack has come to; empty if it is gone."""
    while True:
        try:
            [found] = cloudformation.describe_stacks(StackName=STACK)["Stacks"]
        except cloudformation.exceptions.ClientError:
            return ""
        status: str = found["StackStatus"]
        if not status.endswith("_IN_PROGRESS"):
            return status
        time.sleep(0.2)


def _cloudformation(stage: Stage) -> Any:
    """A client of the emulator's."""
    return boto3.client(
        "cloudformation",
        endpoint_url=stage.stack.endpoint_url,
        region_name=stage.stack.region,
        aws_access_key_id="test",
        aws_secret_access_key="test",  # noqa: S106 - any key will do
        config=Config(proxies={}),
    )
