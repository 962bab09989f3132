"""Programs in the background, known by their pid files.

A pid file holds the process id and the moment its process started, so that a number used again by a stranger after a
restart of the machine is never taken for ours.
"""

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from localstack.errors import LocalStackError


def start(command: Sequence[str], *, pid_file: Path, log_file: Path, env: Mapping[str, str]) -> int:
    """Start a program that outlives this one, in a session of its own so that Ctrl-C does not reach it; returns its pid."""
    pid = os.posix_spawn(
        command[0],
        list(command),
        dict(env),
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(log_file), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
    )
    pid_file.write_text(json.dumps({"pid": pid, "started": _started(pid)}), encoding="utf-8")
    return pid


def running(pid_file: Path) -> int | None:
    """The pid of the program this file names, or None when it is not running (any more)."""
    try:
        stored = json.loads(pid_file.read_text(encoding="utf-8"))
        pid, started = int(stored["pid"]), str(stored["started"])
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None
    return pid if _started(pid) == started else None


def stop(pid_file: Path, *, patience: float) -> bool:
    """Ask the program to end and wait for it; returns whether it was running.

    Raises ``LocalStackError`` when it still runs after ``patience`` seconds: it is not killed, since it may be writing
    down its state.
    """
    pid = running(pid_file)
    if pid is not None:
        os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + patience
        while running(pid_file) is not None:
            if time.monotonic() > deadline:
                raise LocalStackError(
                    f"Process {pid} ({pid_file.stem}) did not end within {patience:.0f} s of being asked to. "
                    f"Look at {pid_file.with_suffix('.log')}; 'kill -9 {pid}' ends it and loses its data."
                )
            time.sleep(0.05)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGTERM)  # its children, should one still be busy
    pid_file.unlink(missing_ok=True)
    return pid is not None


def tail(log_file: Path, lines: int = 15) -> str:
    """The last lines a program wrote, for an error message."""
    try:
        return "\n".join(log_file.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])
    except FileNotFoundError:
        return ""


def _started(pid: int) -> str | None:
    """When this process started, in a form that is only good for comparing; None when it has ended."""
    try:
        if os.waitpid(pid, os.WNOHANG)[0] == pid:
            return None
    except ChildProcessError:
        pass  # not a child of this program: then it cannot be a zombie that waits for it
    stat = Path(f"/proc/{pid}/stat")
    if stat.parent.parent.joinpath("self").exists():
        try:
            # the name in the second field may hold spaces and brackets; the state comes first after it, the start 20th
            after_name = stat.read_text(encoding="utf-8").rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            return None
        return None if after_name[0] == "Z" else after_name[19]
    listed = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return listed.stdout.strip() or None
