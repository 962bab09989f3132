"""Upkeep of buckets: take timers out that do not belong there."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from minutehand.domain.packing import OFTEN, is_packed
from minutehand.domain.timer import BrokenTimer, Timer
from minutehand.usecases.ports.buckets import Buckets
from minutehand.usecases.upkeep.sweep import SWEEP_EVERY

RARE = OFTEN // 2
"""A packed timer with fewer occurrences in a week is unpacked. Well below `OFTEN`, so that a schedule near that line keeps its place."""
_RESERVE = timedelta(seconds=10)


def unpack_strays(store: Buckets, *, buckets: int, now: datetime, time_left: Callable[[], timedelta]) -> int:
    """Read a page of one bucket, another bucket in each sweep, and unpack the timers that do not belong there. Returns how many were
    unpacked.

    They are timers of jobs that have finished, that are seldom due by now, or whose item someone has moved by hand. A job with two
    timers, one of them in the due index, keeps the one `in_effect`.

    The next sweep of the bucket reads the next page, and after the last one the first. So of a bucket of n timers, n // page + 1 sweeps
    read every name, which come every `buckets` minutes. The position is stored before the moves: a timer that cannot be moved, or that
    time did not allow, waits for the next round, and does not keep sweeps from the names after it.

    An unpacked timer is in the due index, which is right for every job and dearer for one that is often due. The next save of the job
    packs it again. ◆ Each move is conditional on what was read: if a tick moved the timer first, a later sweep looks at it again.

    Raises:
        Unavailable: when the store does not answer.
    """
    if time_left() <= _RESERVE:
        return 0
    bucket = int(now.timestamp() / SWEEP_EVERY.total_seconds()) % buckets
    page = store.page(bucket, None)
    # A bucket of one page needs no position, so few jobs cost no read of it.
    position = store.position(bucket) if page.next is not None else None
    if position is not None:
        page = store.page(bucket, position)
    if page.next != position:
        store.set_position(bucket, page.next)
    indexed = store.indexed([packed.timer.job for packed in page.items])
    unpacked = 0
    for packed in page.items:
        job = packed.timer.job
        if packed.misplaced or job in indexed or not _belongs(packed.timer):
            if time_left() <= _RESERVE:
                break
            unpacked += store.unpack(packed, indexed.get(job))
    return unpacked


def _belongs(timer: Timer | BrokenTimer) -> bool:
    """Whether a timer in its job's bucket may stay there. A tick reports one that cannot be read."""
    if not isinstance(timer, Timer):
        return True
    try:
        return is_packed(timer.rule, timer.next_at, often=RARE)
    except ValueError:
        return True
