"""The table: lateness of 200 jobs with seconds, ours and others', one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from benchmarks.charts.chart import Chart
from benchmarks.precision import ours, peers
from benchmarks.precision.lateness import Spread, spread
from benchmarks.precision.peers import Late
from benchmarks.stack import AbsentError
from benchmarks.table import Cell, Table, told_not_run, within

JOBS = 200
SPAN = 300.0
"""Seconds for which ours is watched."""
PEERS_SPAN = 60.0
"""Seconds for which each other scheduler is. Whole minutes, like ours, or what is due could not be told by the number of jobs alone."""
MOST = 1.2
OURS = "Minutehand on MiniStack"
_CHART = Chart(
    name="precision",
    kind="bars",
    over=("scheduler", "lateness at"),
    values=("p50, s", "p95, s", "p99, s"),
    x="scheduler, lateness at",
    y="lateness, s",
    limit=MOST,
)
PEERS: Mapping[str, Callable[[int, float], Late]] = {
    "APScheduler 3, PostgreSQL": peers.apscheduler,
    "Celery beat, Redis": peers.celery,
}


def tables() -> list[Table]:
    """Watch each for its time, ours for five minutes."""
    watched, absent = {OURS: ours.minutehand(JOBS, SPAN)}, []
    for name, watch in PEERS.items():
        try:
            watched[name] = watch(JOBS, PEERS_SPAN)
        except (AbsentError, RuntimeError) as trouble:
            absent.append(told_not_run(f"{name}: {trouble}"))
    return [table(watched, absent)]


def table(watched: Mapping[str, Late], absent: list[str]) -> Table:
    """What was seen, and whether ours keeps the goal."""
    rows = [row for name, late in watched.items() for row in _rows(name, late)]
    return Table(
        title="Lateness of jobs with seconds",
        chart=_CHART,
        goal=f"at the worker p95 ≤ {MOST} s on MiniStack, none early and none missing",
        holds=holds(watched[OURS]),
        columns=(
            "scheduler",
            "lateness at",
            "due",
            "seen",
            "early",
            "least, s",
            "p50, s",
            "p95, s",
            "p99, s",
            "most, s",
        ),
        rows=tuple(rows),
        notes=(
            (
                f"{JOBS} jobs, each due once a minute at a second of its own or shared with two or three others, three or four at each second. Ours for {SPAN / 60:.0f} minutes, "
                f"the others for {PEERS_SPAN:.0f} s each, one after the other. Each calls the same HTTP service, in the benchmark's process."
            ),
            (
                "At the worker: the start of the run (`started_at` of its record; a peer's job reads the clock as its first act) after the instant the job is due at. At the target: "
                "the arrival of the call's first bytes. Percentiles are nearest ranks."
            ),
            (
                "Ours goes through everything that is deployed: tick, index, queue, the emulator's poller and worker processes, cold ones included. MiniStack's poller looks for what has "
                "become visible up to a second later; SQS's own delivers within some tens of milliseconds, by AWS's account of long polling, which is not measured here."
            ),
            (
                "APScheduler: the blocking scheduler with its defaults (ten threads, a job more than a second late is not run) and cron triggers with seconds. Celery: beat with an interval of 60 s "
                "for each entry, since its crontab has no seconds, told when it ran last so that it is first due at its second; beat counts the next interval from when it sent the last, so that its "
                "lateness would grow from minute to minute. Its worker has its defaults. Both keep everything on one machine that must not stop."
            ),
            *absent,
        ),
    )


def holds(late: Late) -> bool:
    """Whether ours keeps the goal."""
    seen = [spread(late.at_worker), spread(late.at_target)]
    complete = all(one.seen == late.due and not one.early for one in seen)
    return complete and within(seen[0].p95, MOST)


def _rows(name: str, late: Late) -> list[tuple[Cell, ...]]:
    return [
        _row(name, "the worker", late.due, spread(late.at_worker)),
        _row(name, "the target", late.due, spread(late.at_target)),
    ]


def _row(name: str, where: str, due: int, seen: Spread) -> tuple[Cell, ...]:
    return name, where, due, seen.seen, seen.early, seen.least, seen.p50, seen.p95, seen.p99, seen.most
