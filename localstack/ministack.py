"""MiniStack, the emulator of AWS that the local stack runs on: start it, see that it is well, stop it.

It is started from this interpreter unless told otherwise: functions run under the emulator's own interpreter and packages.
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
from localstack.place import Place
from localstack.ports import LOOPBACK

REGION = "us-east-1"
ACCOUNT = "000000000000"
PROGRAM = "ministack"
STATE_WITH_URLS = {"cloudformation", "lambda", "sqs"}


def last_port(place: Place) -> int | None:
    """The port the emulator of this place listens on, or listened on when it last ran; None before its first run."""
    try:
        return int(_port_file(place).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None


def _port_file(place: Place) -> Path:
    return place.state / "ministack.port"


@dataclass(frozen=True, kw_only=True)
class MiniStack:
    """One emulator: its place on the disk, its port on the loopback interface, and the interpreter it runs under."""

    place: Place
    port: int
    python: str = sys.executable

    @property
    def endpoint_url(self) -> str:
        """What boto3 calls ``endpoint_url``."""
        return f"http://{LOOPBACK}:{self.port}"

    def start(self, *, patience: float = 60) -> None:
        """Start the emulator and wait until it answers; raises ``LocalStackError`` with the end of its log if it does not."""
        state, log_file = self.place.state, self.place.log_file(PROGRAM)
        shutil.rmtree(state / "tmp", ignore_errors=True)  # unpacked functions of an earlier life
        for folder in (state / "ministack", state / "s3", state / "tmp"):
            folder.mkdir(parents=True, exist_ok=True)
        log_file.unlink(missing_ok=True)
        self._move_state()
        pid_file = self.place.pid_file(PROGRAM)
        processes.start([self.python, "-m", "ministack"], pid_file=pid_file, log_file=log_file, env=self._environment())
        deadline = time.monotonic() + patience
        while not self.answers():
            if processes.running(pid_file) is None:
                raise LocalStackError(f"MiniStack ended at once. The end of {log_file}:\n{processes.tail(log_file)}")
            if time.monotonic() > deadline:
                raise LocalStackError(
                    f"MiniStack does not answer at {self.endpoint_url} after {patience:.0f} s: {log_file}"
                )
            time.sleep(0.1)

    def answers(self) -> bool:
        """Whether the emulator is up and serving."""
        try:
            with urllib.request.urlopen(f"{self.endpoint_url}/_ministack/health", timeout=2) as answer:  # noqa: S310 (http by construction)
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def _move_state(self) -> None:
        """Take what was kept under another port over to this one: queue URLs, which name the port, are keys of the state."""
        before = last_port(self.place)
        if before not in {None, self.port}:
            for path in (self.place.state / "ministack").glob("*.json"):
                if path.stem in STATE_WITH_URLS:
                    kept = path.read_text(encoding="utf-8")
                    path.write_text(kept.replace(f"{LOOPBACK}:{before}/", f"{LOOPBACK}:{self.port}/"), encoding="utf-8")
        _port_file(self.place).write_text(f"{self.port}\n", encoding="utf-8")

    def _environment(self) -> dict[str, str]:
        """What the emulator and, through it, every function sees.

        Nothing else is inherited: a user's AWS profile, endpoint, proxy or PYTHONPATH would reach into the functions.
        """
        state = self.place.state
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "LC_ALL") if name in os.environ}
        return kept | {
            "BIND_HOST": LOOPBACK,
            "GATEWAY_PORT": str(self.port),
            "MINISTACK_HOST": LOOPBACK,  # queue URLs carry it; "localhost" may be ::1, where nothing listens
            "MINISTACK_REGION": REGION,
            "MINISTACK_ACCOUNT_ID": ACCOUNT,
            "AUTH": "true",  # roles are enforced: a function that lacks a permission fails here and not first on AWS
            "PERSIST_STATE": "1",
            "STATE_DIR": str(state / "ministack"),
            "S3_DATA_DIR": str(state / "s3"),
            "TMPDIR": str(state / "tmp"),
            "SFTP_ENABLED": "0",  # these two would listen on fixed ports of their own
            "IOT_MTLS_ENABLED": "0",
            "DOCKER_HOST": f"unix://{state / 'no-docker.sock'}",  # leave a user's containers alone
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
            "AWS_EC2_METADATA_DISABLED": "true",
            "PYTHONUNBUFFERED": "1",
        }
