"""Private PostgreSQL and Redis servers for the baselines, from Debian's packages, on free loopback ports."""

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

from benchmarks.emulators import AbsentError

PATIENCE = 30.0
"""Seconds for a server to answer, and to stop."""
_DEBIAN = Path("/usr/lib/postgresql")
"""Debian keeps each release of PostgreSQL here, outside PATH."""


class Server(NamedTuple):
    """A running server: its URL with the password, and its release."""

    url: str
    version: str


@contextmanager
def postgres() -> Iterator[Server]:
    """A running PostgreSQL with initdb's settings.

    It refuses to run as root; root starts it as `postgres`, or as `nobody` where that user is missing.

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
        # The socket lies beside the data: Debian's folder for sockets belongs to Debian's servers.
        options = ["-D", str(data), "-p", str(port), "-c", "listen_addresses=127.0.0.1", "-k", folder]
        ready = [str(programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port)]

        def answers() -> bool:
            return subprocess.run(ready, check=False).returncode == 0  # noqa: S603 - an installed server

        # SIGINT is its fast shutdown, which waits for no client.
        with _running([str(programs / "postgres"), *options], folder, user, answers, end=signal.SIGINT):
            url = f"postgresql+psycopg://benchmark:{password}@127.0.0.1:{port}/postgres"
            yield Server(url, postgres_version() or "")


@contextmanager
def redis() -> Iterator[Server]:
    """A running Redis that writes nothing to disk.

    Raises:
        AbsentError: when it is not installed.
    """
    program = shutil.which("redis-server")
    if program is None:
        raise AbsentError("Redis is not installed (Debian: apt-get install redis-server)")
    port, password = _free_port(), secrets.token_hex(16)
    with tempfile.TemporaryDirectory(prefix="minutehand-bench-") as folder:
        settings = Path(folder) / "redis.conf"
        settings_lines = ["bind 127.0.0.1", f"port {port}", f"requirepass {password}", f"dir {folder}", 'save ""']
        settings.write_text("\n".join(settings_lines) + "\n", encoding="utf-8")

        def answers() -> bool:
            try:
                with closing(socket.create_connection(("127.0.0.1", port), timeout=1)) as connection:
                    connection.sendall(f"AUTH {password}\r\nPING\r\n".encode())
                    return connection.recv(100).startswith(b"+OK")
            except OSError:
                return False

        with _running([program, str(settings)], folder, None, answers, end=signal.SIGTERM):
            yield Server(f"redis://:{password}@127.0.0.1:{port}/0", redis_version() or "")


def postgres_version() -> str | None:
    """The release of the installed PostgreSQL, or None."""
    try:
        programs = _postgres_programs()
    except AbsentError:
        return None
    # postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)
    return _output([str(programs / "postgres"), "--version"]).split()[2]


def redis_version() -> str | None:
    """The release of the installed Redis, or None."""
    program = shutil.which("redis-server")
    if program is None:
        return None
    # Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=ae4d7c971a948f0
    return _output([program, "--version"]).split()[2].removeprefix("v=")


def _postgres_programs() -> Path:
    """The program folder of the newest PostgreSQL."""
    on_path = shutil.which("postgres")
    if on_path:
        return Path(on_path).resolve().parent
    releases = sorted(_DEBIAN.glob("*/bin/postgres"), key=lambda found: int(found.parts[-3]))
    if not releases:
        raise AbsentError("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    return releases[-1].parent


def _unprivileged() -> str | None:
    """The user for a server that refuses to run as root; None unless this process is root's."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


def _output(command: Sequence[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: S603 - an installed server


def _prepare(command: Sequence[str], folder: str, user: str | None) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, **_as(user))  # noqa: S603 - an installed server
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed: {done.stderr.strip()}")


@contextmanager
def _running(
    command: Sequence[str], folder: str, user: str | None, answers: Callable[[], bool], *, end: signal.Signals
) -> Iterator[None]:
    log = Path(folder) / "log"
    with (
        log.open("wb") as output,
        subprocess.Popen(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT, **_as(user)) as server,  # noqa: S603 - an installed server
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


def _as(user: str | None) -> dict[str, Any]:
    """Popen arguments that start a program as another user, without root's groups."""
    return {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []} if user else {}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
