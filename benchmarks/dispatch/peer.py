"""Another scheduler, run as a program of its own under the interpreter that has its libraries."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import distributions
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer
from typing import IO, cast

from benchmarks.dispatch.clocked import Round
from benchmarks.stack import AbsentError

ROOT = Path(__file__).parents[2]
VENV = ROOT / ".venv-bench"
LIBRARIES = ("apscheduler", "sqlalchemy", "psycopg", "celery", "kombu", "redis")
PATIENCE = 600.0
"""Seconds that a program may take to be ready, or for a round with what prepares it."""
LEAVE = 20.0
"""Seconds that it has to clear away after itself."""


class Peer:
    """A program that plays a round whenever it is asked."""

    def __init__(self, name: str, process: subprocess.Popen[str], trouble: IO[str]) -> None:
        self._name = name
        self._process = process
        self._asks, self._answers = cast("IO[str]", process.stdin), cast("IO[str]", process.stdout)
        self._trouble = trouble

    def play(self) -> Round:
        """One round.

        Raises:
            RuntimeError: when the program failed, or does not answer in time.
        """
        with suppress(BrokenPipeError):  # it has ended, which reading tells
            self._asks.write("round\n")
            self._asks.flush()
        return Round(*json.loads(self.answer()))

    def answer(self) -> str:
        """Its next line."""
        watch = Timer(PATIENCE, self._process.kill)
        watch.start()
        try:
            line = self._answers.readline()
        finally:
            watch.cancel()
        if not line:
            status = self._process.wait()
            self._trouble.seek(0)
            said = self._trouble.read().strip().splitlines() or [f"it had {PATIENCE:.0f} s"]
            raise RuntimeError(f"{self._name} ended with status {status} and gave no answer: {said[-1]}")
        return line

    def end(self) -> None:
        """Ask nothing more, so that it ends; one that is still busy is ended."""
        with suppress(BrokenPipeError):
            self._asks.close()
        try:
            self._process.wait(LEAVE)
        except subprocess.TimeoutExpired:
            self._process.kill()


@contextmanager
def peer(module: str, *arguments: str, server: str) -> Iterator[Peer]:
    """A program of this room, ready for its first round, for as long as it is asked.

    Raises:
        AbsentError: when its libraries are not installed.
        RuntimeError: when it fails.
    """
    python = VENV / "bin" / "python"
    if not python.exists():
        raise AbsentError(f"the libraries of {module} are not installed (make {VENV.name}/.installed)")
    # The server's password is in the environment, which nobody else reads, and not in a list of processes.
    given = {**os.environ, "PYTHONPATH": str(ROOT), "MINUTEHAND_SERVER": server}
    command = [str(python), "-m", f"benchmarks.dispatch.{module}", *arguments]
    with (
        TemporaryFile("w+", encoding="utf-8") as trouble,
        subprocess.Popen(  # noqa: S603 - a program of this room
            command, cwd=ROOT, env=given, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=trouble, text=True
        ) as process,
    ):
        asked = Peer(module, process, trouble)
        try:
            asked.answer()
            yield asked
        finally:
            asked.end()


def versions() -> dict[str, str]:
    """The releases of the peers' libraries; empty where they are not installed."""
    places = [str(found) for found in VENV.glob("lib/python*/site-packages")]
    there = {one.name.lower(): one.version for one in distributions(path=places)} if places else {}
    return {name: there[name] for name in LIBRARIES if name in there}
