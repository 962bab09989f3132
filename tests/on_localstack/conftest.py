"""One stack on LocalStack for all tests of this folder. Its ready hook deploys it, as in the container."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config
from localstack.bundle import make_bundle
from localstack.clients import Clients
from localstack.deployment import STACK
from localstack.echo import EchoServer
from localstack.external import ExternalEmulator, deploy_external
from localstack.ministack import REGION
from localstack.ports import next_free
from localstack.workspace import CHECKOUT, StackInfo, Workspace

from minutehand.client import Client
from tests.on_localstack import emulator as emulators
from tests.on_localstack.emulator import LocalStack, localstack
from tests.support.needs import not_run

FIGURES: list[str] = []
"""What the tests measured; printed at the end."""


@dataclass(frozen=True)
class Stack:
    """The deployed stack.

    Attributes:
        functions: the folder with the deployed code, which tests may change.
        token: the first token, as the ready hook printed it.
        outputs: the stack's outputs.
    """

    emulator: LocalStack
    echo: EchoServer
    functions: Path
    url: str
    token: str
    outputs: dict[str, str]
    client: Client
    clients: Clients
    dynamodb: Any
    sqs: Any

    def deploy(self) -> StackInfo:
        """Deploy again from outside, as `make compose` does."""
        url = self.emulator.endpoint_url
        addresses = ExternalEmulator(endpoint_url=url, public_url=url, echo_url=self.echo.url, callback_url=url)
        return deploy_external(Workspace(functions=self.functions), addresses, lambda _: None)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for figure in FIGURES:
        terminalreporter.write_line(figure)


@pytest.fixture(scope="session")
def installed() -> None:
    """LocalStack and what it needs, in this checkout."""
    if missing := emulators.missing():
        not_run(", ".join(missing))
    emulators.install()


@pytest.fixture(scope="session")
def stack(installed: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    folder, port = tmp_path_factory.mktemp("localstack"), next_free(4690)
    functions = folder / "functions"
    make_bundle(Workspace(), functions)
    with _echo() as echo, localstack(folder, port, hook_settings(port, echo.url, functions)) as emulator:
        began = time.monotonic()
        checked = emulator.check_health()
        assert checked.returncode == 0, f"{checked.stdout}\n{emulator.logged()[-5000:]}"
        FIGURES.append(f"deployed by the ready hook in {time.monotonic() - began:.0f} s")
        url, token = _printed(emulator, "API"), _printed(emulator, "token")
        clients = Clients(emulator.endpoint_url)
        [described] = clients.cloudformation.describe_stacks(StackName=STACK)["Stacks"]
        with Client(url, token) as client:
            yield Stack(
                emulator=emulator,
                echo=echo,
                functions=functions,
                url=url,
                token=token,
                outputs={output["OutputKey"]: output["OutputValue"] for output in described["Outputs"]},
                client=client,
                clients=clients,
                dynamodb=_client("dynamodb", emulator),
                sqs=_client("sqs", emulator),
            )


@contextmanager
def _echo() -> Iterator[EchoServer]:
    """The service that all jobs call."""
    with EchoServer(0) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def hook_settings(port: int, echo_url: str, functions: Path) -> dict[str, str]:
    """The settings of the ready hook."""
    return {
        "MINUTEHAND_HOME": str(CHECKOUT),
        "MINUTEHAND_FUNCTIONS": str(functions),
        "MINUTEHAND_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "MINUTEHAND_ECHO_URL": echo_url,
        "MINUTEHAND_PYTHON": str(emulators.PYTHON),  # as in the container: without this package
    }


def _printed(emulator: LocalStack, word: str) -> str:
    return next(line.split()[1] for line in emulator.logged().splitlines() if line.startswith(f"{word} "))


def _client(service: str, emulator: LocalStack) -> Any:
    session = boto3.Session(aws_access_key_id="test", aws_secret_access_key="test", region_name=REGION)
    return session.client(service, endpoint_url=emulator.endpoint_url, config=Config(proxies={}))
