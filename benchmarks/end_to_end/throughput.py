"""How many runs a second reach their targets, through everything that is deployed."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from localstack.processes import function_pids
from localstack.workarounds import MAX_WORKERS
from localstack.workspace import StackInfo, Workspace

from benchmarks import local
from benchmarks.table import Table
from benchmarks.target import Arrival, listening

LOAD = 500
ROUNDS = 5
LAP = 30
"""Seconds from round to round."""
SECOND = 15
"""At which second of each half minute all are due."""
SETTLING = 5.0
NAMESPACE = "benchmark"


class Round(NamedTuple):
    """The calls of all runs of one instant.

    Attributes:
        came: how many distinct runs called the target.
        half: seconds from the instant until half of them had called, and `last` until all that came had.
    """

    came: int
    half: float
    last: float


class Seen(NamedTuple):
    """What was seen: the rounds in order, and the workers' processor time, in seconds for each run that came meanwhile."""

    rounds: list[Round]
    processor: float | None


def table(*, load: int = LOAD, rounds: int = ROUNDS) -> Table:
    """Deploy, save, watch, and tell."""
    seen = watched(load, rounds)
    return Table(
        title="From due to called",
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
                sum(one.came for one in seen.rounds),
                median(one.half for one in seen.rounds),
                median(one.last for one in seen.rounds),
                median(one.came / one.last for one in seen.rounds),
                None if seen.processor is None else seen.processor * 1000,
            ),
        ),
        notes=(
            (
                f"Medians of {rounds} rounds, {LAP} s apart, through the deployed template on MiniStack: from the second that so many jobs are due at to the first bytes of the call of the last of them. "
                "What is claimed and sent beforehand, by the tick, is not in it; the queue, its poller, the workers and the emulator's tables are."
            ),
            (
                f"The emulator, {MAX_WORKERS} processes of the worker at most and the target share this machine's {os.cpu_count()} cores, so this says what a machine like it can play, and not what AWS does, "
                "where each worker has a processor of its own and there are a hundred."
            ),
            (
                "The workers' processor time is that of their processes, as the system counts it: the handler with its log lines and metrics, and the emulator's runtime in the same process."
                if seen.processor is not None
                else "The workers' processor time could not be read: this system has no /proc."
            ),
        ),
    )


def watched(load: int, rounds: int) -> Seen:
    """So many rounds, the first after the jobs are saved and the workers have begun."""
    with listening() as target, local.deployed() as (workspace, info), local.client(info) as client:
        local.save(client, [document(number, target.url) for number in range(load)])
        begin = following(time.time() + LAP)
        time.sleep(begin - SETTLING - time.time())
        before, called = _processor(workspace, info), len(target.arrivals)
        end = begin + rounds * LAP
        time.sleep(end - SETTLING - time.time())
        after, came = _processor(workspace, info), len(target.arrivals) - called
        spent = sum(seconds - before.get(pid, 0.0) for pid, seconds in after.items())
        instants = [float(begin + LAP * turn) for turn in range(rounds)]
        return Seen(told(target.arrivals, instants, load), spent / came if came and after else None)


def document(number: int, url: str) -> dict[str, Any]:
    """One of the jobs, as JSON."""
    return {
        "namespace": NAMESPACE,
        "name": f"job-{number:04d}",
        "schedule": f"{SECOND},{SECOND + LAP} * * * * *",
        "target": {"type": "http", "method": "POST", "url": f"{url}/close"},
        "payload": {"ledger": "main", "dry_run": False},
    }


def following(now: float) -> int:
    """The first instant after `now`, in seconds since 1970, at which the jobs are due."""
    return int((now - SECOND) // LAP + 1) * LAP + SECOND


def told(arrivals: Iterable[Arrival], instants: Sequence[float], load: int) -> list[Round]:
    """What came of each instant's runs.

    Raises:
        RuntimeError: when some did not come, or one before its instant.
    """
    firsts: dict[float, dict[str, float]] = defaultdict(dict)
    for arrival in arrivals:
        due = datetime.fromisoformat(arrival.headers["minutehand-scheduled-for"]).timestamp()
        firsts[due].setdefault(arrival.headers["idempotency-key"], arrival.at - due)
    found = []
    for instant in instants:
        late = sorted(firsts[instant].values())
        if len(late) < load:
            raise RuntimeError(f"of {load} runs that were due at once {len(late)} called the target within {LAP} s")
        if late[0] < 0:
            raise RuntimeError(f"a run called the target {-late[0]:.3f} s before it was due")
        found.append(Round(len(late), late[len(late) // 2], late[-1]))
    return found


def _processor(workspace: Workspace, info: StackInfo) -> Mapping[int, float]:
    """Seconds of processor time of each process that runs the worker; nothing where there is no /proc."""
    ticks = os.sysconf("SC_CLK_TCK")
    spent = {}
    for pid in function_pids(workspace, info.outputs["HttpWorkerFunction"]):
        try:
            stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
        except OSError:
            continue  # it ended meanwhile
        fields = stat.rpartition(")")[
            2
        ].split()  # proc(5): utime and stime are fields 14 and 15, and these begin at the third
        spent[pid] = (int(fields[11]) + int(fields[12])) / ticks
    return spent
