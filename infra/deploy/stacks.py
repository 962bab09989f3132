"""The stack as it stands: whether it may be deployed to, and if not, why and how to go on."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from infra.deploy.account import Account
from infra.deploy.errors import DeployError

if TYPE_CHECKING:
    from mypy_boto3_cloudformation import CloudFormationClient
    from mypy_boto3_cloudformation.type_defs import StackTypeDef

OURS = "Minutehand, a serverless distributed cron."
"""How the description of our template begins; a stack of that name with another one is somebody else's."""
_AT_REST = {"CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE", "IMPORT_COMPLETE"}
_MOST_REASONS = 10


def look(account: Account, name: str) -> str:
    """Say in half a sentence what deploying will do to this stack; raises ``DeployError`` when it cannot be deployed to."""
    stack = _describe(account, name)
    if stack is None or stack["StackStatus"] == "REVIEW_IN_PROGRESS":
        return "is not there yet and will be created"
    # An emulator forgets the description of a stack made by a change set; its template still has it.
    description = stack.get("Description") or account.cloudformation.get_template_summary(StackName=name).get(
        "Description", "it has no description"
    )
    if stack.get("ParentId") or not description.startswith(OURS):
        raise DeployError(
            f"The name {name} is in use in {account.region} by a stack that is not Minutehand's: {description}",
            how=["Choose another: make deploy STACK=minutehand-2"],
        )
    if stack["StackStatus"] not in _AT_REST:
        raise _stuck(account, name, stack["StackStatus"])
    return "is there and will be updated"


def explain(account: Account, name: str) -> DeployError:
    """What went wrong with the deployment that just failed, in CloudFormation's words, and how to go on."""
    stack = _describe(account, name)
    status = stack["StackStatus"] if stack else ""
    if status in {"", "REVIEW_IN_PROGRESS"}:
        return DeployError("Nothing was deployed; the lines above say why.", how=["Correct it and: make deploy"])
    if status not in _AT_REST:
        return _stuck(account, name, status)
    reasons = _told(account.cloudformation, name) if status == "UPDATE_ROLLBACK_COMPLETE" else ""
    undone = "The update failed and was undone: the stack is as it was before." if reasons else "Nothing was deployed."
    return DeployError(
        f"{undone}{reasons or ' The lines above say why.'}", how=["Correct it and deploy again: make deploy"]
    )


def _describe(account: Account, name: str) -> "StackTypeDef | None":
    try:
        return account.cloudformation.describe_stacks(StackName=name)["Stacks"][0]
    except ClientError as error:
        message = error.response["Error"]["Message"]
        if "does not exist" in message:
            return None
        if error.response["Error"]["Code"] in {"AccessDenied", "AccessDeniedException", "UnauthorizedOperation"}:
            raise DeployError(
                f"{account.caller} may not look at stacks: {message}",
                how=["docs/how-to/deploy.md lists the permissions that deploying needs."],
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
            how=["Wait until that is over, and see how it went:", f"aws cloudformation describe-stack-events {at}"],
        )
    reasons = _told(account.cloudformation, name)
    if status == "ROLLBACK_COMPLETE":
        return DeployError(
            f"The first deployment of {name} failed and was undone (ROLLBACK_COMPLETE), so it holds nothing. AWS allows no more "
            f"than to delete it.{reasons}",
            how=["Put right what failed, then:", *delete, "make deploy"],
        )
    if status in {"ROLLBACK_FAILED", "CREATE_FAILED"}:
        unprotect = [
            f"aws dynamodb update-table --table-name {table} --region {account.region} --no-deletion-protection-enabled"
            for table in _tables(account.cloudformation, name)
        ]
        return DeployError(
            f"The first deployment of {name} failed and could not be undone ({status}). Its tables, if they were made, are empty, but "
            f"protected from deletion.{reasons}",
            how=["Put right what failed, then:", *unprotect, *delete, "make deploy"],
        )
    if status == "UPDATE_ROLLBACK_FAILED":
        return DeployError(
            f"An update of {name} failed, and so did going back (UPDATE_ROLLBACK_FAILED). What runs is partly old, partly new; the "
            f"tables are untouched.{reasons}",
            how=[
                "Put right what kept it from going back, then let it finish that:",
                f"aws cloudformation continue-update-rollback {at}",
                f"aws cloudformation wait stack-rollback-complete {at}",
                "make deploy",
                "A resource that cannot be put right is left out with --resources-to-skip Name (Nested.Name in a nested stack).",
            ],
        )
    if status == "UPDATE_FAILED":
        return DeployError(
            f"An update of {name} stopped half-way, and going back was switched off (UPDATE_FAILED).{reasons}",
            how=[f"aws cloudformation rollback-stack {at}", "make deploy"],
        )
    return DeployError(
        f"The stack {name} was being deleted, and not all of it could be ({status}). Tables are kept on purpose.{reasons}",
        how=["Put right what failed, then:", *delete, "make deploy"],
    )


def _told(cloudformation: "CloudFormationClient", name: str) -> str:
    lines = list(dict.fromkeys(_reasons(cloudformation, name)))[:_MOST_REASONS]
    return "".join(f"\n  {line}" for line in lines)


def _reasons(cloudformation: "CloudFormationClient", name: str) -> Iterator[str]:
    """A line for each resource that failed in the last operation on this stack, nested stacks included."""
    for event in cloudformation.describe_stack_events(StackName=name)["StackEvents"]:
        status, physical = event.get("ResourceStatus", ""), event.get("PhysicalResourceId", "")
        own = physical == event["StackId"]
        if own and status in {"CREATE_IN_PROGRESS", "UPDATE_IN_PROGRESS", "DELETE_IN_PROGRESS"}:
            return  # where the operation began; what lies before is of an earlier one
        if own or not status.endswith("_FAILED"):
            continue
        if event.get("ResourceType") == "AWS::CloudFormation::Stack" and physical:
            yield from _reasons(cloudformation, physical)
        elif "cancelled" not in (reason := event.get("ResourceStatusReason", "no reason given")):
            yield f"{event.get('LogicalResourceId')}: {reason}"


def _tables(cloudformation: "CloudFormationClient", name: str) -> Iterator[str]:
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
