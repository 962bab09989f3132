"""Slots: permits of which any one will do, where only so many attempts may be under way at once. Pure.

A limit of N is N permits, each an item of its own, so that no item is hot; those of a namespace are spread over the table. A slot is free
when the attempt that took it is over. Finishing writes nothing; who starts reads a few slots, and the runs that took them last, and takes
over one that is free in the transaction of its start.
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
    from minutehand.domain.job import Job, JobKey
    from minutehand.domain.namespace import Namespace
    from minutehand.domain.run import Run, RunKey

FIRST_LOOK = 8
"""Slots that are read first: mostly one of them is free."""
LOOK = 100
"""Slots that are read at once after that, until all have been."""
SOONEST, LATEST = timedelta(seconds=5), timedelta(seconds=14)
"""How soon a run that found no slot looks again, and how late at most, give or take a second."""
_PATIENT_AFTER = timedelta(minutes=5)


class Limit(NamedTuple):
    """How many attempts may be under way at once, of a job's runs or of a namespace's."""

    owner: JobKey | str
    most: int


class Full(NamedTuple):
    """Every slot is taken."""


def limits_of(job: Job, namespace: Namespace | None) -> Iterator[Limit]:
    """What limits how many runs of a job may be under way."""
    if job.max_concurrency is not None:
        yield Limit(job.key, job.max_concurrency)
    if namespace is not None and namespace.max_concurrency is not None:
        yield Limit(job.key.namespace, namespace.max_concurrency)


def looks_of(limit: Limit, run: RunKey) -> Iterator[Sequence[PermitKey]]:
    """All slots in the order in which a run looks at them, a few first and then in steps. Each run has an order of its own, and keeps it: so
    its next attempt comes to the slot of the one before soon."""
    most = limit.most
    place, step = divmod(crc32(f"{run.job} {run.run_id}".encode()), most)
    while gcd(step, most) != 1:  # 0 is prime to nothing but 1
        step += 1
    slots = [PermitKey(limit.owner, f"SLOT#{(place + number * step) % most}") for number in range(most)]
    yield slots[:FIRST_LOOK]
    for start in range(FIRST_LOOK, most, LOOK):
        yield slots[start : start + LOOK]


def free_slot(slots: Sequence[Permit], known: Mapping[RunKey, Run], run: RunKey, now: datetime) -> Permit | None:
    """The slot to take: the run's own, if it holds one, else the first that is free. `known` has the holders, as far as they exist."""
    own = next((slot for slot in slots if slot.holder == run), None)
    return own or next((slot for slot in slots if not is_held(slot, known, now)), None)


def is_held(slot: Permit, known: Mapping[RunKey, Run], now: datetime) -> bool:
    """Whether the attempt that took a slot is under way: an earlier one is over, wherever the run has come since."""
    holder = None if slot.holder is None else known.get(slot.holder)
    return holder is not None and holder.attempt == slot.attempt and is_under_way(holder, now)


def looks_again(run: Run, now: datetime, *, of: str) -> datetime:
    """When a run that found no slot looks for one again, in whole seconds: the longer it has waited the later, and not at the same time
    as others, nor by two messages; `of` tells them apart."""
    share = min(max(now - run.starts_at, timedelta(0)) / _PATIENT_AFTER, 1.0)
    dice = crc32(f"{run.key.job} {run.key.run_id} {now.timestamp():.0f} {of}".encode()) / 0xFFFFFFFF
    return ceiling(now) + SOONEST + (LATEST - SOONEST) * (share + dice) / 2 // SECOND * SECOND
