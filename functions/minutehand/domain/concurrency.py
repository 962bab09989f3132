"""Concurrency slots: interchangeable permits that limit how many attempts are in progress at once. Pure.

A limit of N has N slots. Each slot is an item of its own, so that no single item takes all writes; the slots of a namespace and of
its named limits are spread over the table. A slot is free once the attempt that took it is over, so the end of an attempt writes
nothing. A start reads a few slots and the runs that took them last, and takes over a free slot in its own transaction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from math import gcd
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from minutehand.domain.instants import SECOND, ceiling
from minutehand.domain.overlap_lock import Permit, PermitKey, is_under_way
from minutehand.domain.taken_limit import LimitKind, TakenLimit

if TYPE_CHECKING:
    from minutehand.domain.declaration.field import Pairs
    from minutehand.domain.job import Job
    from minutehand.domain.job_key import JobKey
    from minutehand.domain.namespace import Namespace
    from minutehand.domain.quota import Place
    from minutehand.domain.run import Run
    from minutehand.domain.run_key import RunKey

FIRST_LOOK = 8
"""Number of slots that a run reads first: one of them is usually free."""
LOOK = 100
"""Number of slots in each further read, until one is free or all have been read."""
SOONEST, LATEST = timedelta(seconds=5), timedelta(seconds=14)
"""Shortest and longest time until a run that found no free slot reads the slots again, to within a second."""
_PATIENT_AFTER = timedelta(minutes=5)
RUNS_A_MINUTE = "runs a minute"
"""Name of the limit that a run notes which waits for a place in a minute (`minutehand.domain.quota`). No job can name a limit so."""


class Limit(NamedTuple):
    """Most attempts that may be in progress at once: of one owner, a job or a namespace, or of those jobs of a namespace that
    name the limit."""

    owner: JobKey | str
    most: int
    name: str = ""
    quota: bool = False

    @classmethod
    def of(cls, taken: TakenLimit, job: JobKey) -> Limit:
        """The limit that a run of the job noted as `taken`."""
        return cls(job if taken.kind is LimitKind.JOB else job.namespace, taken.most, taken.name, taken.quota)

    @property
    def slots(self) -> Iterator[PermitKey]:
        """The limit's slots, in order of their numbers. Two limits of one name share the slots of the lower."""
        prefix = f"LIMIT#{self.name}#" if self.name else ""
        return (PermitKey(self.owner, f"{prefix}SLOT#{number}") for number in range(self.most))

    @property
    def taken(self) -> TakenLimit:
        """The limit as a run notes it that found all of its slots taken."""
        if self.name:
            return TakenLimit(LimitKind.NAMED, self.most, self.name, self.quota)
        kind = LimitKind.NAMESPACE if isinstance(self.owner, str) else LimitKind.JOB
        return TakenLimit(kind, self.most, quota=self.quota)


class NobodyLive(NamedTuple):
    """A pool without a live agent; or one whose `node` is not live, or has no live one with these tags, where the job names them; or one
    with fewer live agents than the `needed` of a run on several nodes. Its runs wait as for a slot."""

    pool: str
    node: str = ""
    tags: Pairs = ()
    needed: int = 0

    @property
    def taken(self) -> TakenLimit:
        """The pool as a run notes it that found nobody to run its command."""
        return TakenLimit(LimitKind.POOL, self.needed, self.pool, node=self.node, tags=self.tags)


class Full(NamedTuple):
    """The answer that every slot of a limit is taken, or that no agent is live, so the run has to wait. `limit` is None if other runs kept
    taking free slots first. `place` is what the run has where it waits for its place in a minute, and not for a slot."""

    limit: Limit | NobodyLive | None = None
    place: Place | None = None


def limits_of(job: Job, namespace: Namespace | None) -> Iterator[Limit]:
    """The concurrency limits that apply to runs of a job: its own, its namespace's, and those that it names."""
    if job.max_concurrency is not None:
        yield Limit(job.key, job.max_concurrency)
    if namespace is not None and (most := namespace.most_at_once) is not None:
        # One limit, whichever sets it: the slots are the same, so neither can be evaded by changing the other.
        yield Limit(job.key.namespace, most, quota=namespace.quota_is_lower)
    for limit in job.limits:
        yield Limit(job.key.namespace, limit.max, limit.name)


def slots_in_order(limit: Limit, run: RunKey) -> Iterator[Sequence[PermitKey]]:
    """All slots of a limit in the order in which a run reads them: `FIRST_LOOK` slots, then `LOOK` at a time.

    The order depends on the run alone, so that its next attempt soon finds the slot that the run already holds.
    """
    most = limit.most
    place, step = divmod(crc32(f"{run.job} {run.run_id}".encode()), most)
    while gcd(step, most) != 1:  # coprime with the number of slots, so that every slot comes up once
        step += 1
    numbered = list(limit.slots)
    slots = [numbered[(place + number * step) % most] for number in range(most)]
    yield slots[:FIRST_LOOK]
    for start in range(FIRST_LOOK, most, LOOK):
        yield slots[start : start + LOOK]


def free_slot(slots: Sequence[Permit], known: Mapping[RunKey, Run], run: RunKey, now: datetime) -> Permit | None:
    """The slot that a run takes: the one that it holds already, else the first free one; None when all are taken.

    `known` has the runs that took the slots last, as far as those runs still exist.
    """
    own = next((slot for slot in slots if slot.holder == run), None)
    return own or next((slot for slot in slots if not is_held(slot, known, now)), None)


def is_held(slot: Permit, known: Mapping[RunKey, Run], now: datetime) -> bool:
    """Whether the attempt that took the slot is in progress. It is over once its run has a later attempt."""
    holder = None if slot.holder is None else known.get(slot.holder)
    return holder is not None and holder.attempt == slot.attempt and is_under_way(holder, now)


def next_look(run: Run, now: datetime, *, of: str) -> datetime:
    """When a run that found no free slot reads the slots again, in whole seconds.

    A run that has waited longer reads the slots less often. A hash spreads the times, so that waiting runs do not all read at once.
    `of` names the message, so that two messages of one run get different times.
    """
    share = min(max(now - run.starts_at, timedelta(0)) / _PATIENT_AFTER, 1.0)
    dice = crc32(f"{run.key.job} {run.key.run_id} {now.timestamp():.0f} {of}".encode()) / 0xFFFFFFFF
    return ceiling(now) + SOONEST + (LATEST - SOONEST) * (share + dice) / 2 // SECOND * SECOND
