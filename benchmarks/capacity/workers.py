"""Simulated workers: Lambda's pollers hand messages to functions in batches of ten, and grow in number."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from benchmarks.capacity import limits, model
from benchmarks.capacity.events import Events, Timers, size
from benchmarks.capacity.settings import Settings
from benchmarks.capacity.store import Store
from benchmarks.capacity.token_bucket import TokenBucket


class Workers:
    """The queue, its pollers and the functions.

    Attributes:
        started: seconds of lateness at the worker, and the number of runs with it.
        most: the most concurrent batches.
    """

    def __init__(self, settings: Settings, events: Events, store: Store, *, at_work: bool, to_the_second: bool) -> None:
        self._settings, self._events, self._store = settings, events, store
        self._to_the_second = to_the_second
        self._queue: deque[Timers] = deque()
        self._busy = self._environments = 0
        self._rest = settings.batches if settings.pollers else min(limits.POLLERS_AT_REST.value, settings.batches)
        self._growth = limits.POLLERS_GROWTH.value / 60
        self._polls = TokenBucket(settings.polls)
        self._allowed = float(settings.batches) if at_work else self._rest
        if at_work:
            self._environments = settings.batches
        self._new = TokenBucket(limits.CONCURRENCY_GROWTH.value / 10)
        self._seen = self._idle_since = 0.0
        self._backlog = self._woken = False
        self.started: list[tuple[float, int]] = []
        self.most = 0

    def send(self, timers: Timers) -> None:
        """Messages that become visible when due, or a moment before where workers wait for the second."""
        dice = self._events.dice
        waits = self._to_the_second and timers.due % 60 != 0
        left = timers.many
        while left:
            together = min(left, model.BATCH)
            left -= together
            delayed = timers.due + dice.random() * model.ROUNDING - waits * model.ROUNDING
            seen = max(self._events.now, delayed)
            self._events.at(seen + self._events.latency(model.DELIVERY), self._arrive, timers.only(together))

    def _arrive(self, timers: Timers) -> None:
        self._queue.append(timers)
        self._take()

    def _take(self) -> None:
        """Hand messages to as many functions as allowed."""
        now = self._events.now
        if self._backlog:  # Lambda adds pollers for it
            self._allowed = min(self._settings.batches, self._allowed + (now - self._seen) * self._growth)
        elif self._busy == 0 and now - self._idle_since > model.POLLERS_KEPT:
            self._allowed = self._rest
        self._seen = now
        while self._queue and self._busy < int(self._allowed) and self._polls.has(1, now):
            cold = 0.0
            if self._busy == self._environments:
                if not self._new.take(1, 1, now):
                    break
                self._environments += 1
                cold = model.COLD_START
            self._polls.wait(1, now)
            self._work(cold)
        self._backlog = bool(self._queue)
        if self._backlog and not self._woken and self._busy < self._settings.batches:
            self._woken = True
            self._events.at(now + 1 / self._growth, self._wake)

    def _wake(self) -> None:
        self._woken = False
        self._take()

    def _work(self, cold: float) -> None:
        now, settings = self._events.now, self._settings
        batch: list[Timers] = []
        room = model.BATCH
        while self._queue and room:
            head = self._queue.popleft()
            if head.many > room:
                self._queue.appendleft(head.only(head.many - room))
                head = head.only(room)
            batch.append(head)
            room -= head.many
        self._busy += 1
        self.most = max(self.most, self._busy)
        cpu = (model.BATCH - room) * model.WORKER_CPU / settings.worker_processor / 2
        fresh = [one for one in batch if not one.sent]
        runs = size(fresh)
        first = (
            self._events.latency(model.ITEM, 2)
            + self._events.latency(model.SEND)
            + cpu
            + self._store.worker_reads(model.BATCH - room, now)
        )
        if runs:
            first += self._store.worker_writes(runs, now)
        ended = now + cold + first + cpu
        for one in fresh:
            begun = max(now + cold, one.due) + first
            ended = max(ended, begun + settings.call + cpu)
            self.started.append((begun - one.due, one.many))
        self._events.at(ended + self._events.latency(model.ITEM), self._end, runs)

    def _end(self, runs: int) -> None:
        if runs:
            self._store.worker_writes(runs, self._events.now)
        self._busy -= 1
        if not self._busy:
            self._idle_since = self._events.now
        self._take()


def quantile(started: Sequence[tuple[float, int]], share: float, *, of: int) -> float:
    """The lateness that this share of `of` runs does not exceed; infinite when fewer have started."""
    wanted = share * of
    seen = 0
    for late, count in sorted(started):
        seen += count
        if seen >= wanted:
            return late
    return float("inf")
