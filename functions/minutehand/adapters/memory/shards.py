"""In-memory due index: the shard under which each timer was stored, and the layout of the shards."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from datetime import datetime

from minutehand.adapters.memory.state import MemoryState, TimerStore
from minutehand.adapters.sharding import bucket_of, shard_of
from minutehand.domain.instants import ceiling, to_text
from minutehand.domain.job_key import JobKey
from minutehand.domain.timer import BrokenTimer, Deadline, Due, Recheck, Timer, Watchdog
from minutehand.usecases.ports.shards import Layout, Place
from minutehand.usecases.ports.stores import Page


class MemoryShards(TimerStore):
    """In-memory implementation of the port `Shards`. A cursor is the instant and the key of the last timer of the previous page."""

    def layout(self) -> Layout | None:
        with self._state.lock:
            return self._state.layout

    def widen(self, spread: int) -> None:
        with self._state.lock:
            before = self._state.layout
            if before is None:
                self._state.layout = Layout(spread)
            elif before.spread < spread:
                self._state.layout = before._replace(spread=spread, empty_since=None, version=before.version + 1)

    def record(self, layout: Layout) -> bool:
        with self._state.lock:
            before = self._state.layout
            if before is None or before.version != layout.version - 1:
                return False
            self._state.layout = layout
            return True

    def page(self, shard: int, cursor: str | None) -> Page[Place]:
        with self._state.lock:
            found = sorted(self._places(shard), key=_order)
        rest = [place for place in found if cursor is None or _order(place) > cursor]
        items = tuple(rest[: self._page_size])
        return Page(items, _order(items[-1]) if len(rest) > self._page_size else None)

    def _places(self, wanted: int) -> list[Place]:
        return [
            Place(key_of(timer), str(job_of(timer)), shard, to_text(next_at))
            for next_at, shard, timer in indexed(self._state, self._shards)
            if shard == wanted
        ]

    def move(self, places: Sequence[Place], over: int) -> int:
        moved = 0
        for place in places:
            shard = shard_of(place.job, over)
            with self._state.lock:
                if shard != place.shard and place in self._places(place.shard):
                    self._state.places[place.key] = shard
                    moved += 1
        return moved


def _order(place: Place) -> str:
    return f"{place.next_at} {place.key}"


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
    """Each timer that has a `next_at`, with that and its shard (as stored, or else among `shards`). The caller holds the lock."""
    watchdogs = (
        Watchdog(job=job, backfill=identity, next_at=backfill.next_at)
        for (job, identity), backfill in state.backfills.items()
        if backfill.next_at is not None
    )
    for timers in (state.timers.values(), state.deadlines.values(), state.rechecks.values(), watchdogs):
        for timer in timers:
            if timer.next_at is not None and not _is_packed(timer):
                shard = state.places.get(key_of(timer))
                yield timer.next_at, shard_of(job_of(timer), shards) if shard is None else shard, timer


def _is_packed(timer: Due) -> bool:
    return isinstance(timer, Timer | BrokenTimer) and timer.packed


def packed_in(state: MemoryState, bucket: int) -> list[Timer | BrokenTimer]:
    """The packed timers of a bucket, by job, those that do not belong there among them. The caller holds the lock."""
    found = [timer for job, timer in state.timers.items() if timer.packed and bucket_of(job) == bucket]
    found += [timer for (number, _), timer in state.strays.items() if number == bucket]
    return sorted(found, key=lambda timer: timer.job)


def own_timers(state: MemoryState, job: JobKey) -> list[Timer | BrokenTimer]:
    """The timers at the two places where a job's own timer may be. The caller holds the lock."""
    found = (state.timers.get(job), state.strays.get((bucket_of(job), job)))
    return [timer for timer in found if timer is not None]


def keep(state: MemoryState, timer: Timer | Deadline | Recheck, shards: int) -> None:
    """Store a timer; the caller holds the lock."""
    match timer:
        case Timer():
            state.timers[timer.job] = timer
        case Deadline():
            state.deadlines[timer.run] = timer._replace(next_at=ceiling(timer.next_at))
        case Recheck():
            recheck = timer._replace(next_at=ceiling(timer.next_at))
            state.rechecks[timer.job, timer.after, timer.until] = recheck
    place(state, timer, shards)
