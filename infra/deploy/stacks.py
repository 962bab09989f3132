"""State of the deployed stack: whether it can be updated, and what to do if not."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from infra.deploy.account import Account
from infra.deploy.errors import DeployError

if TYPE_CHECKING:
    from mypy_boto3_cloudformation import CloudFormationClient
    from mypy_boto3_cloudformation.type_defs import StackTypeDef

OURS = "Minutehand, a serverless distributed cron."
"""The beginning of our template's description; a stack with another description is not ours."""
_DEPLOYABLE = {"CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE", "IMPORT_COMPLETE"}
_MAX_REASONS = 10


def plan(account: Account, name: str) -> str:
    """What a deployment will do to this stack, as half a sentence; raises ``DeployError`` if it cannot be deployed to."""
    stack = _describe(account, name)
    if stack is None or stack["StackStatus"] == "REVIEW_IN_PROGRESS":
        return "does not exist yet and will be created"
    # MiniStack loses the description of a stack that a change set created; the template still has it.
    description = stack.get("Description") or account.cloudformation.get_template_summary(StackName=name).get(
        "Description", "it has no description"
    )
    if stack.get("ParentId") or not description.startswith(OURS):
        raise DeployError(
            f"The name {name} is in use in {account.region} by a stack that is not Minutehand's: {description}",
            hints=["Choose another: make deploy STACK=minutehand-2"],
        )
    if stack["StackStatus"] not in _DEPLOYABLE:
        raise _stuck(account, name, stack["StackStatus"])
    return "exists and will be updated"


def explain(account: Account, name: str) -> DeployError:
    """The error of the deployment that just failed, with CloudFormation's reasons and hints."""
    stack = _describe(account, name)
    status = stack["StackStatus"] if stack else ""
    if status in {"", "REVIEW_IN_PROGRESS"}:
        return DeployError("Nothing was deployed; see the lines above.", hints=["Correct it and run: make deploy"])
    if status not in _DEPLOYABLE:
        return _stuck(account, name, status)
    reasons = _reason_lines(account.cloudformation, name) if status == "UPDATE_ROLLBACK_COMPLETE" else ""
    outcome = "The update failed and was rolled back: the stack is unchanged." if reasons else "Nothing was deployed."
    return DeployError(f"{outcome}{reasons or ' See the lines above.'}", hints=["Correct it and run: make deploy"])


def _describe(account: Account, name: str) -> "StackTypeDef | None":
    try:
        return account.cloudformation.describe_stacks(StackName=name)["Stacks"][0]
    except ClientError as error:
        message = error.response["Error"]["Message"]
        if "does not exist" in message:
            return None
        if error.response["Error"]["Code"] in {"AccessDenied", "AccessDeniedException", "UnauthorizedOperation"}:
            raise DeployError(
                f"{account.caller} may not describe stacks: {message}",
                hints=["docs/how-to/deploy.md lists the permissions that deploying needs."],
            ) from error
        raise DeployError(f"CloudFormation refuses the stack name {name!r}: {message}") from error


def _stuck(account: Account, name: str, status: str) -> DeployError:
    at = f"--stack-name {name} --region {account.region}"
    delete = [
        f"aws cloudformation delete-stack {at}",
        f"aws cloudformation wait stack-delete-complete {at}",
    ]
    if status.endswith("_IN_PROGRESS"):
        return DeployError(
            f"The stack {name} is being changed right now ({status}).",
            hints=["Wait until it is done, then see its events:", f"aws cloudformation describe-stack-events {at}"],
        )
    reasons = _reason_lines(account.cloudformation, name)
    if status == "ROLLBACK_COMPLETE":
        return DeployError(
            f"The first deployment of {name} failed and was rolled back (ROLLBACK_COMPLETE). The stack is empty, and AWS only allows "
            f"to delete it.{reasons}",
            hints=["Correct the cause, then:", *delete, "make deploy"],
        )
    if status in {"ROLLBACK_FAILED", "CREATE_FAILED"}:
        unprotect = [
            f"aws dynamodb update-table --table-name {table} --region {account.region} --no-deletion-protection-enabled"
            for table in _tables(account.cloudformation, name)
        ]
        return DeployError(
            f"The first deployment of {name} failed and could not be rolled back ({status}). Its tables, if any, are empty and protected "
            f"from deletion.{reasons}",
            hints=["Correct the cause, then:", *unprotect, *delete, "make deploy"],
        )
    if status == "UPDATE_ROLLBACK_FAILED":
        return DeployError(
            f"An update of {name} failed, and so did its rollback (UPDATE_ROLLBACK_FAILED). The stack is partly old and partly new; the "
            f"tables are unchanged.{reasons}",
            hints=[
                "Correct the cause, then finish the rollback:",
                f"aws cloudformation continue-update-rollback {at}",
                f"aws cloudformation wait stack-rollback-complete {at}",
                "make deploy",
                "To skip a resource that cannot be rolled back: --resources-to-skip Name (Nested.Name in a nested stack).",
            ],
        )
    if status == "UPDATE_FAILED":
        return DeployError(
            f"An update of {name} failed half-way, with rollback disabled (UPDATE_FAILED).{reasons}",
            hints=[f"aws cloudformation rollback-stack {at}", "make deploy"],
        )
    return DeployError(
        f"The stack {name} could not be deleted completely ({status}). Tables are retained on purpose.{reasons}",
        hints=["Correct the cause, then:", *delete, "make deploy"],
    )


def _reason_lines(cloudformation: "CloudFormationClient", name: str) -> str:
    lines = list(dict.fromkeys(_reasons(cloudformation, name)))[:_MAX_REASONS]
    return "".join(f"\n  {line}" for line in lines)


def _reasons(cloudformation: "CloudFormationClient", name: str) -> Iterator[str]:
    """One line for each resource that failed in the last operation on this stack, nested stacks included."""
    for event in cloudformation.describe_stack_events(StackName=name)["StackEvents"]:
        status, physical = event.get("ResourceStatus", ""), event.get("PhysicalResourceId", "")
        own = physical == event["StackId"]
        if own and status in {"CREATE_IN_PROGRESS", "UPDATE_IN_PROGRESS", "DELETE_IN_PROGRESS"}:
            return  # the beginning of the last operation
        if own or not status.endswith("_FAILED"):
            continue
        if event.get("ResourceType") == "AWS::CloudFormation::Stack" and physical:
            yield from _reasons(cloudformation, physical)
        elif "cancelled" not in (reason := event.get("ResourceStatusReason", "no reason given")):
            yield f"{event.get('LogicalResourceId')}: {reason}"


def _tables(cloudformation: "CloudFormationClient", name: str) -> Iterator[str]:
    """Names of the tables that the stack still has, nested stacks included."""
    for resource in cloudformation.describe_stack_resources(StackName=name)["StackResources"]:
        physical = resource.get("PhysicalResourceId", "")
        if (
            resource["ResourceType"] == "AWS::DynamoDB::Table"
            and physical
            and resource["ResourceStatus"] != "DELETE_COMPLETE"
        ):
            yield physical
        elif resource["ResourceType"] == "AWS::CloudFormation::Stack" and physical:
            yield from _tables(cloudformation, physical)
