"""Create or update a stack on the emulator's CloudFormation."""

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from localstack.errors import LocalStackError

if TYPE_CHECKING:
    from mypy_boto3_cloudformation import CloudFormationClient
    from mypy_boto3_cloudformation.type_defs import ParameterTypeDef, StackTypeDef

FAILED_CREATION = {"ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "CREATE_FAILED", "DELETE_FAILED"}
DEPLOYED = {"CREATE_COMPLETE", "UPDATE_COMPLETE"}


def deploy_stack(
    cloudformation: "CloudFormationClient", name: str, template_url: str, parameters: Mapping[str, str]
) -> dict[str, str]:
    """Create or update the stack and wait; returns its outputs. A stack whose creation failed is empty, and is created again.

    Raises:
        LocalStackError: with every failed resource and CloudFormation's reason.
    """
    parameter_list: list[ParameterTypeDef] = [
        {"ParameterKey": key, "ParameterValue": value} for key, value in parameters.items()
    ]
    existing = _describe(cloudformation, name)
    if existing and existing["StackStatus"] in FAILED_CREATION:
        cloudformation.delete_stack(StackName=name)
        _wait(cloudformation, name)
        existing = None
    if existing and existing["StackStatus"] == "UPDATE_ROLLBACK_FAILED":
        cloudformation.continue_update_rollback(StackName=name)
        _wait(cloudformation, name)
    began = time.time()
    try:
        call = cloudformation.update_stack if existing else cloudformation.create_stack
        call(
            StackName=name,
            TemplateURL=template_url,
            Parameters=parameter_list,
            Capabilities=["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"],
        )
    except ClientError as error:
        message = error.response["Error"]["Message"]
        if "No updates are to be performed" not in message:
            raise LocalStackError(f"CloudFormation refused the template: {message}") from error
    stack = _wait(cloudformation, name)
    if stack is None or stack["StackStatus"] not in DEPLOYED:
        status = stack["StackStatus"] if stack else "gone"
        raise LocalStackError(f"The stack {name} is {status}.\n" + "\n".join(_failures(cloudformation, name, began)))
    return {output["OutputKey"]: output["OutputValue"] for output in stack.get("Outputs", [])}


def _describe(cloudformation: "CloudFormationClient", name: str) -> "StackTypeDef | None":
    try:
        stacks = cloudformation.describe_stacks(StackName=name)["Stacks"]
    except ClientError as error:
        if "does not exist" in error.response["Error"]["Message"]:
            return None
        raise
    return None if stacks[0]["StackStatus"] == "DELETE_COMPLETE" else stacks[0]


def _wait(cloudformation: "CloudFormationClient", name: str) -> "StackTypeDef | None":
    while (stack := _describe(cloudformation, name)) and stack["StackStatus"].endswith("_IN_PROGRESS"):
        time.sleep(0.2)
    return stack


def _failures(cloudformation: "CloudFormationClient", name: str, since: float) -> list[str]:
    """One line for each resource that failed in this deployment, nested stacks included."""
    lines: list[str] = []
    for event in cloudformation.describe_stack_events(StackName=name)["StackEvents"]:
        if event["Timestamp"].timestamp() < since - 1 or not event.get("ResourceStatus", "").endswith("_FAILED"):
            continue
        lines.append(f"  {event.get('LogicalResourceId')}: {event.get('ResourceStatusReason', 'no reason given')}")
        nested = event.get("PhysicalResourceId", "")
        if event.get("ResourceType") == "AWS::CloudFormation::Stack" and nested not in {"", name, event["StackId"]}:
            lines.extend(_failures(cloudformation, nested, since))
    return lines
