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
    working = model.WORKING  # of each minute: a tick starts nothing in its last seconds
    per_shard = limits.PARTITION_WRITES.value / model.ADVANCE_IN_INDEX * working
    entries = settings.namespaces * limits.PARTITION_WRITES.value
    return [
        Ceiling(
            "processor time of the tick",
            settings.ticks * settings.tick_processor / model.TICK_CPU * working,
            "`TickFanOut`, memory",
        ),
        Ceiling("advances: partitions of `due`", settings.due_shards * per_shard, "`DueShards`"),
        Ceiling(
            "advances: index `due`",
            _allowed(settings, settings.due) / model.ADVANCE_IN_INDEX * working,
            "warm throughput, quota",
        ),
        Ceiling(
            "advances: table Jobs",
            _allowed(settings, settings.jobs) / model.ADVANCE * working,
            "warm throughput, quota",
        ),
        Ceiling("claims: partitions of entries", entries / model.ENTRY * working, "namespaces"),
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
            "reads by workers: table Jobs",
            settings.jobs_read / (model.READ_DEFINITION + model.READ_NAMESPACE / model.BATCH) * 60,
            "warm throughput, quota",
        ),
        Ceiling(
            "concurrent batches", settings.batches_a_second * model.BATCH * 60, "`WorkerMaxConcurrency`, memory, quota"
        ),
        Ceiling("messages in flight", limits.IN_FLIGHT.value * 60 / settings.batch_time, "quota"),
        Ceiling(
            "reads of a namespace's settings",
            limits.PARTITION_READS.value * model.BATCH * 60 * settings.namespaces,
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
