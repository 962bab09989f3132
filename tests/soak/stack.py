"""A local stack of the soak's own, on a free port and in its own folder, with the handles by which it is broken and measured."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config
from localstack import processes
from localstack.clients import Clients
from localstack.lifecycle import down, up
from localstack.ministack import PROGRAM
from localstack.workspace import Workspace

from tests.soak.evidence import Sample

LOOK_AHEAD = "60"
"""Seconds; as short as the time between two ticks, so that an outage of the tick alone is felt soon."""
POLICY = "soak-outage"
NO_TABLES = {"Version": "2012-10-17", "Statement": [{"Effect": "Deny", "Action": "dynamodb:*", "Resource": "*"}]}


class SoakStack:
    """The deployed stack; a context manager that starts it and ends all that it started."""

    def __init__(self, state: Path) -> None:
        self._workspace = Workspace(state=state)

    def __enter__(self) -> SoakStack:
        try:
            self.info = up(
                self._workspace,
                lambda _: None,
                port=_free_port(),
                parameters={"LookAheadSeconds": LOOK_AHEAD},
                demo_jobs=False,
            )
        except BaseException:
            self._end()
            raise
        self._clients = Clients(self.info.endpoint_url)
        session = boto3.Session(aws_access_key_id="test", aws_secret_access_key="test", region_name=self.info.region)
        config = Config(proxies={}, read_timeout=90, retries={"total_max_attempts": 3})
        self._sqs = session.client("sqs", endpoint_url=self.info.endpoint_url, config=config)
        self._queues = [self.info.outputs[name] for name in ("HttpQueueUrl", "HttpSlowQueueUrl")]
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def _end(self) -> None:
        self.go_on([*self.emulator(), *self.processes()])
        down(self._workspace, lambda _: None)

    # who runs

    def emulator(self) -> list[int]:
        """The emulator's process, if it runs."""
        pid = processes.running(self._workspace.pid_file(PROGRAM))
        return [] if pid is None else [pid]

    def functions(self) -> dict[str, str]:
        """The functions' names by the outputs of the stack."""
        outputs = self.info.outputs if hasattr(self, "info") else {}
        return {output: name for output, name in outputs.items() if output.endswith("Function")}

    def processes(self, output: str = "") -> list[int]:
        """The processes of one function, or of all."""
        names = [name for one, name in self.functions().items() if output in {"", one}]
        return [pid for name in names for pid in processes.function_pids(self._workspace, name)]

    # breaking it

    def kill(self, pids: Iterable[int]) -> int:
        """Kill these at once; returns how many still ran."""
        return _signalled(pids, signal.SIGKILL)

    def halt(self, pids: Iterable[int]) -> int:
        return _signalled(pids, signal.SIGSTOP)

    def go_on(self, pids: Iterable[int]) -> int:
        return _signalled(pids, signal.SIGCONT)

    def tick(self) -> None:
        """Start one more tick, and do not wait for it."""
        self._clients.functions.invoke(FunctionName=self.info.outputs["TickFunction"], InvocationType="Event")

    def deny_tables(self, output: str) -> None:
        """Refuse all access to tables to the role of this function."""
        self._clients.iam.put_role_policy(
            RoleName=self._role(output), PolicyName=POLICY, PolicyDocument=json.dumps(NO_TABLES)
        )

    def allow_tables(self, output: str) -> None:
        with contextlib.suppress(self._clients.iam.exceptions.NoSuchEntityException):
            self._clients.iam.delete_role_policy(RoleName=self._role(output), PolicyName=POLICY)

    def _role(self, output: str) -> str:
        name = self.info.outputs[output]
        return self._clients.functions.get_function_configuration(FunctionName=name)["Role"].rpartition("/")[2]

    def purge(self) -> int:
        """Delete all messages of the queues of both lanes; returns about how many that were."""
        count = sum(self.depth())
        for queue in self._queues:
            self._sqs.purge_queue(QueueUrl=queue)
        return count

    def double(self, *, seconds: float) -> int:
        """Take messages from the queues for so long; send each again, at once and a little later, and give it back. Returns how many."""
        count, end = 0, time.monotonic() + seconds
        while time.monotonic() < end:
            count += sum(map(self._double_some, self._queues))
            time.sleep(0.02)
        return count

    def _double_some(self, queue: str) -> int:
        messages = self._sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10).get("Messages", [])
        for message in messages:
            for delay in (0, 7):
                self._sqs.send_message(QueueUrl=queue, MessageBody=message["Body"], DelaySeconds=delay)
            with contextlib.suppress(self._sqs.exceptions.ReceiptHandleIsInvalid):  # a worker has received it meanwhile
                self._sqs.change_message_visibility(
                    QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=0
                )
        return len(messages)

    # measuring it

    def depth(self) -> tuple[int, int, int]:
        """About how many messages of both lanes are ready, hidden by a receiver, and delayed."""
        names: list[Any] = [f"ApproximateNumberOfMessages{state}" for state in ("", "NotVisible", "Delayed")]
        found = [
            self._sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=names)["Attributes"] for queue in self._queues
        ]
        ready, hidden, delayed = (sum(int(one[name]) for one in found) for name in names)
        return ready, hidden, delayed

    def sample(self, calls: int) -> Sample:
        """Memory and queue now."""
        largest: dict[str, float] = {}
        count = 0
        for output in self.functions():
            sizes = [_megabytes(pid) for pid in self.processes(output)]
            count += len(sizes)
            if sizes:
                largest[output] = max(sizes)
        ready, hidden, delayed = self.depth()
        return Sample(
            at=datetime.now(UTC),
            emulator=max(map(_megabytes, self.emulator()), default=0.0),
            largest=largest,
            processes=count,
            ready=ready,
            hidden=hidden,
            delayed=delayed,
            calls=calls,
        )


def _signalled(pids: Iterable[int], what: signal.Signals) -> int:
    count = 0
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, what)
            count += 1
    return count


def _megabytes(pid: int) -> float:
    """The resident memory of a process; 0 if it has exited."""
    shown = subprocess.run(["/bin/ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return int(shown.stdout.strip() or 0) / 1024


def _free_port() -> int:
    """A port that the system chooses, far from those of `make up`."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
