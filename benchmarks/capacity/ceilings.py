"""Sustained occurrences a minute that each limit allows, by arithmetic."""

from __future__ import annotations

from typing import NamedTuple

from benchmarks.capacity import limits, model, sweep
from benchmarks.capacity.settings import Settings


class Ceiling(NamedTuple):
    """The occurrences a minute that a limit allows, and what raises it."""

    what: str
    occurrences: float
    raised_by: str


def ceilings(settings: Settings) -> list[Ceiling]:
    """All limits in the order in which an occurrence meets them. Each occurrence is of another job."""
    # Seconds of each minute: a tick starts nothing in its last ones, and first reads what is not due.
    working = model.WORKING - settings.resting * settings.look_time
    return [
        Ceiling(
            "pace of the ticks: processor and calls",
            settings.ticks * settings.tick_pace * working,
            f"`TickFanOut` up to {model.BUCKETS}, memory",
        ),
        Ceiling(
            "packed timers that a tick has time to read",
            model.WORKING / settings.look_time,
            "another stack",
        ),
        Ceiling(
            "reads of packed timers: partitions of buckets",
            model.BUCKETS * limits.PARTITION_READS.value / model.READ_PACKED * working,
            "another stack",
        ),
        Ceiling(
            "advances: partitions of buckets",
            model.BUCKETS * limits.PARTITION_WRITES.value / model.ADVANCE * working,
            "another stack",
        ),
        Ceiling(
            "advances: table Jobs",
            _allowed(settings, settings.jobs) / model.ADVANCE * working,
            "warm throughput, quota",
        ),
        Ceiling(
            "claims: partition of entries",
            limits.PARTITION_WRITES.value / model.ENTRY * working,
            "namespaces",
        ),
        Ceiling(
            "claims, starts, reports: table Runs",
            _allowed(settings, settings.runs) / model.OF_RUNS * 60,
            "warm throughput, quota",
        ),
        Ceiling(
            "reads by workers: table Runs",
            (settings.runs_read - sweep.read()) / model.READ_RUN * 60,
            "warm throughput, quota",
        ),
        Ceiling(
            "reads by workers and ticks: table Jobs",
            settings.jobs_read / (model.READ_DEFINITION + model.READ_NAMESPACE / model.BATCH + model.READ_PACKED) * 60,
            "warm throughput, quota",
        ),
        Ceiling(
            "concurrent batches", settings.batches_a_second * model.BATCH * 60, "`WorkerMaxConcurrency`, memory, quota"
        ),
        Ceiling("messages in flight", limits.IN_FLIGHT.value * 60 / settings.batch_time, "quota"),
        Ceiling(
            "reads of a namespace's settings",
            limits.PARTITION_READS.value * model.BATCH * 60,
            "namespaces",
        ),
    ]


def to_the_second(settings: Settings) -> Ceiling:
    """The limit of concurrent batches where schedules name the second: workers wait for it, half a second on average."""
    longer = settings.batch_time + model.ROUNDING / 2
    raised_by = "`WorkerMaxConcurrency`, quota; `jitter`"
    return Ceiling("… where all schedules name the second", settings.batches * model.BATCH * 60 / longer, raised_by)


def lowest(settings: Settings) -> Ceiling:
    """The lowest ceiling."""
    return min(ceilings(settings), key=lambda ceiling: ceiling.occurrences)


def _allowed(settings: Settings, warm: int) -> float:
    return min(settings.quota, warm)
