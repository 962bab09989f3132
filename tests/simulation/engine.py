"""A seeded, single-threaded engine with a virtual clock: processes are greenlets that yield at every call of a port."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from weakref import WeakKeyDictionary

from greenlet import GreenletExit, getcurrent, greenlet

START = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


class Died(BaseException):
    """The process was killed. No use case may catch it."""


class Process:
    """A process with a clock of its own, which may die at any call."""

    def __init__(self, engine: Engine, name: str, lifetime: float) -> None:
        self.engine = engine
        self.name = name
        self.skew = timedelta(milliseconds=engine.random.randint(-1000, 1000)) if engine.faults else timedelta(0)
        self.ends_at = engine.now + timedelta(seconds=lifetime)
        self.dead = False

    def clock(self) -> datetime:
        now = self.engine.now + self.skew
        self.engine.reading = now.replace(microsecond=now.microsecond // 1000 * 1000)
        return self.engine.reading

    def time_left(self) -> timedelta:
        return self.ends_at - self.engine.now

    def sleep(self, seconds: float) -> None:
        """Yield for a while; raise if the process was killed, or its time ran out, meanwhile."""
        self.engine.sleep(seconds)
        if self.engine.now > self.ends_at:
            self.dead = True
        if self.dead:
            raise Died


@dataclass
class _Memory:
    """What a greenlet read last: its clock, and what it wants to be remembered."""

    reading: datetime
    sight: Any = None


class Engine:
    """The clock, the random numbers, and the queue of waiting greenlets."""

    def __init__(self, seed: int, *, trace: bool = False) -> None:
        self.random = Random(seed)
        self.now = START
        self.faults = True
        self.weather = self.random.choice([0.3, 1.0, 1.0, 5.0])
        self.trace = trace
        self._order = 0
        self._waiting: list[tuple[datetime, int, greenlet]] = []
        self._memories: WeakKeyDictionary[greenlet, _Memory] = WeakKeyDictionary()

    @property
    def reading(self) -> datetime:
        """The last reading of its clock by the greenlet that runs now."""
        return self._memory.reading

    @reading.setter
    def reading(self, clock: datetime) -> None:
        self._memory.reading = clock

    def remember(self, sight: Any) -> None:
        """Keep what the greenlet that runs now has read."""
        self._memory.sight = sight

    def remembered(self) -> Any:
        """What `remember` kept last for the greenlet that runs now."""
        return self._memory.sight

    @property
    def _memory(self) -> _Memory:
        mine = getcurrent()
        if mine not in self._memories:
            self._memories[mine] = _Memory(self.now)
        return self._memories[mine]

    def note(self, text: str) -> None:
        if self.trace:
            print(f"{self.now.isoformat(timespec='milliseconds')[11:23]} {text}")  # noqa: T201 - that is what a trace is

    def chance(self, probability: float) -> bool:
        return self.faults and self.random.random() < probability * self.weather

    def at(self, instant: datetime, do: Callable[[], None]) -> None:
        """Schedule an action for an instant, or for now if that is past."""
        self._order += 1
        heapq.heappush(self._waiting, (max(instant, self.now), self._order, greenlet(do)))

    def after(self, seconds: float, do: Callable[[], None]) -> None:
        self.at(self.now + timedelta(seconds=seconds), do)

    def sleep(self, seconds: float) -> None:
        self._order += 1
        waker = (self.now + timedelta(seconds=seconds), self._order, getcurrent())
        heapq.heappush(self._waiting, waker)
        getcurrent().parent.switch()

    def run(self, until: datetime) -> None:
        """Run until nothing waits or the instant is reached."""
        hub = getcurrent()
        while self._waiting and self._waiting[0][0] <= until:
            self.now, _, waiting = heapq.heappop(self._waiting)
            waiting.parent = hub
            waiting.switch()
        self.now = max(self.now, until)

    def close(self) -> None:
        """Kill all waiting greenlets."""
        for _, _, waiting in self._waiting:
            waiting.throw(GreenletExit)
        self._waiting.clear()

    def start(self, name: str, lifetime: float, do: Callable[[Process], None]) -> Process:
        """Start a process now; its death raises nowhere else."""
        process = Process(self, name, lifetime)

        def body() -> None:
            try:
                do(process)
            except Died:
                process.dead = True
                self.note(f"{name} died")

        self.after(0, body)
        return process
