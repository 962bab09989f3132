"""Deployment to an emulator that this program does not run, such as one in a container."""

import platform
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from botocore.exceptions import EndpointConnectionError

from localstack import demo
from localstack.clients import FIRST_CALL_TIMEOUT, Clients
from localstack.deployment import SECRETS, STACK, api_url, callback_url, deploy, tick, wait_until_healthy
from localstack.errors import LocalStackError
from localstack.first_token import admin_token
from localstack.ministack import REGION
from localstack.workspace import StackInfo, Workspace
from minutehand.client import Client, MinutehandError

INSIDE = "http://127.0.0.1:4566"
"""The address of an emulator inside its container; its CloudFormation reads nested templates from there."""


@dataclass(frozen=True, kw_only=True)
class ExternalEmulator:
    """Addresses of an emulator and its echo service.

    Attributes:
        endpoint_url: as this program reaches it.
        public_url: as people reach it.
        echo_url: the echo service, as the functions reach it.
        callback_url: as targets that answer later reach it.
    """

    endpoint_url: str
    public_url: str
    echo_url: str
    callback_url: str


def deploy_external(
    workspace: Workspace, emulator: ExternalEmulator, report: Callable[[str], None], *, info_file: Path | None = None
) -> StackInfo:
    """Deploy the workspace's template and code, and save the demo jobs. A second call changes only what differs.

    Args:
        report: gets one line for each step.
        info_file: where to save how to reach the stack, if anywhere.

    Raises:
        LocalStackError: if there is no bundle or no emulator, or if a step fails.
    """
    if not (workspace.functions / "minutehand").is_dir():
        raise LocalStackError(f"{workspace.functions} holds no functions; make them first: python -m localstack bundle")
    clients = Clients(emulator.endpoint_url)
    parameters = SECRETS | {
        "Agents": "true",
        "AllowLoopbackTargets": "true" if _is_loopback(urlsplit(emulator.echo_url).hostname or "") else "false",
        "CallbackUrl": callback_url(emulator.callback_url),
        "Architecture": "arm64" if platform.machine().lower() in {"arm64", "aarch64"} else "x86_64",
    }
    try:
        outputs = deploy(workspace, clients, parameters, s3_url=INSIDE)
    except EndpointConnectionError as error:
        raise LocalStackError(f"No emulator answers at {emulator.endpoint_url}") from error
    report("template.yaml deployed")
    token = admin_token(clients, outputs)
    with Client(api_url(emulator.endpoint_url, outputs["ApiUrl"]), token) as client:
        wait_until_healthy(client, timeout=FIRST_CALL_TIMEOUT, hint=lambda: "See the emulator's own log.")
        try:
            names = demo.apply(workspace.checkout / "examples" / "demo", emulator.echo_url, client)
        except MinutehandError as error:
            raise LocalStackError(f"The demo jobs could not be saved: {error}") from error
    tick(clients, outputs)
    report(f"demo jobs saved: {', '.join(names)}")
    info = StackInfo(
        url=api_url(emulator.public_url, outputs["ApiUrl"]),
        token=token,
        endpoint_url=emulator.public_url,
        region=REGION,
        stack=STACK,
        jobs_table=outputs["JobsTable"],
        runs_table=outputs["RunsTable"],
        port=urlsplit(emulator.public_url).port or 80,
        echo_port=urlsplit(emulator.echo_url).port or 80,
        echo_url=emulator.echo_url,
        demo="",
        outputs=outputs,
    )
    if info_file:
        info_file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        info.save(info_file)
    return info


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
