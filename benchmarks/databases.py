"""Private PostgreSQL and Redis servers for the baselines, from Debian's packages, on free loopback ports."""

from __future__ import annotations

import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from localstack import postgres as postgresql
from localstack.private_server import free_port, running

from benchmarks.emulators import AbsentError


class Server(NamedTuple):
    """A running server: its URL with the password, and its release."""

    url: str
    version: str


@contextmanager
def postgres() -> Iterator[Server]:
    """A running PostgreSQL with initdb's settings.

    Raises:
        AbsentError: when it is not installed.
    """
    version = postgres_version()
    if version is None:
        raise AbsentError("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    with postgresql.postgres() as url:
        yield Server(url.replace("postgresql://", "postgresql+psycopg://"), version)


@contextmanager
def redis() -> Iterator[Server]:
    """A running Redis that writes nothing to disk.

    Raises:
        AbsentError: when it is not installed.
    """
    program = shutil.which("redis-server")
    if program is None:
        raise AbsentError("Redis is not installed (Debian: apt-get install redis-server)")
    port, password = free_port(), secrets.token_hex(16)
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

        with running([program, str(settings)], folder, None, answers, end=signal.SIGTERM):
            yield Server(f"redis://:{password}@127.0.0.1:{port}/0", redis_version() or "")


def postgres_version() -> str | None:
    """The release of the installed PostgreSQL, or None."""
    try:
        return postgresql.postgres_version()
    except postgresql.PostgresAbsentError:
        return None


def redis_version() -> str | None:
    """The release of the installed Redis, or None."""
    program = shutil.which("redis-server")
    if program is None:
        return None
    # Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=ae4d7c971a948f0
    output = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout  # noqa: S603 - an installed server
    return output.split()[2].removeprefix("v=")
