"""In-memory due index: the shard of each timer, as it was stored."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from datetime import datetime

from minutehand.adapters.memory.state import MemoryState
from minutehand.adapters.sharding import shard_of
from minutehand.domain.instants import ceiling
from minutehand.domain.job_key import JobKey
from minutehand.domain.timer import Deadline, Due, Recheck, Timer, Watchdog


def key_of(timer: Due) -> Hashable:
    """The key of a timer in `MemoryState.places`."""
    match timer:
        case Deadline(run=run):
            return "deadline", run
        case Recheck(job=job, after=after, until=until):
            return "recheck", job, after, until
        case Watchdog(job=job, backfill=identity):
            return "backfill", job, identity
    return "timer", timer.job


def job_of(timer: Due) -> JobKey:
    """The job of a timer."""
    return timer.run.job if isinstance(timer, Deadline) else timer.job


def place(state: MemoryState, timer: Due, shards: int) -> None:
    """Assign a shard to a timer that was just stored; the caller holds the lock."""
    state.places[key_of(timer)] = shard_of(job_of(timer), shards)


def indexed(state: MemoryState, shards: int) -> Iterator[tuple[datetime, int, Due]]:
    """Every timer with a `next_at`, and its shard: the stored one, else the one among `shards`. The caller holds the lock."""
    watchdogs = (
        Watchdog(job=job, backfill=identity, next_at=backfill.next_at)
        for (job, identity), backfill in state.backfills.items()
        if backfill.next_at is not None
    )
    for timers in (state.timers.values(), state.deadlines.values(), state.rechecks.values(), watchdogs):
        for timer in timers:
            if timer.next_at is not None:
                shard = state.places.get(key_of(timer))
                yield timer.next_at, shard_of(job_of(timer), shards) if shard is None else shard, timer


def keep_timer(state: MemoryState, timer: Timer, shards: int) -> None:
    """Store a job's own timer; the caller holds the lock."""
    state.timers[timer.job] = timer
    place(state, timer, shards)


def keep_deadline(state: MemoryState, deadline: Deadline, shards: int) -> None:
    """Store a deadline; the caller holds the lock."""
    stored = deadline._replace(next_at=ceiling(deadline.next_at))
    state.deadlines[stored.run] = stored
    place(state, stored, shards)


def keep_recheck(state: MemoryState, recheck: Recheck, shards: int) -> None:
    """Store a recheck; the caller holds the lock."""
    stored = recheck._replace(next_at=ceiling(recheck.next_at))
    state.rechecks[stored.job, stored.after, stored.until] = stored
    place(state, stored, shards)
