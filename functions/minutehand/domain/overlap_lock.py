"""Permits: what a run must hold to start, where the job lets only so many of its runs be active at once. Pure.

Nobody gives a permit back. It names the run that took it last, and is free once that run is not active any more: whoever
wants it reads the run, and takes it over from exactly the holder that was read. So finishing a run writes nothing for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.domain.job import Job, JobKey, Overlap
from minutehand.domain.run import Run, RunKey, RunState, SkipReason
from minutehand.domain.run_decisions import Skip

LOCK = "LOCK"
"""The permit of a job whose runs do not overlap."""
MOST_WAITING = 1000
"""Runs of a job that wait at once; later ones are skipped."""
CLOCKS_DIFFER = timedelta(seconds=3)
"""By how much, at most, the clocks of two processes differ."""
PATIENCE = timedelta(minutes=15)
"""How long after its instant a retry still counts as coming."""
SOONEST = timedelta(seconds=5)
"""A run does not look again sooner than this, however late what it waits for is. Whoever ends tells it."""
BEHIND = timedelta(minutes=10)
"""How much later than the first a run looks again that others wait before; usually it is sent a message before that."""


class PermitKey(NamedTuple):
    """Which permit: of a job, `LOCK` or one of its slots; of a namespace, one of its slots."""

    owner: JobKey | str
    name: str


class Permit(NamedTuple):
    """A permit as it was read.

    Attributes:
        holder, attempt: who took it last; None for nobody yet.
        waiting: ids of the runs that want it.
    """

    key: PermitKey
    holder: RunKey | None = None
    attempt: int = 0
    waiting: tuple[str, ...] = ()


class Free(NamedTuple):
    """Nothing is in the run's way."""


class Queue(NamedTuple):
    """The run waits.

    Attributes:
        behind: the run it waits for.
        until: when to look again, if nobody says anything before.
        cancels: whether the other is to be cancelled.
        wakes: whether the other waits too, and is to be told that it is its turn.
    """

    behind: RunKey
    until: datetime
    cancels: bool = False
    wakes: bool = False


def turn(run: RunKey) -> tuple[bool, str]:
    """By what those that wait for a lock go: the oldest first, and what a backfill replays after all else."""
    return run.backfill is not None, run.run_id


def lock_of(job: JobKey) -> PermitKey:
    """The key of a job's lock."""
    return PermitKey(job, LOCK)


def overlap_of(run: Run, job: Job) -> Overlap:
    """What counts for a run: what it was asked for with, else what its job says; a fixed delay never overlaps."""
    if run.overlap is not None:
        return run.overlap
    return Overlap.SKIP if job.fixed_delay and job.overlap is Overlap.ALLOW else job.overlap


def overlap_of_replay(job: Job, *, beside: bool) -> Overlap | None:
    """What a run is made with that makes up for an earlier one: it is not skipped because something else of the job runs, but waits its
    turn, unless it was asked to start `beside` that."""
    if beside:
        return Overlap.ALLOW
    return None if job.overlap is Overlap.ALLOW and not job.fixed_delay else Overlap.QUEUE_ALL


def is_active(run: Run | None, now: datetime) -> bool:
    """Whether a run holds what it has taken: one whose worker died does so until its lease has run out."""
    if run is None:
        return False
    return is_under_way(run, now) or (run.state is RunState.RETRYING and now < run.due_at + PATIENCE)


def is_under_way(run: Run, now: datetime) -> bool:
    """Whether an attempt of the run is under way."""
    # By another clock the target may still be heard of in time; a worker ends its call well before its lease.
    held = run.state in (RunState.RUNNING, RunState.WAITING)
    return held and (run.lease_until is None or now < run.lease_until + CLOCKS_DIFFER)


def waits_still(run: Run, now: datetime) -> bool:
    """Whether a run that is among those that wait for a lock is to be told that it is free: one that is to start, or to start again."""
    if run.state is RunState.QUEUED:
        return True
    return not run.state.finished and not is_under_way(run, now) and run.due_at <= now + BEHIND


