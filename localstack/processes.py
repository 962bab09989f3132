"""Background programs, identified by pid files.

A pid file holds the process id and the start time of the process: after a reboot the same id may belong to another program.
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
from localstack.workspace import Workspace


def start(command: Sequence[str], *, pid_file: Path, log_file: Path, env: Mapping[str, str]) -> int:
    """Start a program that outlives this one; returns its pid. It gets its own session, so that Ctrl-C does not reach it."""
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
    """The pid of the program that this file names, or None if it is not running."""
    try:
        stored = json.loads(pid_file.read_text(encoding="utf-8"))
        pid, started = int(stored["pid"]), str(stored["started"])
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None
    return pid if _started(pid) == started else None


def stop(pid_file: Path, *, timeout: float) -> bool:
    """Send SIGTERM and wait for the program to exit; returns whether it was running.

    Raises ``LocalStackError`` if it still runs after ``timeout`` seconds. It is not killed, since it may be saving its state.
    """
    pid = running(pid_file)
    if pid is not None:
        os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + timeout
        while running(pid_file) is not None:
            if time.monotonic() > deadline:
                raise LocalStackError(
                    f"Process {pid} ({pid_file.stem}) did not exit within {timeout:.0f} s of SIGTERM. "
                    f"See {pid_file.with_suffix('.log')}; 'kill -9 {pid}' stops it and loses its data."
                )
            time.sleep(0.05)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGTERM)  # its children, if any still run
    pid_file.unlink(missing_ok=True)
    return pid is not None


def tail(log_file: Path, lines: int = 15) -> str:
    """The last lines of a log, for an error message."""
    try:
        return "\n".join(log_file.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])
    except FileNotFoundError:
        return ""


def function_pids(workspace: Workspace, function: str) -> list[int]:
    """The processes in which the emulator keeps this function (physical name) warm, busy or idle, oldest first.

    Tests kill one during a call to make a Lambda crash: the call fails, its messages stay hidden until their visibility timeout, and the next
    call starts a new process.
    """
    folder = f"{workspace.state / 'tmp'}/ministack-lambda-{function}-"
    return sorted(pid for pid, command in _commands() if folder in command)


def _commands() -> list[tuple[int, str]]:
    proc = Path("/proc")
    if not (proc / "self").exists():
        listed = subprocess.run(["ps", "-axo", "pid=,args="], capture_output=True, text=True, check=True).stdout
        pairs = (line.strip().partition(" ") for line in listed.splitlines())
        return [(int(pid), command) for pid, _, command in pairs]
    found = []
    for folder in proc.iterdir():
        if folder.name.isdigit():
            try:
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ")
            except OSError:
                continue  # it has exited meanwhile
            found.append((int(folder.name), command.decode(errors="replace")))
    return found


def _started(pid: int) -> str | None:
    """The start time of this process, in a form that is only good for comparing; None if it has exited."""
    try:
        if os.waitpid(pid, os.WNOHANG)[0] == pid:
            return None
    except ChildProcessError:
        pass  # a program that is not our child, and so no zombie that waits for us
    stat = Path(f"/proc/{pid}/stat")
    if stat.parent.parent.joinpath("self").exists():
        try:
            # the name in the second field may hold spaces and brackets; after it, the state is first and the start time 20th
            after_name = stat.read_text(encoding="utf-8").rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            return None
        return None if after_name[0] == "Z" else after_name[19]
    listed = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return listed.stdout.strip() or None
