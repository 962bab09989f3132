"""The first admin token of the deployed stack."""

import json
from collections.abc import Mapping

from localstack.clients import Clients
from localstack.errors import LocalStackError

RESOURCE = "AdminToken"
"""The template's custom resource, for which CloudFormation invokes the seed function."""
SEEDED_ID = "minutehand-admin-token"
"""The physical id of that resource if the seed function has answered."""


def admin_token(clients: Clients, outputs: Mapping[str, str]) -> str:
    """Read the first admin token of the deployed stack."""
    found = clients.parameters.get_parameter(Name=outputs["AdminTokenParameter"], WithDecryption=True)
    return found["Parameter"]["Value"]


def store_if_skipped(clients: Clients, stack: str, outputs: Mapping[str, str]) -> bool:
    """Have the first token made if CloudFormation has skipped the custom resource; returns whether it had.

    LocalStack without an account skips custom resources and reports success, so there would be no token.

    Raises:
        LocalStackError: if the seed function fails.
    """
    resource = clients.cloudformation.describe_stack_resource(StackName=stack, LogicalResourceId=RESOURCE)
    if resource["StackResourceDetail"].get("PhysicalResourceId") == SEEDED_ID:
        return False
    event = {"RequestType": "Create", "StackId": stack, "RequestId": "local", "LogicalResourceId": RESOURCE}
    invoked = clients.functions.invoke(FunctionName=outputs["SeedFunction"], Payload=json.dumps(event).encode())
    answer = json.loads(invoked["Payload"].read())
    if answer.get("Status") != "SUCCESS":
        raise LocalStackError(f"The seed function did not make the first token: {answer.get('Reason') or answer}")
    return True