def rests_until(run: Run, last: Run, delay: timedelta | None) -> datetime | None:
    """Until when a run that a fixed delay names keeps its distance from the one that held the lock last; None where it need not."""
    named = run.key.named_by_schedule and last.key.named_by_schedule and run.key != last.key
    if delay is None or run.attempt or not named or last.finished_at is None or not last.state.finished:
        return None
    return last.finished_at + delay


def at_the_lock(
    run: Run, overlap: Overlap, lock: Permit, known: Mapping[RunKey, Run], *, now: datetime
) -> Free | Skip | Queue:
    """What a run does at the lock of its job; `known` holds the lock's holder and those that wait, as far as they exist.

    A run that has begun before, and comes with its next attempt, is not skipped any more: it waits. A backfill gives way: its runs that
    wait count for nothing to others, and one of them that is active is waited for where another's would have the run skipped.
    """
    holder = known.get(lock.holder) if lock.holder else None
    if holder is not None and (holder.key == run.key or not is_active(holder, now)):
        holder = None
    waiting = [known[key] for name in lock.waiting if (key := RunKey(run.key.job, name)) in known]
    others = [
        one
        for one in waiting
        if one.state is RunState.QUEUED and one.key != run.key and not one.cancelled_by and not _gives_way(one, run)
    ]
    if overlap is Overlap.REPLACE:
        return _replacing(run, holder, others, now)
    before = min((one for one in others if _turn(one) < _turn(run)), key=_turn, default=None)
    if run.attempt or overlap is Overlap.QUEUE_ALL:
        return _queueing(run, lock, holder, before, now)
    if overlap is Overlap.QUEUE_ONE or (holder is not None and _gives_way(holder, run)):
        stands = run.key.run_id in lock.waiting
        ahead = before if stands else min(others, key=_turn, default=None)
        if ahead is not None:
            return _skip(run, SkipReason.OVERLAP, ahead)
        return Free() if holder is None else _behind(holder, now)
    return Free() if holder is None else _skip(run, SkipReason.OVERLAP, holder)


def _queueing(run: Run, lock: Permit, holder: Run | None, before: Run | None, now: datetime) -> Free | Skip | Queue:
    if holder is None and (before is None or run.attempt):
        return Free()
    if not run.attempt and len(lock.waiting) >= MOST_WAITING and run.key.run_id not in lock.waiting:
        return _skip(run, SkipReason.OVERLAP, holder or before or run)
    if holder is None:
        return Queue((before or run).key, now + BEHIND, wakes=True)
    said = _behind(holder, now)
    return said._replace(until=said.until + BEHIND) if before else said


def _replacing(run: Run, holder: Run | None, others: list[Run], now: datetime) -> Free | Skip | Queue:
    newer = max((one for one in others if _start(one) > _start(run)), key=_start, default=None)
    if newer is not None and not run.attempt:
        return _skip(run, SkipReason.REPLACED, newer)
    if holder is None:
        return Free()
    # This one's message, or its retry, has come late: the newest is to stay. A replayed run starts when it is made, and is old.
    later = holder.starts_at > run.starts_at and not _gives_way(holder, run)
    if later and not run.attempt:
        return _skip(run, SkipReason.REPLACED, holder)
    return _behind(holder, now)._replace(cancels=not later)


def is_replaced_by(last: Run, run: Run) -> bool:
    """Whether a run that takes a free lock takes the place of the one that held it last, which is older, has died, and would come again."""
    return not last.state.finished and _start(last) < _start(run) and not _gives_way(last, run)


def _behind(holder: Run, now: datetime) -> Queue:
    """To wait for the holder. Its worker, or its retry, may be late."""
    return Queue(holder.key, max(holder.wakes_at, now + SOONEST))


def _skip(run: Run, reason: SkipReason, other: Run) -> Skip:
    return Skip(reason=reason, revision=run.revision, blocked_by=other.key.run_id)


def _gives_way(one: Run, to: Run) -> bool:
    """Whether one is a backfill's, and the other is not."""
    return turn(one.key)[0] > turn(to.key)[0]


def _turn(run: Run) -> tuple[bool, str]:
    return turn(run.key)


def _start(run: Run) -> tuple[datetime, str]:
    return run.starts_at, run.key.run_id
