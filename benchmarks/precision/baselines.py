"""The lateness of APScheduler and Celery with the same jobs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from tempfile import TemporaryDirectory

from benchmarks import databases
from benchmarks.baselines import running
from benchmarks.http_target import Arrival, Target, listening
from benchmarks.precision.lateness import BEGUN, MINUTE, Late, after_second

_SETTLING = 12.0
"""Seconds from the first call to the first occurrence that counts."""
_TIMEOUT = 60.0
"""Seconds until the first call."""


def apscheduler(jobs: int, span: float) -> Late:
    """APScheduler 3 for so many seconds.

    Raises:
        AbsentError: when it or PostgreSQL is not installed.
        RuntimeError: when it ends by itself.
    """
    program = "benchmarks.precision.apscheduler_baseline"
    with (
        databases.postgres() as server,
        listening() as target,
        running(program, target.url, str(jobs), environment={"MINUTEHAND_SERVER": server.url}) as scheduler,
    ):
        return _watch(target, jobs, span, scheduler.check)


def celery(jobs: int, span: float) -> Late:
    """Celery's beat and worker for so many seconds; raises as `apscheduler` does, for Redis."""
    with databases.redis() as server, listening() as target, TemporaryDirectory(prefix="minutehand-bench-") as folder:
        environment = {"MINUTEHAND_SERVER": server.url, "MINUTEHAND_TARGET": target.url, "MINUTEHAND_JOBS": str(jobs)}
        app = ["--app", "benchmarks.precision.celery_baseline"]
        files = ["--schedule", f"{folder}/schedule", "--pidfile", ""]
        with (
            running("celery", *app, "worker", environment=environment) as worker,
            running("celery", *app, "beat", *files, environment=environment) as beat,
        ):

            def check() -> None:
                worker.check()
                beat.check()

            return _watch(target, jobs, span, check)


def _watch(target: Target, jobs: int, span: float, check: Callable[[], None]) -> Late:
    """The lateness of so many seconds, some time after the scheduler's first call."""
    deadline = time.monotonic() + _TIMEOUT
    while not target.arrivals:
        check()
        if time.monotonic() > deadline:
            raise RuntimeError(f"nothing called the target within {_TIMEOUT:.0f} s")
        time.sleep(0.1)
    time.sleep(_SETTLING)
    begin = float(int(time.time()) + 1)
    time.sleep(begin + span + _SETTLING / 2 - time.time())
    check()
    late = _lateness(target.arrivals, jobs, begin, begin + span)
    if not late.at_target:
        raise RuntimeError(f"of {late.due} due occurrences none called the target")
    return late


def _lateness(arrivals: Sequence[Arrival], jobs: int, begin: float, end: float) -> Late:
    """The lateness of occurrences due in [begin, end). The path of a call is its second of the minute."""
    at_worker, at_target = [], []
    for arrival in arrivals:
        late = after_second(arrival.at, int(arrival.path.strip("/")))
        if begin <= round(arrival.at - late) < end:
            at_target.append(late)
            at_worker.append(late - (arrival.at - float(arrival.headers[BEGUN])))
    return Late(round(jobs * (end - begin) / MINUTE), at_worker, at_target)
