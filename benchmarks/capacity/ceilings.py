"""By arithmetic alone: how many occurrences a minute each limit lets through, minute after minute."""

from __future__ import annotations

from typing import NamedTuple

from benchmarks.capacity import limits, model, sweep
from benchmarks.capacity.settings import Settings


class Ceiling(NamedTuple):
    """What a limit lets through.

    Attributes:
        occurrences: a minute.
        more: what lifts it.
    """

    what: str
    occurrences: float
    more: str


def ceilings(settings: Settings) -> list[Ceiling]:
    """All of them on the way of an occurrence, in its order; each occurrence is taken to be of another job."""
    working = model.WORKING  # a tick begins nothing in its last seconds, and no tick begins before the next minute
    per_shard = limits.PARTITION_WRITES.value / model.ADVANCE_IN_INDEX * working
    by_time = min(
        model.BY_TIME_BUCKETS * settings.namespaces * limits.PARTITION_WRITES.value, _most(settings, settings.by_time)
    )
    return [
        Ceiling(
            "processor time of the tick",
            settings.ticks * settings.tick_processor / model.TICK_CPU * working,
            "`TickFanOut`, memory",
        ),
        Ceiling("advances: partitions of `due`", settings.due_shards * per_shard, "`DueShards`"),
        Ceiling(
            "advances: index `due`",
            _most(settings, settings.due) / model.ADVANCE_IN_INDEX * working,
            "warm throughput, quota",
        ),
        Ceiling(
            "advances: table Jobs", _most(settings, settings.jobs) / model.ADVANCE * working, "warm throughput, quota"
        ),
        Ceiling("claims: partitions of `by_time`", by_time / model.CLAIM_IN_INDEX * working, "namespaces"),
        Ceiling(
            "claims, starts, reports: table Runs",
            _most(settings, settings.runs) / model.OF_RUNS * 60,
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
            "batches in work",
            settings.batches_a_second * model.BATCH * 60,
            "`WorkerMaxConcurrency`, memory, quota",
        ),
        Ceiling("messages in flight", limits.IN_FLIGHT.value * 60 / settings.batch_time, "quota"),
        Ceiling(
            "reads of a namespace's settings",
            limits.PARTITION_READS.value * model.BATCH * 60 * settings.namespaces,
            "namespaces",
        ),
    ]


def to_the_second(settings: Settings) -> Ceiling:
    """The batches in work, where all schedules name the second: workers wait for it, half a second each time in the middle."""
    longer = settings.batch_time + model.ROUNDING / 2
    more = "`WorkerMaxConcurrency`, quota; `jitter`"
    return Ceiling("the same, where all schedules name the second", settings.batches * model.BATCH * 60 / longer, more)


def first(settings: Settings) -> Ceiling:
    """The one that bites first."""
    return min(ceilings(settings), key=lambda ceiling: ceiling.occurrences)


def _most(settings: Settings, warm: int) -> float:
    return min(settings.quota, warm)
