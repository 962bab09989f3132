"""The question `fairness`: how late a healthy job starts, alone and beside another namespace whose calls hang."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from localstack.workarounds import MAX_WORKERS

from benchmarks import deployed_stack
from benchmarks.deployed_stack import http_job
from benchmarks.http_target import listening
from benchmarks.precision.lateness import MINUTE, Spread, spread
from benchmarks.table import Cell, Table, within
from minutehand.client import Client

MOST = 3.0
"""Seconds; the goal for the healthy job's p95."""
SPAN = 150.0
EVERY = 10.0
HEALTHY = {"heartbeat": "*/10 * * * * *", "between": "5-59/10 * * * * *"}
"""The healthy jobs and their schedules; both together give twice as many occurrences in a span."""
JOBS = 300
NAMESPACE = "noisy"
SETTLING = 10.0
"""Seconds from the first runs of the healthy jobs to the load."""
QUICK = 3 * MINUTE
"""How long the calls of a load that begins quick are quick: longer than the look-ahead, within which messages are sent."""
BEFORE = 2.0
"""Seconds from the end of quick calls to the first occurrence that counts."""
AFTER = 15.0
"""Seconds from the last occurrence that counts to the reading of the runs."""
BATCH_OF = 10
_NAMES = [f"healthy/{name}" for name in HEALTHY]


class Load(NamedTuple):
    """The jobs of the noisy namespace.

    Attributes:
        judged: whether the goal is for this load.
        begins_quick: whether the target answers at once until the occurrences count, so that the jobs are known as quick.
    """

    name: str
    jobs: int
    schedule: str
    timeout: str = "60s"
    judged: bool = True
    begins_quick: bool = False


LOADS = (
    Load("none", 0, ""),
    Load(f"{JOBS} new jobs of each minute, each call hangs 60 s", JOBS, "* * * * *"),
    Load("one new job of each second, each call hangs 2 minutes", 1, "* * * * * *", timeout="2m"),
    Load(f"{JOBS} jobs of each minute, quick until now, each call hangs 60 s", JOBS, "* * * * *", judged=False, begins_quick=True),
)  # fmt: skip


def tables(*, loads: Iterable[Load] = LOADS, span: float = SPAN) -> list[Table]:
    """The one table of the question, load after load, each on a stack of its own."""
    return [_table({load: _watch(load, span) for load in loads}, span)]


def _table(watched: Mapping[Load, Spread], span: float) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (load.name, late.seen, late.early, late.p50, late.p95, late.most) for load, late in watched.items()
    ]
    judged = [late for load, late in watched.items() if load.judged]
    return Table(
        title="Healthy jobs beside a namespace whose calls hang",
        goal=f"p95 ≤ {MOST:.0f} s beside each load but the last, none early and none missing",
        holds=all(within(late.p95, MOST) and not late.early for late in judged),
        columns=("load of the other namespace", "runs due", "early", "p50, s", "p95, s", "most, s"),
        rows=tuple(rows),
        notes=(
            (
                f"Lateness of two jobs due every {EVERY:.0f} s, from their instants to the starts of their runs, for {span:.0f} s from the "
                "first instant at which a call hangs. A run that has not begun at the end counts as late until then. Percentiles are nearest ranks."
            ),
            (
                f"The deployed template on MiniStack, {MAX_WORKERS} workers of {BATCH_OF} runs in each lane, on this machine's {os.cpu_count()} cores, which "
                "also run the emulator and the targets."
            ),
            (
                "The last load is the one that nothing foresees: its first calls take all workers of the quick lane until they time out. From then on "
                "the namespace's runs go through the slow lane."
            ),
        ),
    )


def _watch(load: Load, span: float) -> Spread:
    with (
        listening() as target,
        listening(answers=load.begins_quick) as dead,
        deployed_stack.deployed() as (_, _, client),
    ):
        jobs = [http_job(name, schedule, f"{target.url}/beat") for name, schedule in HEALTHY.items()]
        deployed_stack.save(client, [job | {"namespace": "healthy"} for job in jobs])
        _await_first(client)
        noisy = [
            http_job(f"job-{number:03d}", load.schedule, f"{dead.url}/{number}")
            | {"namespace": NAMESPACE, "timeout": load.timeout}
            for number in range(load.jobs)
        ]
        if len(noisy) > 1:
            # Right after a full minute, so that all come due for the first time at the same instant.
            time.sleep(_next_minute() - time.time())
        deployed_stack.save(client, noisy)
        begin = _next_minute()
        if load.begins_quick:
            begin += QUICK
            time.sleep(begin - BEFORE - time.time())
            dead.answers = False
        time.sleep(begin + span + AFTER - time.time())
        return spread(_lateness(client, begin, begin + span))


def _await_first(client: Client) -> None:
    end = time.time() + 2 * MINUTE
    while not all(any(run["started_at"] for run in deployed_stack.runs(client, [name])) for name in _NAMES):
        if time.time() > end:
            raise RuntimeError("the healthy jobs did not start within two minutes")
        time.sleep(1)
    time.sleep(SETTLING)


def _next_minute() -> float:
    return (time.time() // MINUTE + 1) * MINUTE


def _lateness(client: Client, begin: float, end: float) -> list[float]:
    """The lateness of each occurrence of the healthy jobs in [begin, end).

    Raises:
        RuntimeError: when one has no run.
    """
    now = time.time()
    found = {_at(run["scheduled_for"]): run for run in deployed_stack.runs(client, _NAMES)}
    due = [begin + EVERY / len(_NAMES) * turn for turn in range(round((end - begin) / EVERY) * len(_NAMES))]
    if missing := [instant for instant in due if instant not in found]:
        raise RuntimeError(f"{len(missing)} of {len(due)} occurrences of the healthy jobs have no run")
    return [_started(found[instant], now) - instant for instant in due]


def _started(run: Mapping[str, Any], now: float) -> float:
    return _at(run["started_at"]) if run["started_at"] else now


def _at(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()
