"""LocalStack as a program of this machine, with the settings of its compose file and with the ready hook."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import urllib3
import yaml
from infra.deploy.python313 import find
from localstack import processes
from localstack.errors import LocalStackError
from localstack.workspace import CHECKOUT

from tests.contract.services import dynamodb_local_jar

COMPOSE = CHECKOUT / "localstack" / "compose"
HOST = Path(__file__).parent / "host" / "main.py"
PYTHON = CHECKOUT / ".venv-localstack" / "bin" / "python"
FUNCTION_PYTHON = CHECKOUT / ".venv-lambda" / "bin" / "python"
TARGETS = (".venv-localstack/.installed", ".venv-lambda/.installed", "node_modules/.installed")
OF_CONTAINERS = ("MINUTEHAND_", "LAMBDA_DOCKER_", "LOCALSTACK_AUTH_TOKEN")
"""Beginnings of the compose file's settings that have no meaning outside of containers, or that the tests give themselves."""


def missing() -> list[str]:
    """What this machine lacks to run LocalStack's code."""
    system = [] if sys.platform == "linux" else ["Linux"]
    python = [] if find() else ["python3.13 (on PATH, under pyenv or named by PYTHON313)"]
    return [*system, *python, *(name for name in ("java", "npm") if shutil.which(name) is None)]


def install() -> None:
    """Install LocalStack, Lambda's runtime client and DynamoDB Local into this checkout."""
    made = subprocess.run(
        [shutil.which("make") or "make", *TARGETS], cwd=CHECKOUT, capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stdout + made.stderr


@dataclass(frozen=True)
class LocalStack:
    """A LocalStack that runs.

    Attributes:
        folder: everything that it writes, with its output in the file `log`.
    """

    folder: Path
    port: int

    @property
    def endpoint_url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> Path:
        """The file with its output, and with that of the ready hook."""
        return self.folder / "log"

    def logged(self) -> str:
        """What it has written so far."""
        return self.log.read_text(encoding="utf-8")

    def check_health(self) -> subprocess.CompletedProcess[str]:
        """Run the health check of the compose file, which waits for the ready hook."""
        url = f"{self.endpoint_url}/_localstack/init/ready"
        return subprocess.run(
            [sys.executable, str(COMPOSE / "health.py"), url], capture_output=True, text=True, check=False, timeout=300
        )


@contextlib.contextmanager
def localstack(folder: Path, port: int, hook_settings: dict[str, str]) -> Iterator[LocalStack]:
    """LocalStack, from the moment it answers. `hook_settings` are the variables of the ready hook."""
    emulator = LocalStack(folder, port)
    pid_file = folder / "localstack.pid"
    _link_programs(folder / "root")
    for name in ("tmp", "cache"):
        (folder / name).mkdir()
    with contextlib.chdir(folder):  # the process must not find the checkout's package `localstack`
        processes.start(
            [str(PYTHON), str(HOST)],
            pid_file=pid_file,
            log_file=emulator.log,
            env=_environment(emulator) | hook_settings,
        )
    try:
        deadline = time.monotonic() + 120
        while not _answers(emulator):
            assert processes.running(pid_file), f"LocalStack has exited:\n{processes.tail(emulator.log)}"
            assert time.monotonic() < deadline, f"LocalStack does not answer:\n{processes.tail(emulator.log)}"
            time.sleep(0.5)
        yield emulator
    finally:
        _end(pid_file)


def _end(pid_file: Path) -> None:
    """End LocalStack as `docker stop` does: with SIGTERM, and with SIGKILL if it takes long. It has nothing to save."""
    pid = processes.running(pid_file)
    try:
        processes.stop(pid_file, timeout=30)
    except LocalStackError:
        assert pid is not None
        os.killpg(pid, signal.SIGKILL)


def _link_programs(root: Path) -> None:
    """Put DynamoDB Local, Java and the ready hook where LocalStack looks for them, so that it downloads nothing."""
    jar, java = dynamodb_local_jar(), shutil.which("java")
    assert jar is not None
    assert java is not None
    libraries, hooks = root / "var/lib/localstack/lib", root / "etc/localstack/init/ready.d"
    links = {
        libraries / "dynamodb-local/2": jar.parent,
        libraries / "java/21": Path(java).resolve().parents[1],
        hooks: COMPOSE / "ready.d",
    }
    for link, source in links.items():
        link.parent.mkdir(parents=True)
        link.symlink_to(source)


def _environment(emulator: LocalStack) -> dict[str, str]:
    service = yaml.safe_load((COMPOSE / "localstack.yaml").read_text(encoding="utf-8"))["services"]["localstack"]
    composed = dict(entry.split("=", 1) for entry in service["environment"] if not entry.startswith(OF_CONTAINERS))
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return (
        kept
        | composed
        | {
            "FILESYSTEM_ROOT": str(emulator.folder / "root"),
            "TMPDIR": str(emulator.folder / "tmp"),
            "XDG_CACHE_HOME": str(emulator.folder / "cache"),
            "GATEWAY_LISTEN": f"127.0.0.1:{emulator.port}",
            "OVERRIDE_IN_DOCKER": "0",
            "DNS_ADDRESS": "0",  # no name server, which would need a port of the system's
            "DISABLE_EVENTS": "1",  # report nothing
            "SKIP_SSL_CERT_DOWNLOAD": "1",
            "FUNCTION_PYTHON": str(FUNCTION_PYTHON),
            "PYTHONUNBUFFERED": "1",
        }
    )


def _answers(emulator: LocalStack) -> bool:
    try:
        url = f"{emulator.endpoint_url}/_localstack/health"
        return urllib3.request("GET", url, timeout=2, retries=False).status == 200
    except urllib3.exceptions.HTTPError:
        return False
