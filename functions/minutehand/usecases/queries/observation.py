"""Observation: looks, by turns, at a part of what ought to have begun by now. It asks neither ticks nor sweeps, so that it also tells when
these are not in order."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import chain, islice
from typing import NamedTuple, TypeVar

from minutehand.domain.instants import floor
from minutehand.domain.policies import Overlap
from minutehand.domain.run import Run, RunState
from minutehand.usecases.ports.bundle import Ports

T = TypeVar("T")

OVERDUE = timedelta(minutes=2)
"""A timer is overdue when it should have been dispatched so long ago: at least one tick has missed it, and had time for it since."""
UNSTARTED = timedelta(minutes=5)
"""A run should have begun by so long after its instant: its worker had time to die, and the sweep to send it again."""
PARTS, NAMESPACES, RUNS = 4, 2, 100
"""Shards and buckets, namespaces, and runs of each, at which one observation looks."""


class Observed(NamedTuple):
    """What an observation found in its part.

    Attributes:
        overdue: timers that should have been dispatched, as far as they were read.
        oldest: how long the oldest of them is overdue; zero without any.
        unstarted: runs that should have begun, and for which nothing says why they have not.
    """

    overdue: int
    oldest: timedelta
    unstarted: int


def observe(ports: Ports, *, shards: int, buckets: int) -> Observed:
    """Look at the shards, buckets and namespaces whose turn it is in this minute.

    Args:
        shards, buckets: how many there are.

    Raises:
        Unavailable: if a store does not answer.
    """
    now = ports.clock()
    turn = int(now.timestamp()) // 60
    due = _overdue(ports, now - OVERDUE, whose_turn(range(shards + buckets), PARTS, turn), shards)
    names = whose_turn(ports.definitions.namespaces(), NAMESPACES, turn)
    unstarted = sum(_unstarted(ports, namespace, now) for namespace in names)
    return Observed(len(due), max((now - each for each in due), default=timedelta(0)), unstarted)


def whose_turn(every: Sequence[T], number: int, turn: int) -> Sequence[T]:
    """So many of them, the next ones in each turn; all of them if they are fewer."""
    if len(every) <= number:
        return every
    return [every[(turn * number + place) % len(every)] for place in range(number)]


def _overdue(ports: Ports, until: datetime, parts: Sequence[int], shards: int) -> list[datetime]:
    """The instants of overdue timers: of each part those of its first page that has any."""
    found: list[datetime] = []
    for part in parts:
        pages = ports.timers.due(part, until) if part < shards else ports.timers.due_packed(part - shards, until)
        page = next(filter(None, pages), ())
        found += (timer.next_at for timer in page if timer.next_at is not None)
    return found


def _unstarted(ports: Ports, namespace: str, now: datetime) -> int:
    """How many runs of a namespace, of those scheduled in the last minutes but the newest, wait for nothing that is known."""
    until = floor(now) - UNSTARTED
    keys = list(islice(chain.from_iterable(ports.runs.within(namespace, until - UNSTARTED, until)), RUNS))
    waiting = [run for run in ports.runs.look(keys).values() if _seems_forgotten(run, now)] if keys else []
    jobs = ports.definitions.get([*{run.key.job for run in waiting}]) if waiting else {}
    return sum(run.key.job in jobs and jobs[run.key.job].job.overlap is Overlap.ALLOW for run in waiting)


def _seems_forgotten(run: Run, now: datetime) -> bool:
    """Whether a run should have begun, and its record does not say for what it waits: a slot, a place in a minute, an agent."""
    waits = run.waits_for is not None or (run.retry_at is not None and run.retry_at > now - UNSTARTED)
    return run.state is RunState.QUEUED and not waits and run.starts_at <= now - UNSTARTED
