"""In-memory store of the buckets of packed timers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from minutehand.adapters.memory.shards import packed_in, place
from minutehand.adapters.memory.state import TimerStore
from minutehand.adapters.sharding import bucket_of
from minutehand.domain.job_key import JobKey
from minutehand.domain.timer import BrokenTimer, Timer, in_effect
from minutehand.usecases.ports.buckets import Placed
from minutehand.usecases.ports.stores import Page


class MemoryBuckets(TimerStore):
    """In-memory implementation of the port `Buckets`. A cursor is the name of the last job of the previous page."""

    def page(self, bucket: int, cursor: str | None) -> Page[Placed]:
        with self._state.lock:
            found = packed_in(self._state, bucket)
        rest = [timer for timer in found if cursor is None or str(timer.job) > cursor]
        items = rest[: self._page_size]
        placed = tuple(Placed(timer, bucket, bucket_of(timer.job) != bucket, timer) for timer in items)
        return Page(placed, str(items[-1].job) if len(rest) > self._page_size else None)

    def position(self, bucket: int) -> str | None:
        with self._state.lock:
            return self._state.positions.get(bucket)

    def set_position(self, bucket: int, cursor: str | None) -> None:
        with self._state.lock:
            self._state.positions[bucket] = cursor

    def indexed(self, jobs: Sequence[JobKey]) -> Mapping[JobKey, Placed]:
        with self._state.lock:
            found = (self._state.timers.get(job) for job in dict.fromkeys(jobs))
            return {
                timer.job: Placed(timer, None, misplaced=False, stored=timer)
                for timer in found
                if timer is not None and not timer.packed
            }

    def unpack(self, packed: Placed, indexed: Placed | None) -> bool:
        state, job, bucket = self._state, packed.timer.job, packed.bucket
        with state.lock:
            own = state.timers.get(job)
            stray = (bucket, job) if bucket is not None and (bucket, job) in state.strays else None
            there = state.strays[stray] if stray else own
            other = own if own is not None and not own.packed else None
            if there is None or not there.packed or not _is_as_read(there, packed):
                return False
            replaces = indexed is None or in_effect([indexed.timer, packed.timer]) is packed.timer
            if replaces and not _is_as_read(other, indexed):
                return False
            if stray:
                del state.strays[stray]
                if own is not None and own.packed:
                    state.strays[bucket_of(job), job] = own  # from now on, the job has two timers
            if replaces:
                state.timers[job] = replace(there, packed=False)
                place(state, state.timers[job], self._shards)
            return True


def _is_as_read(timer: Timer | BrokenTimer | None, read: Placed | None) -> bool:
    if timer is None or read is None:
        return timer is None and read is None
    return (timer.next_at, timer.revision) == (read.timer.next_at, read.timer.revision)
