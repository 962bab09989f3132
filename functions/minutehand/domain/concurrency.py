"""Concurrency slots: interchangeable permits that limit how many attempts are under way at once. Pure.

A limit of N is N slots, each an item of its own, so that no item is hot; a namespace's slots are spread over the table. A slot is free
when the attempt that took it is over. The end of an attempt writes nothing; a start reads a few slots and the runs that took them last,
and takes over a free slot in its own transaction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from math import gcd
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from minutehand.domain.instants import SECOND, ceiling
from minutehand.domain.overlap_lock import Permit, PermitKey, is_under_way

if TYPE_CHECKING:
    from minutehand.domain.job import Job
    from minutehand.domain.job_key import JobKey
    from minutehand.domain.namespace import Namespace
    from minutehand.domain.run import Run, RunKey

FIRST_LOOK = 8
"""Slots that are read first: one of them is usually free."""
LOOK = 100
"""Slots that each later read covers, until all have been read."""
SOONEST, LATEST = timedelta(seconds=5), timedelta(seconds=14)
"""Shortest and longest time until a run that found no slot looks again, give or take a second."""
_PATIENT_AFTER = timedelta(minutes=5)


class Limit(NamedTuple):
    """Most attempts of a job, or of a namespace, that may be under way at once."""

    owner: JobKey | str
    most: int


class Full(NamedTuple):
    """Every slot is taken."""


def limits_of(job: Job, namespace: Namespace | None) -> Iterator[Limit]:
    """The concurrency limits that apply to runs of a job: its own and its namespace's."""
    if job.max_concurrency is not None:
        yield Limit(job.key, job.max_concurrency)
    if namespace is not None and namespace.max_concurrency is not None:
        yield Limit(job.key.namespace, namespace.max_concurrency)


def slots_in_order(limit: Limit, run: RunKey) -> Iterator[Sequence[PermitKey]]:
    """All slots of a limit in the order in which a run reads them, a few first and then in steps. The order depends on the run alone, so its
    next attempt soon finds the slot that it holds."""
    most = limit.most
    place, step = divmod(crc32(f"{run.job} {run.run_id}".encode()), most)
    while gcd(step, most) != 1:  # coprime, so that every slot comes up once
        step += 1
    slots = [PermitKey(limit.owner, f"SLOT#{(place + number * step) % most}") for number in range(most)]
    yield slots[:FIRST_LOOK]
    for start in range(FIRST_LOOK, most, LOOK):
        yield slots[start : start + LOOK]


def free_slot(slots: Sequence[Permit], known: Mapping[RunKey, Run], run: RunKey, now: datetime) -> Permit | None:
    """The slot to take: the run's own, else the first free one; None when all are taken. `known` has the holders that exist."""
    own = next((slot for slot in slots if slot.holder == run), None)
    return own or next((slot for slot in slots if not is_held(slot, known, now)), None)


def is_held(slot: Permit, known: Mapping[RunKey, Run], now: datetime) -> bool:
    """Whether the attempt that took the slot is under way. It is over once the run is at a later attempt."""
    holder = None if slot.holder is None else known.get(slot.holder)
    return holder is not None and holder.attempt == slot.attempt and is_under_way(holder, now)


def next_look(run: Run, now: datetime, *, of: str) -> datetime:
    """When a run that found no slot looks again, in whole seconds: later the longer it has waited, and spread so that runs do not look at the
    same time. `of` names the message, so that two messages of a run differ."""
    share = min(max(now - run.starts_at, timedelta(0)) / _PATIENT_AFTER, 1.0)
    dice = crc32(f"{run.key.job} {run.key.run_id} {now.timestamp():.0f} {of}".encode()) / 0xFFFFFFFF
    return ceiling(now) + SOONEST + (LATEST - SOONEST) * (share + dice) / 2 // SECOND * SECOND
