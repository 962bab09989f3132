"""The database and the broker that other schedulers need: Debian's own, private ones, on free ports of the loopback interface."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.stack import AbsentError

PATIENCE = 30.0
"""Seconds that a server may take to answer, and to end."""
_DEBIAN = Path("/usr/lib/postgresql")
"""Where Debian keeps each release of PostgreSQL; its servers are on nobody's PATH."""


class Server(NamedTuple):
    """A server that answers: its URL, with the password in it where it has one, and its release."""

    url: str
    version: str


@contextmanager
def postgres() -> Iterator[Server]:
    """A PostgreSQL with the settings that initdb gives it, for as long as it runs.

    It refuses to run as root, so root starts it as the user `postgres`, or `nobody` where there is none.

    Raises:
        AbsentError: when it is not installed.
    """
    programs = _postgres_programs()
    user = _unprivileged()
    with tempfile.TemporaryDirectory(prefix="minutehand-bench-") as folder:
        if user:
            shutil.chown(folder, user)
        data, password, port = Path(folder) / "data", secrets.token_hex(16), _free_port()
        secret = Path(folder) / "password"
        secret.write_text(password, encoding="utf-8")
        if user:
            shutil.chown(secret, user)
        settings = ["-U", "benchmark", "-E", "UTF8", "--locale=C.UTF-8", "--auth=scram-sha-256", f"--pwfile={secret}"]
        _prepare([str(programs / "initdb"), "-D", str(data), *settings], folder, user)
        # Its socket goes beside its data: Debian's folder for sockets is there for Debian's servers.
        options = ["-D", str(data), "-p", str(port), "-c", "listen_addresses=127.0.0.1", "-k", folder]
        ready = [str(programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port)]

        def answers() -> bool:
            return subprocess.run(ready, check=False).returncode == 0  # noqa: S603 - a program that was found

        # Asked to end so, it waits for no client.
        with _running([str(programs / "postgres"), *options], folder, user, answers, end=signal.SIGINT):
            url = f"postgresql+psycopg://benchmark:{password}@127.0.0.1:{port}/postgres"
            yield Server(url, postgres_version() or "")


@contextmanager
def redis() -> Iterator[Server]:
    """A Redis that keeps nothing on disk, for as long as it runs.

    Raises:
        AbsentError: when it is not installed.
    """
    program = shutil.which("redis-server")
    if program is None:
        raise AbsentError("Redis is not installed (Debian: apt-get install redis-server)")
    port, password = _free_port(), secrets.token_hex(16)
    with tempfile.TemporaryDirectory(prefix="minutehand-bench-") as folder:
        settings = Path(folder) / "redis.conf"
        told = ["bind 127.0.0.1", f"port {port}", f"requirepass {password}", f"dir {folder}", 'save ""']
        settings.write_text("\n".join(told) + "\n", encoding="utf-8")

        def answers() -> bool:
            try:
                with closing(socket.create_connection(("127.0.0.1", port), timeout=1)) as asking:
                    asking.sendall(f"AUTH {password}\r\nPING\r\n".encode())
                    return asking.recv(100).startswith(b"+OK")
            except OSError:
                return False

        with _running([program, str(settings)], folder, None, answers, end=signal.SIGTERM):
            yield Server(f"redis://:{password}@127.0.0.1:{port}/0", redis_version() or "")


def postgres_version() -> str | None:
    """The release of the PostgreSQL that would be started; None where there is none."""
    try:
        programs = _postgres_programs()
    except AbsentError:
        return None
    # postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)
    return _says([str(programs / "postgres"), "--version"]).split()[2]


def redis_version() -> str | None:
    """The release of the Redis that would be started; None where there is none."""
    program = shutil.which("redis-server")
    if program is None:
        return None
    # Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=ae4d7c971a948f0
    return _says([program, "--version"]).split()[2].removeprefix("v=")


def _postgres_programs() -> Path:
    """The folder of the newest PostgreSQL's programs."""
    on_path = shutil.which("postgres")
    if on_path:
        return Path(on_path).resolve().parent
    releases = sorted(_DEBIAN.glob("*/bin/postgres"), key=lambda found: int(found.parts[-3]))
    if not releases:
        raise AbsentError("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    return releases[-1].parent


def _unprivileged() -> str | None:
    """Whom root runs a server as that refuses to be run by root; None for everybody else, who runs it himself."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


def _says(command: Sequence[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: S603 - a program that was found


def _prepare(command: Sequence[str], folder: str, user: str | None) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, **_as(user))  # noqa: S603 - a program that was found
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed: {done.stderr.strip()}")


@contextmanager
def _running(
    command: Sequence[str], folder: str, user: str | None, answers: Callable[[], bool], *, end: signal.Signals
) -> Iterator[None]:
    log = Path(folder) / "log"
    with (
        log.open("wb") as output,
        subprocess.Popen(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT, **_as(user)) as server,  # noqa: S603 - a program that was found
    ):
        try:
            deadline = time.monotonic() + PATIENCE
            while not answers():
                if server.poll() is not None:
                    raise RuntimeError(f"{command[0]} ended at once: {log.read_text(encoding='utf-8').strip()}")
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


def _as(user: str | None) -> dict[str, Any]:
    """What has a program started as somebody else, and none of root's groups kept."""
    return {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []} if user else {}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
