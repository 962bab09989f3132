"""Servers of databases as private processes: on free loopback ports, with their data in a folder that is deleted afterwards."""

import os
import pwd
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from signal import Signals
from typing import Any

PATIENCE = 30.0
"""Seconds for a server to answer, and to stop."""


@contextmanager
def running(
    command: Sequence[str], folder: str, user: str | None, answers: Callable[[], bool], *, end: Signals
) -> Iterator[None]:
    """A server process that answers; `end` stops it. Its output goes to the file `log` of the folder."""
    log = Path(folder) / "log"
    with (
        log.open("wb") as output,
        subprocess.Popen(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT, **as_user(user)) as server,
    ):
        try:
            deadline = time.monotonic() + PATIENCE
            while not answers():
                if server.poll() is not None:
                    raise RuntimeError(f"{command[0]} ended: {log.read_text(encoding='utf-8').strip()}")
                if time.monotonic() > deadline:
                    raise RuntimeError(f"{command[0]} does not answer within {PATIENCE:.0f} s")
                time.sleep(0.05)
            yield
        finally:
            server.send_signal(end)
            try:
                server.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                server.kill()


def unprivileged() -> str | None:
    """The user for a server that refuses to run as root: `postgres`, or `nobody` where that user is missing; None unless this
    process is root's."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


def as_user(user: str | None) -> dict[str, Any]:
    """Popen arguments that start a program as another user, without root's groups."""
    return {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []} if user else {}


def free_port() -> int:
    """A port of the loopback interface that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
