"""Faults of ports: errors before or after the effect, repeated, slow and stale calls, and processes that die in the middle."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any

from minutehand.domain.errors import Unavailable
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import Due
from tests.simulation.engine import Died, Process

DIES, FAILS, REPEATS, DRAGS = 0.004, 0.01, 0.01, 0.01


def call(process: Process, name: str, effect: Callable[[], Any]) -> Any:
    """Make one call of a port with the faults of a distributed system."""
    engine = process.engine
    process.sleep(engine.random.uniform(0.5, 45) if engine.chance(DRAGS) else engine.random.uniform(0.001, 0.03))
    dies, fails = DIES * engine.weather / 2, FAILS * engine.weather / 2
    fate = engine.random.random() if engine.faults else 0.5
    if fate < dies:
        die(process, name, "before")
    if fate < dies + fails:
        engine.note(f"{process.name} {name} fails before its effect")
        raise Unavailable(f"{name} failed")
    result = effect()
    if engine.chance(REPEATS):
        process.sleep(engine.random.uniform(0.01, 2))
        engine.note(f"{process.name} {name} is repeated")
        result = effect()
    process.sleep(0.001)
    if fate > 1.0 - dies:
        die(process, name, "after")
    if fate > 1.0 - dies - fails:
        engine.note(f"{process.name} {name} fails after its effect")
        raise Unavailable(f"{name} failed")
    return result


def die(process: Process, name: str, when: str) -> None:
    """End a process in the middle of a call."""
    process.engine.note(f"{process.name} dies {when} {name}")
    process.dead = True
    raise Died


class Faulty:
    """A port whose every call goes through `call`."""

    def __init__(self, process: Process, port: Any) -> None:
        self._process = process
        self._port = port

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._port, name)
        return lambda *args, **kwargs: call(self._process, name, lambda: method(*args, **kwargs))


class FaultyRuns(Faulty):
    """Runs whose index is read page by page."""

    def within(self, namespace: str, start: datetime, end: datetime, *unreadable: Any) -> Iterator[Sequence[RunKey]]:
        yield from call(self._process, "within", lambda: list(self._port.within(namespace, start, end, *unreadable)))


class FaultyTimers(Faulty):
    """Timers whose index and buckets may answer as they were a moment ago."""

    def due(self, shard: int, until: datetime) -> Iterator[Sequence[Due]]:
        yield from self._looked("due", lambda: list(self._port.due(shard, until)))

    def due_packed(self, bucket: int, until: datetime) -> Iterator[Sequence[Due]]:
        yield from self._looked("due_packed", lambda: list(self._port.due_packed(bucket, until)))

    def _looked(self, name: str, look: Callable[[], list[Sequence[Due]]]) -> Iterator[Sequence[Due]]:
        engine = self._process.engine
        before = look()
        if engine.chance(0.1):
            self._process.sleep(engine.random.uniform(0.1, 4))
        else:
            before = call(self._process, name, look)
        if engine.chance(0.05):
            # A page is as old as the dispatch of the pages before it took.
            self._process.sleep(engine.random.uniform(5, 50))
        yield from before
