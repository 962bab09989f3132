"""Upkeep of buckets: take timers out that do not belong there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from minutehand.domain.job_key import JobKey
from minutehand.domain.packing import OFTEN, is_packed
from minutehand.domain.timer import BrokenTimer, Timer
from minutehand.usecases.ports.buckets import Buckets, Placed
from minutehand.usecases.upkeep.sweep import SWEEP_EVERY

RARE = OFTEN // 2
"""A packed timer with fewer occurrences in a week is unpacked. Well below `OFTEN`, so that a schedule near that line keeps its place."""
MOST_COMPARED = 100
"""Most jobs for which one sweep looks whether they also have a timer in the due index; one read call."""
_RESERVE = timedelta(seconds=10)


def unpack_strays(store: Buckets, *, buckets: int, now: datetime, time_left: Callable[[], timedelta]) -> int:
    """Read one bucket, another in each sweep, and unpack the timers that do not belong there. Returns how many were unpacked.

    They are timers of jobs that have finished, that are seldom due by now, or whose item someone has moved by hand. A job with two
    timers, one of them in the due index, keeps the one `in_effect`; some jobs of the bucket are compared in each sweep.

    An unpacked timer is in the due index, which is right for every job and dearer for one that is often due. The next save of the job
    packs it again. ◆ Each move is conditional on what was read: if a tick moved the timer first, a later sweep looks at it again.

    Raises:
        Unavailable: when the store does not answer.
    """
    turn = int(now.timestamp() / SWEEP_EVERY.total_seconds())
    bucket, lap = turn % buckets, turn // buckets
    jobs: list[JobKey] = []
    strays: list[Placed] = []
    for packed in _all(store, bucket, time_left):
        if packed.misplaced or not _belongs(packed.timer):
            strays.append(packed)
        else:
            jobs.append(packed.timer.job)
    start = lap * MOST_COMPARED % len(jobs) if jobs else 0
    indexed = store.indexed(jobs[start : start + MOST_COMPARED])
    if indexed:
        strays += [packed for packed in _all(store, bucket, time_left) if packed.timer.job in indexed]
    indexed = {**indexed, **store.indexed([packed.timer.job for packed in strays if packed.timer.job not in indexed])}
    return sum(store.unpack(packed, indexed.get(packed.timer.job)) for packed in strays)


def _all(store: Buckets, bucket: int, time_left: Callable[[], timedelta]) -> Iterator[Placed]:
    """The timers of a bucket, as far as time allows."""
    cursor = None
    while time_left() > _RESERVE:
        page = store.page(bucket, cursor)
        yield from page.items
        cursor = page.next
        if cursor is None:
            return


def _belongs(timer: Timer | BrokenTimer) -> bool:
    """Whether a timer in its job's bucket may stay there. A tick reports one that cannot be read."""
    if not isinstance(timer, Timer):
        return True
    try:
        return is_packed(timer.rule, timer.next_at, often=RARE)
    except ValueError:
        return True
