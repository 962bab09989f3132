"""MiniStack, the AWS emulator of the local stack.

It runs under this interpreter by default, and functions run under the emulator's own interpreter and packages.
"""

import os
import shutil
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from localstack import processes
from localstack.errors import LocalStackError
from localstack.ports import LOOPBACK
from localstack.workspace import Workspace

REGION = "us-east-1"
ACCOUNT = "000000000000"
PROGRAM = "ministack"
STATE_WITH_URLS = {"cloudformation", "lambda", "sqs"}


def last_port(workspace: Workspace) -> int | None:
    """The port of the emulator's current or last run; None before its first."""
    try:
        return int(_port_file(workspace).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None


def is_ministack(endpoint_url: str) -> bool:
    """Whether a MiniStack answers at this address."""
    try:
        with urllib.request.urlopen(f"{endpoint_url}/_ministack/health", timeout=2) as answer:  # noqa: S310 (http by construction)
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _port_file(workspace: Workspace) -> Path:
    return workspace.state / "ministack.port"


@dataclass(frozen=True, kw_only=True)
class MiniStack:
    """One emulator: its folders, its port on the loopback interface, and its interpreter."""

    workspace: Workspace
    port: int
    python: str = sys.executable

    @property
    def endpoint_url(self) -> str:
        """The endpoint for boto3."""
        return f"http://{LOOPBACK}:{self.port}"

    def start(self, *, timeout: float = 60) -> None:
        """Start the emulator and wait until it answers; raises ``LocalStackError`` with the end of its log."""
        state, log_file = self.workspace.state, self.workspace.log_file(PROGRAM)
        shutil.rmtree(state / "tmp", ignore_errors=True)  # functions unpacked by the last run
        for folder in (state / "ministack", state / "s3", state / "tmp"):
            folder.mkdir(parents=True, exist_ok=True)
        log_file.unlink(missing_ok=True)
        self._move_state()
        pid_file = self.workspace.pid_file(PROGRAM)
        processes.start([self.python, "-m", "ministack"], pid_file=pid_file, log_file=log_file, env=self._environment())
        deadline = time.monotonic() + timeout
        while not self.answers():
            if processes.running(pid_file) is None:
                raise LocalStackError(f"MiniStack exited at once. The end of {log_file}:\n{processes.tail(log_file)}")
            if time.monotonic() > deadline:
                raise LocalStackError(
                    f"MiniStack does not answer at {self.endpoint_url} after {timeout:.0f} s; see {log_file}"
                )
            time.sleep(0.1)

    def answers(self) -> bool:
        """Whether the emulator answers requests."""
        return is_ministack(self.endpoint_url)

    def _move_state(self) -> None:
        """Change the port in the saved state, if the last run had another: queue URLs, which contain the port, are keys of it."""
        before = last_port(self.workspace)
        if before not in {None, self.port}:
            for path in (self.workspace.state / "ministack").glob("*.json"):
                if path.stem in STATE_WITH_URLS:
                    kept = path.read_text(encoding="utf-8")
                    path.write_text(kept.replace(f"{LOOPBACK}:{before}/", f"{LOOPBACK}:{self.port}/"), encoding="utf-8")
        _port_file(self.workspace).write_text(f"{self.port}\n", encoding="utf-8")

    def _environment(self) -> dict[str, str]:
        """The environment of the emulator, and so of every function.

        Nothing else is inherited: the user's AWS profile, endpoint, proxy or PYTHONPATH would reach the functions.
        """
        state = self.workspace.state
        kept = {
            name: os.environ[name] for name in ("PATH", "HOME", "LANG", "LC_ALL", "SSL_CERT_FILE") if name in os.environ
        }
        return kept | {
            "BIND_HOST": LOOPBACK,
            "GATEWAY_PORT": str(self.port),
            "MINISTACK_HOST": LOOPBACK,  # part of queue URLs; "localhost" may be ::1, where nothing listens
            "MINISTACK_REGION": REGION,
            "MINISTACK_ACCOUNT_ID": ACCOUNT,
            "AUTH": "true",  # enforce roles: a missing permission fails here, not first on AWS
            "PERSIST_STATE": "1",
            "STATE_DIR": str(state / "ministack"),
            "S3_DATA_DIR": str(state / "s3"),
            "TMPDIR": str(state / "tmp"),
            "SFTP_ENABLED": "0",  # this and the next would listen on fixed ports
            "IOT_MTLS_ENABLED": "0",
            "DOCKER_HOST": f"unix://{state / 'no-docker.sock'}",  # leave the user's containers alone
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
            "AWS_EC2_METADATA_DISABLED": "true",
            "PYTHONUNBUFFERED": "1",
        }
