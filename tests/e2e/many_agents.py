"""Many agents on one machine, each a process of its own: `python -m tests.e2e.many_agents NUMBER FOLDER OPTIONS…`.

They are forked from one process that has imported everything, since fifty imports would take a minute. Each writes its events into a file in
the folder, and a few register at a time: each registration of many at once would be a function process of its own on the local stack.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import minutehand.agent.sqs
import minutehand.cli.commands.agent  # noqa: F401 - before the forks
from minutehand.cli.main import main

_AT_ONCE = 4
_PATIENCE = 60.0


def _agent(number: int, folder: Path, options: list[str]) -> int:
    """Start an agent. Returns its process id."""
    log = _log(folder, number)
    pid = os.fork()
    if pid:
        return pid
    os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), 2)
    sys.argv = ["minutehand", "agent", *options, "--name", f"n{number}"]
    main()
    os._exit(0)


def _log(folder: Path, number: int) -> Path:
    return folder / f"n{number}.log"


def _wait_for(log: Path) -> None:
    until = time.monotonic() + _PATIENCE
    while not (log.exists() and "registered with" in log.read_text()):
        if time.monotonic() > until:
            raise SystemExit(f"{log.name} has not registered: {log.read_text()[-500:]}")
        time.sleep(0.05)


if __name__ == "__main__":
    number, folder, options = int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]
    started = []
    for each in range(number):
        if each >= _AT_ONCE:
            _wait_for(_log(folder, each - _AT_ONCE))
        started.append(_agent(each, folder, options))
    for pid in started:
        os.waitpid(pid, 0)
