"""The question `end_to_end`: runs a second through the deployed stack, and the worker's processor time."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import NamedTuple

from localstack import processes
from localstack.workarounds import MAX_WORKERS
from localstack.workspace import StackInfo, Workspace

from benchmarks import deployed_stack
from benchmarks.deployed_stack import http_job
from benchmarks.end_to_end import processor
from benchmarks.http_target import Arrival, listening
from benchmarks.table import Table

LOAD = 500
ROUNDS = 5
LAP = 30
"""Seconds from round to round."""
SECOND = 15
"""The second of each half minute at which all jobs are due."""
SETTLING = 5.0


class Round(NamedTuple):
    """The calls of the runs of one instant: how many runs called, and seconds until half of them and the last one had."""

    called: int
    half: float
    last: float


class Watched(NamedTuple):
    """The rounds, and the workers' processor time in seconds for each run; None where it cannot be read."""

    rounds: list[Round]
    processor: float | None


def tables() -> list[Table]:
    """All tables of the question."""
    return [table(), processor.table()]


def table(*, load: int = LOAD, rounds: int = ROUNDS) -> Table:
    """All jobs due at once, in several rounds."""
    seen = _watch(load, rounds)
    return Table(
        title="Runs a second, from due to called",
        columns=(
            "due at once",
            "rounds",
            "called",
            "half after, s",
            "all after, s",
            "runs a second",
            "worker processes: ms per run",
        ),
        rows=(
            (
                load,
                len(seen.rounds),
                sum(one.called for one in seen.rounds),
                median(one.half for one in seen.rounds),
                median(one.last for one in seen.rounds),
                median(one.called / one.last for one in seen.rounds),
                None if seen.processor is None else seen.processor * 1000,
            ),
        ),
        notes=(
            (
                f"Medians of {rounds} rounds, {LAP} s apart, through the deployed template on MiniStack: from the due second to the first bytes of the call. "
                "The tick has claimed and sent the runs before."
            ),
            (
                f"The emulator, up to {MAX_WORKERS} worker processes and the target share this machine's {os.cpu_count()} cores. On AWS each worker has "
                "its own processor, and the default is a hundred workers."
            ),
            (
                "The workers' processor time is that of their processes: the handler with its log lines and metrics, and the emulator's runtime in the same process."
                if seen.processor is not None
                else "The workers' processor time could not be read: this system has no /proc."
            ),
        ),
    )


def _watch(load: int, rounds: int) -> Watched:
    with listening() as target, deployed_stack.deployed() as (workspace, info, client):
        schedule = f"{SECOND},{SECOND + LAP} * * * * *"
        names = [f"job-{number:04d}" for number in range(load)]
        deployed_stack.save(client, [http_job(name, schedule, f"{target.url}/close") for name in names])
        begin = _next_due(time.time() + LAP)
        time.sleep(begin - SETTLING - time.time())
        before, called = _processor(workspace, info), len(target.arrivals)
        end = begin + rounds * LAP
        time.sleep(end - SETTLING - time.time())
        after, came = _processor(workspace, info), len(target.arrivals) - called
        spent = sum(seconds - before.get(pid, 0.0) for pid, seconds in after.items())
        instants = [float(begin + LAP * turn) for turn in range(rounds)]
        return Watched(_rounds(target.arrivals, instants, load), spent / came if came and after else None)


def _next_due(now: float) -> int:
    """The next instant at which the jobs are due, in seconds since 1970."""
    return int((now - SECOND) // LAP + 1) * LAP + SECOND


def _rounds(arrivals: Iterable[Arrival], instants: Sequence[float], load: int) -> list[Round]:
    """The round of each instant.

    Raises:
        RuntimeError: when a run is missing or early.
    """
    firsts: dict[float, dict[str, float]] = defaultdict(dict)
    for arrival in arrivals:
        due = datetime.fromisoformat(arrival.headers["minutehand-scheduled-for"]).timestamp()
        firsts[due].setdefault(arrival.headers["idempotency-key"], arrival.at - due)
    found = []
    for instant in instants:
        late = sorted(firsts[instant].values())
        if len(late) < load:
            raise RuntimeError(f"{len(late)} of {load} runs called the target within {LAP} s")
        if late[0] < 0:
            raise RuntimeError(f"a run called the target {-late[0]:.3f} s before it was due")
        found.append(Round(len(late), late[len(late) // 2], late[-1]))
    return found


def _processor(workspace: Workspace, info: StackInfo) -> Mapping[int, float]:
    """Seconds of processor time of each worker process; empty without /proc."""
    ticks = os.sysconf("SC_CLK_TCK")
    spent = {}
    for pid in processes.function_pids(workspace, info.outputs["HttpWorkerFunction"]):
        try:
            stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
        except OSError:
            continue  # it has ended
        fields = stat.rpartition(")")[2].split()  # from the third on; proc(5): 14 is utime, 15 is stime
        spent[pid] = (int(fields[11]) + int(fields[12])) / ticks
    return spent
