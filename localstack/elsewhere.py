"""The stack on an emulator that somebody else runs, such as one in a container: deploy to it, and seed it."""

import platform
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from botocore.exceptions import EndpointConnectionError

from localstack import demo
from localstack.clients import Clients
from localstack.deployment import STACK, admin_token, api_url, callback_url, deploy, tick, wait_until_well
from localstack.errors import LocalStackError
from localstack.ministack import REGION
from localstack.place import Place, Record
from minutehand.client import Client, MinutehandError

INSIDE = "http://127.0.0.1:4566"
"""Where an emulator in a container finds itself, for the templates that its CloudFormation is to read."""
PATIENCE = 300.0
"""Seconds until the API must answer: a first call may have to wait for the image of the Lambda runtime."""


@dataclass(frozen=True, kw_only=True)
class There:
    """An emulator, as this program reaches it (``endpoint_url``) and as people do (``public_url``); the echo service as
    the functions reach it; and where to leave the record, if anywhere.
    """

    endpoint_url: str
    public_url: str
    echo_url: str
    record: Path | None = None


def bring_there(place: Place, there: There, say: Callable[[str], None]) -> Record:
    """Deploy the place's template and code, and save the demo jobs. Done again, it changes only what differs.

    Raises ``LocalStackError``.
    """
    if not (place.functions / "minutehand").is_dir():
        raise LocalStackError(f"{place.functions} holds no functions; make them first: python -m localstack bundle")
    clients = Clients(there.endpoint_url)
    parameters = {
        "AllowLoopbackTargets": "true" if _is_loopback(urlsplit(there.echo_url).hostname or "") else "false",
        "CallbackUrl": callback_url(there.public_url),
        "Architecture": "arm64" if platform.machine().lower() in {"arm64", "aarch64"} else "x86_64",
    }
    try:
        outputs = deploy(place, clients, parameters, store=INSIDE)
    except EndpointConnectionError as error:
        raise LocalStackError(f"No emulator answers at {there.endpoint_url}") from error
    say("template.yaml deployed")
    token = admin_token(clients, outputs)
    with Client(api_url(there.endpoint_url, outputs["ApiUrl"]), token) as client:
        wait_until_well(client, patience=PATIENCE, where=lambda: "Look at the emulator's own log.")
        try:
            names = demo.apply(place.checkout / "examples" / "demo", there.echo_url, client)
        except MinutehandError as error:
            raise LocalStackError(f"The demo jobs could not be applied: {error}") from error
    tick(clients, outputs)
    say(f"demo jobs applied: {', '.join(names)}")
    port = urlsplit(there.public_url).port or 80
    record = Record(
        url=api_url(there.public_url, outputs["ApiUrl"]),
        token=token,
        endpoint_url=there.public_url,
        region=REGION,
        stack=STACK,
        jobs_table=outputs["JobsTable"],
        runs_table=outputs["RunsTable"],
        port=port,
        echo_port=urlsplit(there.echo_url).port or 80,
        echo_url=there.echo_url,
        demo="",
        outputs=outputs,
    )
    if there.record:
        there.record.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        record.save(there.record)
    return record


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
