"""Deploy a workspace's template to an emulator, and reach the result."""

import time
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from localstack import packaging
from localstack.clients import Clients
from localstack.cloudformation import deploy_stack
from localstack.errors import LocalStackError
from localstack.first_token import store_if_skipped
from localstack.ministack import is_ministack
from localstack.workarounds import allow_batch_actions, ignore_null_conditions, limit_workers
from localstack.workspace import Workspace
from minutehand.client import Client, MinutehandError

STACK = "minutehand"
SECRETS = {
    "SecretPrefixes": "*=ssm:/minutehand/{namespace}/,*=secretsmanager:minutehand/{namespace}/",
    "SecretArns": "arn:aws:ssm:*:*:parameter/minutehand/*,arn:aws:secretsmanager:*:*:secret:minutehand/*",
}
"""Parameters by which the jobs of each namespace may use secrets of their own in the emulator."""


def deploy(
    workspace: Workspace, clients: Clients, parameters: Mapping[str, str], *, s3_url: str = packaging.S3_URL
) -> dict[str, str]:
    """Deploy the workspace's template and code; returns the stack's outputs. Raises ``LocalStackError``."""
    template_url = packaging.upload(workspace, clients.s3, s3_url=s3_url)
    outputs = deploy_stack(clients.cloudformation, STACK, template_url, parameters)
    if is_ministack(clients.endpoint_url):
        functions = [name for output, name in outputs.items() if output.endswith("Function")]
        limit_workers(clients, outputs)
        allow_batch_actions(clients, functions)
        ignore_null_conditions(clients, functions)
    store_if_skipped(clients, STACK, outputs)
    return outputs


def callback_url(endpoint_url: str) -> str:
    """The value of the parameter ``CallbackUrl``: ``{api}`` in place of the API's id, which is unknown before the deployment."""
    return f"{endpoint_url}/_aws/execute-api/{{api}}/prod"


def api_url(endpoint_url: str, output: str) -> str:
    """The API's address on the emulator. output: the address of the form that AWS has, ``https://ID.execute-api.…/STAGE``."""
    address = urlsplit(output)
    api = address.netloc.partition(".")[0]
    return f"{endpoint_url}/_aws/execute-api/{api}{address.path}"


def tick(clients: Clients, outputs: Mapping[str, str]) -> None:
    """Start a tick without waiting for it. The emulator's own first tick is a minute away, and an extra tick is harmless."""
    clients.functions.invoke(FunctionName=outputs["TickFunction"], InvocationType="Event")


def wait_until_healthy(client: Client, *, timeout: float, hint: Callable[[], str]) -> None:
    """Wait until the API answers. After ``timeout`` seconds raises ``LocalStackError`` with the last error and ``hint()``."""
    deadline = time.monotonic() + timeout
    while True:
        try:
            client.health()
        except MinutehandError as error:
            if time.monotonic() > deadline:
                raise LocalStackError(f"The API does not answer as it should: {error}\n{hint()}") from error
            time.sleep(0.5)
        else:
            return
