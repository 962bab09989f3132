"""Other schedulers with the same jobs: programs of their own that call the target for a while, and are ended."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.dispatch import servers
from benchmarks.dispatch.peer import ROOT, VENV
from benchmarks.precision.calling import BEGUN
from benchmarks.precision.lateness import since_second
from benchmarks.stack import AbsentError
from benchmarks.target import Arrival, Target, listening

SETTLING = 12.0
"""Seconds for a scheduler to be at work before it is looked at."""
PATIENCE = 60.0


class Late(NamedTuple):
    """What was seen of a scheduler: the occurrences that were due, and how late each was that came, in seconds."""

    due: int
    at_worker: list[float]
    at_target: list[float]


def apscheduler(jobs: int, span: float) -> Late:
    """APScheduler 3 for so many seconds.

    Raises:
        AbsentError: when it or PostgreSQL is not installed.
        RuntimeError: when it ends by itself.
    """
    python = _python()
    with servers.postgres() as server, listening() as target:
        command = [python, "-m", "benchmarks.precision.apscheduler_peer", target.url, str(jobs)]
        with _running(command, {"MINUTEHAND_SERVER": server.url}) as check:
            return _watched(target, jobs, span, check)


def celery(jobs: int, span: float) -> Late:
    """Celery's beat and its worker for so many seconds; raises as `apscheduler` does, for Redis."""
    python = _python()
    with servers.redis() as server, listening() as target, TemporaryDirectory(prefix="minutehand-bench-") as folder:
        given = {"MINUTEHAND_SERVER": server.url, "MINUTEHAND_TARGET": target.url, "MINUTEHAND_JOBS": str(jobs)}
        program = [python, "-m", "celery", "--app", "benchmarks.precision.celery_peer"]
        beat = [*program, "beat", "--schedule", f"{folder}/schedule", "--pidfile", ""]
        with _running([*program, "worker"], given) as worker, _running(beat, given) as scheduler:

            def check() -> None:
                worker()
                scheduler()

            return _watched(target, jobs, span, check)


def _python() -> str:
    python = VENV / "bin" / "python"
    if not python.exists():
        raise AbsentError(f"its libraries are not installed (make {VENV.name}/.installed)")
    return str(python)


def _watched(target: Target, jobs: int, span: float, check: Callable[[], None]) -> Late:
    """What arrives for `span` seconds, once the scheduler has begun to call."""
    deadline = time.monotonic() + PATIENCE
    while not target.arrivals:
        check()
        if time.monotonic() > deadline:
            raise RuntimeError(f"nothing called the target within {PATIENCE:.0f} s")
        time.sleep(0.1)
    time.sleep(SETTLING)
    begin = float(int(time.time()) + 1)
    time.sleep(begin + span + SETTLING / 2 - time.time())
    check()
    late = lateness(target.arrivals, jobs, begin, begin + span)
    if not late.at_target:
        raise RuntimeError(f"of {late.due} that were due none called the target")
    return late


def lateness(arrivals: Sequence[Arrival], jobs: int, begin: float, end: float) -> Late:
    """How late those were that were due in [begin, end), whole seconds since 1970: the path of each names its second of the minute."""
    at_worker, at_target = [], []
    for arrival in arrivals:
        late = since_second(arrival.at, int(arrival.path.strip("/")))
        if begin <= round(arrival.at - late) < end:
            at_target.append(late)
            at_worker.append(late - (arrival.at - float(arrival.headers[BEGUN])))
    return Late(round(jobs * (end - begin) / 60), at_worker, at_target)


@contextmanager
def _running(command: Sequence[str], given: Mapping[str, str]) -> Iterator[Callable[[], None]]:
    """A program of the peers' interpreter and a look at whether it still runs; it is asked to end in the end."""
    with ExitStack() as held:
        folder = held.enter_context(TemporaryDirectory(prefix="minutehand-bench-"))
        said = Path(folder) / "said"
        output = held.enter_context(said.open("wb"))
        process = subprocess.Popen(  # noqa: S603 - a program of this room
            command, cwd=ROOT, env={**os.environ, **given, "PYTHONPATH": str(ROOT)}, stdout=output, stderr=output
        )

        def check() -> None:
            if process.poll() is not None:
                told = said.read_text(encoding="utf-8", errors="replace").strip().splitlines()
                raise RuntimeError(f"{command[2]} ended with status {process.returncode}: {told[-1] if told else ''}")

        try:
            yield check
        finally:
            process.terminate()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
