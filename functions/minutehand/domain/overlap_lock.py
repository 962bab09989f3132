"""The overlap lock: the permit that a run takes as it starts, if runs of its job must not overlap. Pure.

A permit is an item that names the run which took it last, its holder. Nobody releases it: it is free once its holder is no longer
active. The next run reads the holder, and takes the permit over on condition that the holder is still the same. So the end of a run
writes nothing for its permits.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.domain.deadlines import misses_its_start
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Overlap
from minutehand.domain.run import Run, RunState, SkipReason
from minutehand.domain.run_decisions import Skip
from minutehand.domain.run_key import RunKey

_REPLACING = re.compile(r"run \d{8}T\d{6}Z")
"""What `replacing` returns."""
LOCK = "LOCK"
"""Name of the permit that is the overlap lock of a job."""
MOST_WAITING = 1000
"""Most runs of a job that wait for its lock; later ones are skipped."""
CLOCKS_DIFFER = timedelta(seconds=3)
"""Largest difference that is expected between the clocks of two functions."""
PATIENCE = timedelta(minutes=15)
"""How long after the due time of its next attempt a run in `RETRYING` still holds its lock."""
SOONEST = timedelta(seconds=5)
"""Shortest time until a waiting run checks the lock again. The run that holds the lock also sends it a message when it ends."""
BEHIND = timedelta(minutes=10)
"""Additional time until a run checks the lock again if other waiting runs come before it; usually a message comes sooner."""


class PermitKey(NamedTuple):
    """Key of a permit: the lock or a slot of a job, or a slot of a namespace or of a limit that its jobs name."""

    owner: JobKey | str
    name: str


class Permit(NamedTuple):
    """A permit, a job's lock or a slot, as read.

    Attributes:
        holder, attempt: the run and the number of its attempt that took it last; None and 0 if none ever did.
        waiting: ids of the runs that wait for it.
    """

    key: PermitKey
    holder: RunKey | None = None
    attempt: int = 0
    waiting: tuple[str, ...] = ()


class Free(NamedTuple):
    """The run may take the lock."""


class Queue(NamedTuple):
    """The run has to wait for another run of its job.

    Attributes:
        behind: the run that it waits for.
        until: when to check the lock again, unless a message comes sooner.
        cancels: whether to cancel the other run.
        wakes: whether the other run waits too and is next, so that it has to be sent a message.
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
    """Overlap policy of a run: its own, else its job's. Runs of a fixed delay never overlap."""
    if run.overlap is not None:
        return run.overlap
    return Overlap.SKIP if job.fixed_delay and job.overlap is Overlap.ALLOW else job.overlap


def overlap_of_replay(job: Job, *, beside: bool) -> Overlap | None:
    """Overlap policy of a run that replays an earlier one; None to use that of its job.

    Such a run is never skipped: it waits for other runs of the job, unless it may start `beside` them.
    """
    if beside:
        return Overlap.ALLOW
    return None if job.overlap is Overlap.ALLOW and not job.fixed_delay else Overlap.QUEUE_ALL


def is_active(run: Run | None, now: datetime) -> bool:
    """Whether a run still holds its lock: an attempt is in progress, or a retry is due soon or overdue by less than `PATIENCE`.

    A run whose worker died holds the lock until its lease expires.
    """
    if run is None:
        return False
    return is_under_way(run, now) or (run.state is RunState.RETRYING and now < run.due_at + PATIENCE)


def is_under_way(run: Run, now: datetime) -> bool:
    """Whether an attempt of the run is in progress, and so holds its slots."""
    # CLOCKS_DIFFER, since by another function's clock the target may still answer in time. A worker ends its call before its lease.
    held = run.state in (RunState.RUNNING, RunState.WAITING)
    return held and (run.lease_until is None or now < run.lease_until + CLOCKS_DIFFER)


def needs_message(run: Run, now: datetime) -> bool:
    """Whether a run that waits for a lock is to be sent a message once the lock is free: it is queued, or due for a retry."""
    if run.state is RunState.QUEUED:
        return True
    return not run.state.finished and not is_under_way(run, now) and run.due_at <= now + BEHIND


