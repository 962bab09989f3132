"""An agent as a process of its own, and what it takes of the machine."""

from __future__ import annotations

import getpass
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

NODE = "web-1"


class AgentProcess(NamedTuple):
    """A running agent, and the file of its notes."""

    pid: int
    file: Path

    def notes(self) -> list[dict[str, Any]]:
        """What it has noted so far; see `noted_agent`."""
        text = self.file.read_text(encoding="utf-8") if self.file.exists() else ""
        return [json.loads(line) for line in text.splitlines()]

    @property
    def processor_seconds(self) -> float:
        """Seconds of processor time so far, without that of its commands."""
        # Also of threads that have ended, unlike the files of its threads.
        user, system = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    @property
    def mebibytes(self) -> float:
        """Resident memory."""
        lines = Path(f"/proc/{self.pid}/status").read_text(encoding="utf-8").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024


@contextmanager
def agent(url: str, token: str, folder: Path, *, pool: str, slots: int) -> Iterator[AgentProcess]:
    """Run an agent until the block ends."""
    rules, notes = folder / "agent.toml", folder / "notes"
    rules.write_text(f'users = ["{getpass.getuser()}"]\n', encoding="utf-8")
    rules.chmod(0o600)
    options = ["--pool", pool, "--name", NODE, "--config", str(rules), "--concurrency", str(slots)]
    variables = os.environ | {
        "MINUTEHAND_URL": url,
        "MINUTEHAND_TOKEN": token,
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    with (folder / "agent.log").open("w") as log:
        process = subprocess.Popen(  # noqa: S603 - our module
            [sys.executable, "-m", "benchmarks.agents.noted_agent", str(notes), *options], env=variables, stderr=log
        )
    try:
        yield AgentProcess(process.pid, notes)
    finally:
        process.kill()
        process.wait()
