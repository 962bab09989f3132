"""Other schedulers as processes of `.venv-bench`, which has their libraries."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.metadata import distributions
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from benchmarks.emulators import AbsentError

ROOT = Path(__file__).parents[1]
_VENV = ROOT / ".venv-bench"
_LIBRARIES = ("apscheduler", "sqlalchemy", "psycopg", "celery", "kombu", "redis")
_STOP_SECONDS = 60.0


def python() -> str:
    """The interpreter of `.venv-bench`.

    Raises:
        AbsentError: when it is not installed.
    """
    interpreter = _VENV / "bin" / "python"
    if not interpreter.exists():
        raise AbsentError(f"{_VENV.name} is not installed; run: make {_VENV.name}/.installed")
    return str(interpreter)


def versions() -> dict[str, str]:
    """The releases of the baselines' libraries; empty where they are not installed."""
    places = [str(found) for found in _VENV.glob("lib/python*/site-packages")]
    installed = {one.name.lower(): one.version for one in distributions(path=places)} if places else {}
    return {name: installed[name] for name in _LIBRARIES if name in installed}


class Baseline:
    """A running baseline."""

    def __init__(self, name: str, process: subprocess.Popen[str], errors: IO[str]) -> None:
        self._name = name
        self._errors = errors
        self.process = process

    def check(self) -> None:
        """Check that it still runs.

        Raises:
            RuntimeError: when it has ended.
        """
        if self.process.poll() is not None:
            raise self.failure()

    def failure(self) -> RuntimeError:
        """How it ended, with the last line of its errors."""
        status = self.process.wait()
        self._errors.seek(0)
        last = self._errors.read().strip().splitlines()[-1:] or ["it wrote no error"]
        return RuntimeError(f"{self._name} ended with status {status}: {last[0]}")


@contextmanager
def running(
    module: str, *arguments: str, environment: Mapping[str, str], interactive: bool = False
) -> Iterator[Baseline]:
    """A module as a process of `.venv-bench`.

    An interactive one is asked through its standard input and ends when that closes; others are terminated. Passwords go
    into `environment`: a list of processes shows arguments to everybody.

    Raises:
        AbsentError: when `.venv-bench` is not installed.
    """
    command = [python(), "-m", module, *arguments]
    with (
        TemporaryFile("w+", encoding="utf-8") as errors,
        subprocess.Popen(  # noqa: S603 - a module of this project or of a locked library
            command,
            cwd=ROOT,
            env={**os.environ, **environment, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE if interactive else subprocess.DEVNULL,
            stdout=subprocess.PIPE if interactive else errors,
            stderr=errors,
            text=True,
        ) as process,
    ):
        try:
            yield Baseline(module, process, errors)
        finally:
            if process.stdin:
                with suppress(BrokenPipeError):
                    process.stdin.close()
            else:
                process.terminate()
            try:
                process.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
