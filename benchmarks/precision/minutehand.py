"""Minutehand's lateness: the deployed template on MiniStack, with jobs saved by the SDK."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from benchmarks import deployed_stack
from benchmarks.deployed_stack import NAMESPACE, http_job
from benchmarks.http_target import Arrival, listening
from benchmarks.precision.lateness import MINUTE, Late, seconds

_SETTLING = 10.0
"""Seconds from the last save to the first occurrence that counts, and from the last one to the end."""


def watch(jobs: int, span: float) -> Late:
    """The lateness of so many seconds, cold starts of workers included."""
    with listening() as target, deployed_stack.deployed() as (_, _, client):
        names = [f"job-{number:03d}" for number in range(jobs)]
        at = zip(names, seconds(jobs), strict=True)
        deployed_stack.save(client, [http_job(name, f"{s} * * * * *", f"{target.url}/{s}") for name, s in at])
        begin = float(int(time.time() + _SETTLING))
        time.sleep(begin + span + _SETTLING - time.time())
        runs = deployed_stack.runs(client, [f"{NAMESPACE}/{name}" for name in names])
        return _lateness(runs, target.arrivals, round(jobs * span / MINUTE), begin, begin + span)


def _lateness(
    runs: Iterable[Mapping[str, Any]], arrivals: Iterable[Arrival], due: int, begin: float, end: float
) -> Late:
    """The lateness of occurrences due in [begin, end): at the worker by the runs' records, at the target by arrivals."""

    def counted(pairs: Iterable[tuple[float, float]]) -> list[float]:
        return [at - scheduled for at, scheduled in pairs if begin <= scheduled < end]

    at_worker = counted((_at(run["started_at"]), _at(run["scheduled_for"])) for run in runs if run["started_at"])
    at_target = counted((arrival.at, _at(arrival.headers["minutehand-scheduled-for"])) for arrival in arrivals)
    return Late(due, at_worker, at_target)


def _at(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()
