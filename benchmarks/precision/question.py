"""The question `precision`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from benchmarks.emulators import AbsentError
from benchmarks.precision import baselines, minutehand
from benchmarks.precision.lateness import Late, spread
from benchmarks.table import Cell, Table, missing, within

JOBS = 200
SPAN = 300.0
BASELINES_SPAN = 60.0
"""Seconds; whole minutes, in which each job is due equally often."""
MOST = 1.2
OURS = "Minutehand on MiniStack"
BASELINES: Mapping[str, Callable[[int, float], Late]] = {
    "APScheduler 3, PostgreSQL": baselines.apscheduler,
    "Celery beat, Redis": baselines.celery,
}


def tables(*, jobs: int = JOBS, span: float = SPAN, baselines_span: float = BASELINES_SPAN) -> list[Table]:
    """All tables of the question, one scheduler after the other."""
    watched, absent = {OURS: minutehand.watch(jobs, span)}, []
    for name, watch in BASELINES.items():
        try:
            watched[name] = watch(jobs, baselines_span)
        except (AbsentError, RuntimeError) as error:
            absent.append(missing(f"{name}: {error}"))
    return [_table(watched, absent)]


def _table(watched: Mapping[str, Late], absent: Sequence[str]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, late in watched.items():
        rows.append((name, "the worker", late.due, *spread(late.at_worker)))
        rows.append((name, "the target", late.due, *spread(late.at_target)))
    return Table(
        title="Lateness of jobs with seconds",
        goal=f"at the worker p95 ≤ {MOST} s on MiniStack, none early and none missing",
        holds=_holds(watched[OURS]),
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
                f"{JOBS} jobs, each due once a minute, three or four at each second. Minutehand runs for {SPAN / 60:.0f} minutes, "
                f"the others for {BASELINES_SPAN:.0f} s each, one after the other. All call the same HTTP service in the benchmark's process."
            ),
            (
                "At the worker: from the due instant to the start of the run (`started_at`; a baseline's job reads the clock first). At the target: "
                "to the arrival of the call's first bytes. Percentiles are nearest ranks."
            ),
            (
                "Minutehand runs as deployed, cold starts included. MiniStack's poller sees a message up to a second late; SQS delivers within tens of "
                "milliseconds by AWS's account of long polling."
            ),
            (
                "APScheduler: the blocking scheduler with its defaults (ten threads; it skips a job more than a second late) and cron triggers with seconds. Celery: a beat interval of 60 s "
                "for each entry, because its crontab has no seconds. Beat counts the next interval from the last send, so its "
                "lateness would grow from minute to minute. Its worker has its defaults. Both keep everything on one machine that must not stop."
            ),
            *absent,
        ),
    )


def _holds(late: Late) -> bool:
    worker, target = spread(late.at_worker), spread(late.at_target)
    complete = all(one.seen == late.due and not one.early for one in (worker, target))
    return complete and within(worker.p95, MOST)
