"""The deployed stack on an emulator, whoever runs it: bring it to the state of a checkout, and reach it."""

import time
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from localstack import package, stack, workers
from localstack.clients import Clients
from localstack.errors import LocalStackError
from localstack.place import Place
from localstack.roles import allow_batch_names
from minutehand.client import Client, MinutehandError

STACK = "minutehand"


def deploy(
    place: Place, clients: Clients, parameters: Mapping[str, str], *, store: str = package.STORE
) -> dict[str, str]:
    """Deploy the place's template with its code; returns the stack's outputs. Raises ``LocalStackError``."""
    template_url = package.upload(place, clients.s3, store=store)
    outputs = stack.deploy(clients.cloudformation, STACK, template_url, parameters)
    workers.limit(clients, outputs)
    allow_batch_names(clients, (name for output, name in outputs.items() if output.endswith("Function")))
    return outputs


def admin_token(clients: Clients, outputs: Mapping[str, str]) -> str:
    """The first admin token."""
    return clients.secrets.get_secret_value(SecretId=outputs["AdminTokenSecret"])["SecretString"]


def callback_url(endpoint_url: str) -> str:
    """The parameter ``CallbackUrl``: where an emulator serves the API, whose id is not known before it is deployed."""
    return f"{endpoint_url}/_aws/execute-api/{{api}}/prod"


def api_url(endpoint_url: str, output: str) -> str:
    """Where an emulator serves the API that on AWS would be at ``https://ID.execute-api.…/STAGE``."""
    address = urlsplit(output)
    api = address.netloc.partition(".")[0]
    return f"{endpoint_url}/_aws/execute-api/{api}{address.path}"


def tick(clients: Clients, outputs: Mapping[str, str]) -> None:
    """Tick now, and do not wait for it: the emulator's own first tick is a minute off, and one more never does harm."""
    clients.functions.invoke(FunctionName=outputs["TickFunction"], InvocationType="Event")


def wait_until_well(client: Client, *, patience: float, where: Callable[[], str]) -> None:
    """Wait until the API answers; raises ``LocalStackError`` after ``patience`` seconds, with what ``where`` says."""
    deadline = time.monotonic() + patience
    while True:
        try:
            client.health()
        except MinutehandError as error:
            if time.monotonic() > deadline:
                raise LocalStackError(f"The API does not answer as it should: {error}\n{where()}") from error
            time.sleep(0.5)
        else:
            return
