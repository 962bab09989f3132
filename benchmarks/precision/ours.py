"""Ours: the deployed template on MiniStack, with jobs that were saved by the SDK."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from benchmarks import local
from benchmarks.precision.lateness import seconds
from benchmarks.precision.peers import Late
from benchmarks.target import Arrival, listening

SETTLING = 10.0
"""Seconds from the last save to the first occurrence that counts, and from the last one to the end."""
NAMESPACE = "benchmark"


def minutehand(jobs: int, span: float) -> Late:
    """The stack for so many seconds, once the jobs are saved. The first calls of its workers, which are cold, are among what counts."""
    with listening() as target, local.deployed() as (_, record), local.client(record) as client:
        local.save(client, [document(number, second, target.url) for number, second in enumerate(seconds(jobs))])
        begin = float(int(time.time() + SETTLING))
        time.sleep(begin + span + SETTLING - time.time())
        runs = local.runs(client, [f"{NAMESPACE}/{_name(number)}" for number in range(jobs)])
        return lateness(runs, target.arrivals, round(jobs * span / 60), begin, begin + span)


def document(number: int, second: int, url: str) -> dict[str, Any]:
    """A job that is due at one second of each minute, as JSON."""
    return {
        "namespace": NAMESPACE,
        "name": _name(number),
        "schedule": f"{second} * * * * *",
        "target": {"type": "http", "method": "POST", "url": f"{url}/{second}"},
    }


def lateness(
    runs: Iterable[Mapping[str, Any]], arrivals: Iterable[Arrival], due: int, begin: float, end: float
) -> Late:
    """How late those were that were due in [begin, end): at the worker by the runs' own records, at the target by when the call arrived."""

    def counted(pairs: Iterable[tuple[float, float]]) -> list[float]:
        return [at - scheduled for at, scheduled in pairs if begin <= scheduled < end]

    at_worker = counted((_at(run["started_at"]), _at(run["scheduled_for"])) for run in runs if run["started_at"])
    at_target = counted((arrival.at, _at(arrival.headers["minutehand-scheduled-for"])) for arrival in arrivals)
    return Late(due, at_worker, at_target)


def _name(number: int) -> str:
    return f"job-{number:03d}"


def _at(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()
