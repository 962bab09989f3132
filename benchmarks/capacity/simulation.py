"""The simulation: so many occurrences under some settings, and their lateness."""

from __future__ import annotations

import math
from dataclasses import dataclass

from benchmarks.capacity import model
from benchmarks.capacity.events import Events, Timers
from benchmarks.capacity.settings import Settings
from benchmarks.capacity.store import Store
from benchmarks.capacity.ticks import Ticks
from benchmarks.capacity.workers import Workers, quantile

SEED = 20261121
LONGEST = 600.0
"""Seconds of ticks after the last instant; what is not claimed by then never is."""
SLACK = 60.0
"""Seconds before its instant at which the tick first sees a timer with a look-ahead of 120 s, in the worst case."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The outcome of a simulation.

    Attributes:
        claimed, sent, started: numbers of occurrences.
        least, p50, p99, last: lateness at the worker, in seconds; infinite where too few started.
        claimed_by: seconds from the first instant to the last claim; negative when that was earlier.
        refused: statements that were throttled; most succeeded later.
        ticks: the most invocations that shared a tick.
        workers: the most concurrent batches.
    """

    occurrences: int
    claimed: int
    sent: int
    started: int
    least: float
    p50: float
    p99: float
    last: float
    claimed_by: float
    refused: int
    ticks: int
    workers: int


def at_once(settings: Settings, occurrences: int, *, seed: int = SEED) -> Outcome:
    """All due in the same second, on a stack at rest."""
    return _simulate(settings, {0.0: occurrences}, seed=seed, at_work=False)


def each_minute(
    settings: Settings, occurrences: int, *, minutes: int = 2, seed: int = SEED, to_the_second: bool = False
) -> Outcome:
    """So many a minute, spread over its seconds, on a stack with all its pollers running.

    Args:
        to_the_second: schedules name the second, so workers wait for it; otherwise jobs have a jitter.
    """
    whole, rest = divmod(occurrences, 60)
    seconds = {float(m * 60 + s): whole + (s < rest) for m in range(minutes) for s in range(60)}
    return _simulate(settings, seconds, seed=seed, at_work=True, to_the_second=to_the_second)


def on_the_minute(settings: Settings, occurrences: int, *, minutes: int = 2, seed: int = SEED) -> Outcome:
    """So many at the start of each minute, as cron jobs without a jitter, with all pollers running."""
    return _simulate(settings, {float(m * 60): occurrences for m in range(minutes)}, seed=seed, at_work=True)


def seconds(late: float) -> float | None:
    """The lateness for a table; None where too few started."""
    return round(late, 3) if math.isfinite(late) else None


def _simulate(
    settings: Settings, due: dict[float, int], *, seed: int, at_work: bool, to_the_second: bool = False
) -> Outcome:
    events = Events(seed, settings.slower)
    store = Store(settings, events.dice)
    workers = Workers(settings, events, store, at_work=at_work, to_the_second=to_the_second)
    ticks = Ticks(settings, events, store, _buckets(due), workers.send)
    ahead = settings.look_ahead - 120.0 + SLACK
    events.at(-ahead, ticks.minute, max(due) + LONGEST)
    events.run()
    occurrences = sum(due.values())
    started = sum(count for _, count in workers.started)
    least, p50, p99, last = (quantile(workers.started, share, of=occurrences) for share in (0.0, 0.5, 0.99, 1.0))
    return Outcome(
        occurrences=occurrences,
        claimed=ticks.claimed,
        sent=occurrences - ticks.left,
        started=started,
        least=least,
        p50=p50,
        p99=p99,
        last=last,
        claimed_by=ticks.last_claim,
        refused=sum(store.refused.values()),
        ticks=ticks.most,
        workers=workers.most,
    )


def _buckets(due: dict[float, int]) -> list[list[Timers]]:
    """Timers by bucket, evenly, as a hash spreads many."""
    found: list[list[Timers]] = [[] for _ in range(model.BUCKETS)]
    turn = 0
    for instant, count in due.items():
        each, rest = divmod(count, model.BUCKETS)
        for bucket in range(model.BUCKETS):
            mine = each + ((bucket - turn) % model.BUCKETS < rest)
            if mine:
                found[bucket].append(Timers(instant, bucket, mine))
        turn += rest
    return found
