"""A whole stack of its own for these tests: the deployed template on MiniStack, and a service to call."""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import boto3
import pytest
import urllib3
from botocore.config import Config
from examples.stage import load
from localstack.echo import EchoServer
from localstack.lifecycle import down, up
from localstack.processes import function_pids
from localstack.workspace import StackInfo, Workspace

from minutehand.client import Client

pytest.register_assert_rewrite("tests.e2e.life")

T = TypeVar("T")
SHORT_LOOK_AHEAD = "60"
PIPELINE: dict[str, str] = load("aws-pipeline").PARAMETERS
OF_TESTS = "arn:aws:lambda:*:*:function:job-*,arn:aws:sqs:*:*:job-*,arn:aws:states:*:*:stateMachine:job-*"
AWS_PARAMETERS = PIPELINE | {"AwsTargetArns": f"{OF_TESTS},{PIPELINE['AwsTargetArns']}", "ResourceNamespaces": "*"}
"""The worker for targets in AWS, what jobs of tests and of the examples may reach there, and the function for jobs of stacks."""


@dataclass(frozen=True)
class Answer:
    status: int
    body: Any
    type: str


class Stack:
    """What a test does with the deployed stack, from outside."""

    def __init__(self, workspace: Workspace, record: StackInfo) -> None:
        self.workspace = workspace
        self.record = record
        self.client = Client(record.url, record.token)
        self.session = boto3.Session(aws_access_key_id="test", aws_secret_access_key="test", region_name=record.region)
        config = Config(proxies={}, read_timeout=120, retries={"total_max_attempts": 1})
        self.functions = self.session.client("lambda", endpoint_url=record.endpoint_url, config=config)
        self.sqs = self.session.client("sqs", endpoint_url=record.endpoint_url, config=config)
        self.dynamodb = self.session.client("dynamodb", endpoint_url=record.endpoint_url, config=config)

    def ask(
        self, method: str, path: str, body: Any = None, *, token: str | None = "", headers: dict[str, str] | None = None
    ) -> Answer:
        """One HTTP request; `token=None` sends none, and a body of bytes goes as it is."""
        headers = dict(headers or {})
        if token is not None:
            headers["Authorization"] = f"Bearer {token or self.record.token}"
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        response = urllib3.request(
            method, self.record.url + path, body=data, headers=headers, retries=False, timeout=30
        )
        text = response.data.decode()
        return Answer(
            status=response.status,
            body=json.loads(text) if text else None,
            type=response.headers.get("Content-Type", ""),
        )

    def invoke(self, output: str, event: Any = None) -> Any:
        """Call a function by the name of the stack's output."""
        answer = self.functions.invoke(
            FunctionName=self.record.outputs[output], Payload=json.dumps(event or {}).encode()
        )
        payload = json.loads(answer["Payload"].read() or b"null")
        assert "FunctionError" not in answer, payload
        return payload

    def worker_processes(self) -> list[int]:
        return function_pids(self.workspace, self.record.outputs["HttpWorkerFunction"])

    def runs(self, job: str) -> list[dict[str, Any]]:
        """All of a job's runs, oldest first."""
        return sorted(self.client.runs(job), key=lambda run: run["run_id"])


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    workspace = Workspace(state=tmp_path_factory.mktemp("stack"))
    try:
        parameters = {"LookAheadSeconds": SHORT_LOOK_AHEAD} | AWS_PARAMETERS
        stack = Stack(workspace, up(workspace, lambda _: None, parameters=parameters, demo_jobs=False))
        yield stack
        stack.client.close()
        for client in (stack.functions, stack.sqs, stack.dynamodb):
            client.close()
    finally:
        down(workspace, lambda _: None)


@pytest.fixture
def namespace() -> str:
    """A namespace of the test's own."""
    return f"test-{uuid.uuid4().hex[:8]}"


@pytest.fixture
def target() -> Iterator[EchoServer]:
    """A service to call, whose `calls` say what arrived."""
    with EchoServer(0) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def eventually(look: Callable[[], T | None], *, seconds: float, what: str, every: float = 0.2) -> T:
    """What `look` finds, asked again until it is something."""
    deadline = time.monotonic() + seconds
    while True:
        found = look()
        if found:
            return found
        assert time.monotonic() < deadline, f"{what}: not within {seconds} s"
        time.sleep(every)


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def root() -> Path:
    return Path(__file__).parents[2]
