"""The overlap lock: the permit that a run of a job without overlap takes with its start. Pure.

A permit is never released. It names the run that took it last, and is free once that run is no longer active: the next run reads that
run, and takes the permit over from exactly the holder that it read. So the end of a run writes nothing for its permits.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Overlap
from minutehand.domain.run import Run, RunKey, RunState, SkipReason
from minutehand.domain.run_decisions import Skip

LOCK = "LOCK"
"""Name of the permit of a job whose runs do not overlap."""
MOST_WAITING = 1000
"""Most runs of a job that wait for its lock; later ones are skipped."""
CLOCKS_DIFFER = timedelta(seconds=3)
"""Largest difference between the clocks of two processes."""
PATIENCE = timedelta(minutes=15)
"""How long after its instant a retry still counts as due."""
SOONEST = timedelta(seconds=5)
"""Shortest time until a waiting run looks again, however late the run that it waits for is: the end of that run sends it a message."""
BEHIND = timedelta(minutes=10)
"""How much later a run looks again that has others before it; usually a message comes sooner."""


class PermitKey(NamedTuple):
    """Key of a permit: the lock or a slot of a job, or a slot of a namespace."""

    owner: JobKey | str
    name: str


class Permit(NamedTuple):
    """A permit as read.

    Attributes:
        holder, attempt: the attempt that took it last; a holder of None for a permit never taken, with attempt 0.
        waiting: ids of the runs that wait for it.
    """

    key: PermitKey
    holder: RunKey | None = None
    attempt: int = 0
    waiting: tuple[str, ...] = ()


class Free(NamedTuple):
    """The run may take the lock."""


class Queue(NamedTuple):
    """The run waits for another.

    Attributes:
        behind: the run that it waits for.
        until: when to look again, unless a message comes sooner.
        cancels: whether to cancel the other run.
        wakes: whether the other run waits too and it is its turn, so that it needs a message.
    """

    behind: RunKey
    until: datetime
    cancels: bool = False
    wakes: bool = False


def turn(run: RunKey) -> tuple[bool, str]:
    """Sort key of the runs that wait for a lock: oldest first, runs of backfills last."""
    return run.backfill is not None, run.run_id


def lock_of(job: JobKey) -> PermitKey:
    """The key of a job's lock."""
    return PermitKey(job, LOCK)


def overlap_of(run: Run, job: Job) -> Overlap:
    """Overlap policy of a run: its own, else its job's. A fixed delay never overlaps."""
    if run.overlap is not None:
        return run.overlap
    return Overlap.SKIP if job.fixed_delay and job.overlap is Overlap.ALLOW else job.overlap


def overlap_of_replay(job: Job, *, beside: bool) -> Overlap | None:
    """Overlap policy of a run that replays an earlier one, None for its job's: it waits for other runs of the job rather than being skipped,
    unless it may start `beside` them."""
    if beside:
        return Overlap.ALLOW
    return None if job.overlap is Overlap.ALLOW and not job.fixed_delay else Overlap.QUEUE_ALL


def is_active(run: Run | None, now: datetime) -> bool:
    """Whether a run still holds its lock: under way, or soon to be retried. A run whose worker died holds it until its lease expires."""
    if run is None:
        return False
    return is_under_way(run, now) or (run.state is RunState.RETRYING and now < run.due_at + PATIENCE)


def is_under_way(run: Run, now: datetime) -> bool:
    """Whether an attempt of the run is under way: it holds its slots."""
    # By another clock the target may still answer in time; a worker ends its call well before its lease.
    held = run.state in (RunState.RUNNING, RunState.WAITING)
    return held and (run.lease_until is None or now < run.lease_until + CLOCKS_DIFFER)


def needs_message(run: Run, now: datetime) -> bool:
    """Whether a run listed as waiting needs a message when the lock is free: it is queued, or due for a retry."""
    if run.state is RunState.QUEUED:
        return True
    return not run.state.finished and not is_under_way(run, now) and run.due_at <= now + BEHIND


def delayed_until(run: Run, last: Run, delay: timedelta | None) -> datetime | None:
    """The end of the fixed delay after the run that held the lock last; None where no delay applies between the two runs."""
    named = run.key.named_by_schedule and last.key.named_by_schedule and run.key != last.key
    if delay is None or run.attempt or not named or last.finished_at is None or not last.state.finished:
        return None
    return last.finished_at + delay


def at_the_lock(
    run: Run, overlap: Overlap, lock: Permit, known: Mapping[RunKey, Run], *, now: datetime
) -> Free | Skip | Queue:
    """Decide what a run does at the lock of its job.

    A run that comes with a later attempt is never skipped: it waits. Backfills give way: their waiting runs do not count for other runs,
    and an active one makes others wait where any other run would have them skipped.

    Args:
        known: the holder of the lock and the runs that wait, as far as they exist.
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
        listed = run.key.run_id in lock.waiting
        ahead = before if listed else min(others, key=_turn, default=None)
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
    queue = _behind(holder, now)
    return queue._replace(until=queue.until + BEHIND) if before else queue


def _replacing(run: Run, holder: Run | None, others: list[Run], now: datetime) -> Free | Skip | Queue:
    newer = max((one for one in others if _start(one) > _start(run)), key=_start, default=None)
    if newer is not None and not run.attempt:
        return _skip(run, SkipReason.REPLACED, newer)
    if holder is None:
        return Free()
    # The message of this run, or its retry, came late: the newest run stays. A replayed run starts when it is created, and is old.
    later = holder.starts_at > run.starts_at and not _gives_way(holder, run)
    if later and not run.attempt:
        return _skip(run, SkipReason.REPLACED, holder)
    return _behind(holder, now)._replace(cancels=not later)


def is_replaced_by(last: Run, run: Run) -> bool:
    """Whether a run that takes a free lock replaces the last holder: an older run that has not ended and would be taken over or retried."""
    return not last.state.finished and _start(last) < _start(run) and not _gives_way(last, run)


def _behind(holder: Run, now: datetime) -> Queue:
    """Wait for the holder. Its worker, or its retry, may be late."""
    return Queue(holder.key, max(holder.wakes_at, now + SOONEST))


def _skip(run: Run, reason: SkipReason, other: Run) -> Skip:
    return Skip(reason=reason, revision=run.revision, blocked_by=other.key.run_id)


def _gives_way(one: Run, to: Run) -> bool:
    """Whether one run is of a backfill, and the other is not."""
    return turn(one.key)[0] > turn(to.key)[0]


def _turn(run: Run) -> tuple[bool, str]:
    return turn(run.key)


def _start(run: Run) -> tuple[datetime, str]:
    return run.starts_at, run.key.run_id
