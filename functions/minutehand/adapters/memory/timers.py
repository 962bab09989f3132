"""In-memory store of timers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from operator import attrgetter, itemgetter

from minutehand.adapters.memory.shards import indexed, keep, own_timers, packed_in
from minutehand.adapters.memory.state import MemoryState, TimerStore
from minutehand.adapters.sharding import bucket_of
from minutehand.domain.instants import ceiling, floor
from minutehand.domain.job_key import JobKey
from minutehand.domain.timer import BrokenTimer, Deadline, Due, Recheck, SkippedRange, Ticks, Timer, in_effect
from minutehand.usecases.ports.stores import TICKS_LOOKED_FOR, Move, Renewal


class MemoryTimers(TimerStore):
    """In-memory implementation of the port `Timers` over a `MemoryState`."""

    def due(self, shard: int, until: datetime) -> Iterator[Sequence[Due]]:
        """Pages of a shard's due timers, earliest first. All are read at the first page."""
        with self._state.lock:
            found = [
                (next_at, timer)
                for next_at, its_shard, timer in indexed(self._state, self._shards)
                if its_shard == shard and next_at <= floor(until)
            ]
        found.sort(key=itemgetter(0))
        for start in range(0, len(found), self._page_size):
            yield [timer for _, timer in found[start : start + self._page_size]]

    def due_packed(self, bucket: int, until: datetime) -> Iterator[Sequence[Due]]:
        """Pages of a bucket's due timers, by name. All are read at the first page."""
        with self._state.lock:
            found = [
                timer
                for timer in packed_in(self._state, bucket)
                if timer.next_at is not None and timer.next_at <= floor(until)
            ]
        for start in range(0, len(found), self._page_size):
            yield found[start : start + self._page_size]

    def get(self, job: JobKey) -> Timer | BrokenTimer | None:
        with self._state.lock:
            found = own_timers(self._state, job)
            return in_effect(found) if found else None

    def of_jobs(self, jobs: Sequence[JobKey]) -> Mapping[JobKey, Timer | BrokenTimer]:
        return {job: timer for job in jobs if (timer := self.get(job)) is not None}

    def advance(self, moves: Sequence[Move]) -> None:
        for move in moves:
            with self._state.lock:
                advance(self._state, move)

    def skip(self, skipped: SkippedRange, move: Move, recheck: Recheck) -> bool:
        with self._state.lock:
            if not advance(self._state, move):
                return False
            self._state.skipped.append(skipped)
            keep(self._state, recheck, self._shards)
            return True

    def remind(self, deadline: Deadline) -> None:
        with self._state.lock:
            keep(self._state, deadline, self._shards)

    def settle(self, timer: Deadline | Recheck) -> None:
        """Remove a timer that has been dealt with. One that was stored again since, for another instant, stays."""
        stored = timer._replace(next_at=ceiling(timer.next_at))
        with self._state.lock:
            if isinstance(stored, Deadline):
                if self._state.deadlines.get(stored.run) == stored:
                    del self._state.deadlines[stored.run]
            elif self._state.rechecks.get((stored.job, stored.after, stored.until)) == stored:
                del self._state.rechecks[stored.job, stored.after, stored.until]

    def arm(self, job: JobKey, revision: int, outstanding: datetime, new: datetime | None) -> Timer | None:
        with self._state.lock:
            timer = self._state.timers.get(job)
            if not isinstance(timer, Timer) or timer.revision != revision:
                return None
            if timer.outstanding == outstanding and timer.next_at is not None:
                timer = replace(timer, outstanding=timer.outstanding if new is None else new, next_at=new)
                self._state.timers[job] = timer
                return timer
            return timer if new is not None and timer.outstanding == new and timer.next_at is not None else None

    def record_tick(self, minute: datetime) -> None:
        with self._state.lock:
            self._state.ticks.add(minute.replace(second=0, microsecond=0))

    def ticks_around(self, instant: datetime) -> Ticks:
        with self._state.lock:
            near = [tick for tick in self._state.ticks if abs(tick.date() - instant.date()) <= TICKS_LOOKED_FOR]
        return Ticks(
            last=max((tick for tick in near if tick <= instant), default=None),
            next=min((tick for tick in near if tick > instant), default=None),
        )

    def skipped(self, job: JobKey, first: datetime, until: datetime, limit: int) -> Sequence[SkippedRange]:
        with self._state.lock:
            shared = [
                each for each in self._state.skipped if each.job == job and each.first < until and each.until > first
            ]
        shared.sort(key=attrgetter("first"))
        before = [each for each in shared if each.first < first]
        return [*before, *shared[len(before) :][:limit]]

    def renewal(self) -> Renewal | None:
        with self._state.lock:
            return self._state.renewal

    def record_renewal(self, renewal: Renewal) -> None:
        with self._state.lock:
            self._state.renewal = renewal


def advance(state: MemoryState, move: Move) -> bool:
    """Make a move if the timer is as it was read; return whether it was made. The caller holds the lock."""
    timer = next((each for each in own_timers(state, move.job) if each.packed == move.packed), None)
    if timer is None or timer.next_at != move.old or timer.revision != move.revision:
        return False
    if isinstance(timer, Timer):
        moved: Timer | BrokenTimer = replace(
            timer,
            next_at=move.new,
            offset=timer.offset if move.offset is None else move.offset,
            runs_left=timer.runs_left if move.runs_left is None else move.runs_left,
            ahead_from=timer.ahead_from if move.ahead is None else move.ahead.first,
            ahead_until=timer.ahead_until if move.ahead is None else move.ahead.until,
        )
    else:
        moved = replace(timer, next_at=move.new or timer.next_at)
    if state.timers.get(move.job) is timer:
        state.timers[move.job] = moved
    else:
        state.strays[bucket_of(move.job), move.job] = moved
    return True
