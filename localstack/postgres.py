"""A private PostgreSQL, from Debian's packages, for worked examples, tests and benchmarks."""

import secrets
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from localstack.errors import LocalStackError
from localstack.private_server import as_user, free_port, running, unprivileged

_DEBIAN = Path("/usr/lib/postgresql")
"""Debian keeps each release of PostgreSQL here, outside PATH."""


class PostgresAbsentError(LocalStackError):
    """PostgreSQL is not installed."""


@contextmanager
def postgres() -> Iterator[str]:
    """The URL of a running PostgreSQL with initdb's settings, and its password in it.

    It refuses to run as root; root starts it as another user.

    Raises:
        PostgresAbsentError: when it is not installed.
    """
    programs = _programs()
    user = unprivileged()
    with tempfile.TemporaryDirectory(prefix="minutehand-postgres-") as folder:
        if user:
            shutil.chown(folder, user)
        data, password, port = Path(folder) / "data", secrets.token_hex(16), free_port()
        secret = Path(folder) / "password"
        secret.write_text(password, encoding="utf-8")
        if user:
            shutil.chown(secret, user)
        settings = ["-U", "minutehand", "-E", "UTF8", "--locale=C.UTF-8", "--auth=scram-sha-256", f"--pwfile={secret}"]
        _prepare([str(programs / "initdb"), "-D", str(data), *settings], folder, user)
        # The socket lies beside the data: Debian's folder for sockets belongs to Debian's servers.
        options = ["-D", str(data), "-p", str(port), "-c", "listen_addresses=127.0.0.1", "-k", folder]
        ready = [str(programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port)]

        def answers() -> bool:
            return subprocess.run(ready, check=False).returncode == 0

        # SIGINT is its fast shutdown, which waits for no client.
        with running([str(programs / "postgres"), *options], folder, user, answers, end=signal.SIGINT):
            yield f"postgresql://minutehand:{password}@127.0.0.1:{port}/postgres"


def postgres_version() -> str:
    """The release of the installed PostgreSQL. Raises PostgresAbsentError."""
    command = [str(_programs() / "postgres"), "--version"]
    # postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[2]


def _programs() -> Path:
    """The program folder of the newest PostgreSQL."""
    on_path = shutil.which("postgres")
    if on_path:
        return Path(on_path).resolve().parent
    releases = sorted(_DEBIAN.glob("*/bin/postgres"), key=lambda found: int(found.parts[-3]))
    if not releases:
        raise PostgresAbsentError("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    return releases[-1].parent


def _prepare(command: list[str], folder: str, user: str | None) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, **as_user(user))
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed: {done.stderr.strip()}")