def comes_by_itself(run: Run, now: datetime) -> bool:
    """Whether a queued run that waits for a slot, or for its place in a minute, has a message of its own: it was sent before `retry_at` was
    written, and arrives then. With a second one for that instant, messages would multiply: each one of a run that has ended since wakes
    others."""
    return run.state is RunState.QUEUED and run.retry_at is not None and now < run.retry_at


def delayed_until(run: Run, last: Run, delay: timedelta | None) -> datetime | None:
    """The end of the fixed delay that follows `last`, the lock's last holder; None if no delay applies between `last` and `run`."""
    named = run.key.named_by_schedule and last.key.named_by_schedule and run.key != last.key
    if delay is None or run.attempt or not named or last.finished_at is None or not last.state.finished:
        return None
    return last.finished_at + delay


def at_the_lock(
    run: Run,
    overlap: Overlap,
    lock: Permit,
    known: Mapping[RunKey, Run],
    *,
    now: datetime,
    start_within: timedelta | None = None,
) -> Free | Skip | Queue:
    """Decide whether a run may take the lock of its job, is skipped, or waits.

    A run that has had an attempt is never skipped: it waits. Runs of backfills give way to all others. Another run ignores a
    backfill's runs that wait. For an active run of a backfill it waits, even where any other active run would have it skipped.

    Args:
        known: the holder of the lock and the runs that wait, as far as they exist.
        start_within: the job's; waiting runs that may not begin any more are in nobody's way.
    """
    holder = known.get(lock.holder) if lock.holder else None
    if holder is not None and (holder.key == run.key or not is_active(holder, now)):
        holder = None
    waiting = [known[key] for name in lock.waiting if (key := RunKey(run.key.job, name)) in known]
    others = [
        one
        for one in waiting
        if one.state is RunState.QUEUED and one.key != run.key and not one.cancelled_by and not _gives_way(one, run)
        if not misses_its_start(one, start_within, now)
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
    # A newer holder stays: this run's message or retry came late. A backfill's run only looks newer, as it starts on creation.
    later = holder.starts_at > run.starts_at and not _gives_way(holder, run)
    if later and not run.attempt:
        return _skip(run, SkipReason.REPLACED, holder)
    return _behind(holder, now)._replace(cancels=not later)


def waited_behind(run: Run, lock: Permit, holder: Run | None, now: datetime) -> RunKey | None:
    """The run behind which a run that has not begun has waited at its job's lock; None if it has not, or found only no slot.

    It is the lock's holder, or the oldest of the runs that wait, if the holder has ended and left the lock to that one.
    """
    if run.key.run_id not in lock.waiting:
        return None
    if is_active(holder, now):
        return lock.holder
    if run.retry_at is not None:
        return None  # it found the lock free, but no slot
    first = min((RunKey(run.key.job, name) for name in lock.waiting), key=turn)
    return lock.holder if first == run.key else first


def is_replaced_by(last: Run, run: Run) -> bool:
    """Whether a run that takes a free lock also replaces its last holder, `last`.

    It does if `last` is an older run that has not ended, and would otherwise be taken over or retried.
    """
    return not last.state.finished and _start(last) < _start(run) and not _gives_way(last, run)


def replacing(run: RunKey) -> str:
    """Who cancelled a run that `run` replaces, as its `cancelled_by` says."""
    return f"run {run.run_id}"


def was_replaced(run: Run) -> bool:
    """Whether a later run of the job cancelled this one to take its place."""
    return _REPLACING.match(run.cancelled_by) is not None


def _behind(holder: Run, now: datetime) -> Queue:
    """Wait until the lock holder's lease or wait ends; at least `SOONEST`, since the holder's worker or retry may be late."""
    return Queue(holder.key, max(holder.wakes_at, now + SOONEST))


def _skip(run: Run, reason: SkipReason, other: Run) -> Skip:
    return Skip(reason=reason, revision=run.revision, blocked_by=other.key.run_id)


def _gives_way(one: Run, to: Run) -> bool:
    """Whether `one` is of a backfill and `to` is not, so that `one` lets `to` go first."""
    return turn(one.key)[0] > turn(to.key)[0]


def _turn(run: Run) -> tuple[bool, str]:
    return turn(run.key)


def _start(run: Run) -> tuple[datetime, str]:
    return run.starts_at, run.key.run_id
