"""The echo service as a background program of the local stack."""

import errno
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from localstack import processes
from localstack.errors import LocalStackError
from localstack.ports import LOOPBACK, is_free, next_free
from localstack.workspace import CHECKOUT, StackInfo, Workspace

PROGRAM = "echo"
FIRST_PORT = 4600
_READY_WITHIN = 10.0


def start_echo(workspace: Workspace, before: StackInfo | None, report: Callable[[str], None]) -> int:
    """Start the echo service if it does not run; returns its port. It keeps the port of its last run if that is free, since jobs
    call it.

    Args:
        before: the stack's information from the last run, if any.
        report: gets one line for each step.

    Raises:
        LocalStackError: if it does not listen soon.
    """
    pid_file, last = workspace.pid_file(PROGRAM), _last_port(workspace, before)
    if last is not None and processes.running(pid_file):
        report(f"echo service runs at {echo_url(last)}")
        return last
    processes.stop(pid_file, timeout=5)
    port = last if last is not None and is_free(last) else next_free(FIRST_PORT)
    while not _listens(workspace, port):
        port = next_free(port + 1)  # another program took the port since it was found free
    _port_file(workspace).write_text(f"{port}\n", encoding="utf-8")
    report(f"echo service started at {echo_url(port)}")
    if last is not None and last != port:
        report(
            f"note: another program now uses port {last}, the echo service's last port. Your jobs that call {echo_url(last)} no longer "
            f"reach it: save them again with {echo_url(port)}"
        )
    return port


def _listens(workspace: Workspace, port: int) -> bool:
    """Start the service at a port; whether it listens there, instead of another program. Raises LocalStackError for all other faults."""
    pid_file = workspace.pid_file(PROGRAM)
    environment = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    log = workspace.log_file(PROGRAM)
    written = log.stat().st_size if log.exists() else 0
    processes.start(
        [sys.executable, "-m", "localstack.echo", "--port", str(port)],
        pid_file=pid_file,
        log_file=log,
        env=environment | {"PYTHONPATH": str(CHECKOUT)},
    )
    # Wait for the line of its log that says so: a connection to find out would keep the port busy for a while.
    deadline = time.monotonic() + _READY_WITHIN
    while b"echo service at" not in log.read_bytes()[written:]:
        if processes.running(pid_file) is None or time.monotonic() > deadline:
            if os.strerror(errno.EADDRINUSE).encode() in log.read_bytes()[written:]:
                return False
            raise LocalStackError(
                f"The echo service does not listen at {echo_url(port)}. The end of {log}:\n{processes.tail(log)}"
            )
        time.sleep(0.02)
    return True


def echo_url(port: int) -> str:
    """The address of the echo service."""
    return f"http://{LOOPBACK}:{port}"


def _last_port(workspace: Workspace, before: StackInfo | None) -> int | None:
    """The port of the last run. It has its own file: ``make compose`` writes the address of another echo service to ``local.json``."""
    try:
        return int(_port_file(workspace).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return before.echo_port if before and before.echo_url == echo_url(before.echo_port) else None


def _port_file(workspace: Workspace) -> Path:
    return workspace.state / "echo.port"
