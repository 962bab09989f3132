"""Histories in which the number of shards changes, and the promises about that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

import pytest

from minutehand.adapters.memory import MemoryBackfills, MemoryShards
from minutehand.adapters.memory.shards import indexed
from minutehand.domain.errors import Unavailable
from minutehand.usecases.definitions import saved_timer
from minutehand.usecases.dispatching.tick import Parts, tick
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.upkeep import reshard
from minutehand.usecases.upkeep.reshard import Resharding
from minutehand.usecases.upkeep.shards import ReshardingState, ShardsToRead, shard_status
from minutehand.usecases.upkeep.sweep import SWEEP_EVERY
from tests.simulation.backfilling import Backfilling
from tests.simulation.engine import START, Process
from tests.simulation.faults import Faulty, FaultyRuns, FaultyTimers
from tests.simulation.observed import ObservedDefinitions, ObservedRuns, ObservedTimers
from tests.simulation.scenario import CHAOS, LOOK_AHEAD, SHARDS

MOST = 8
"""Most shards in a history, so that a search of all of them takes no longer than the rest of it."""
NUMBERS = (1, 2, 3, 5, MOST)
SWEPT = CHAOS + timedelta(hours=2)
"""Long enough for unused shards to be given up."""
MOVED = CHAOS + timedelta(minutes=9)
"""By when all timers are in shards that are read: once there are no more faults, and before the jobs are paused."""


class _Index:
    """The index as one warm Lambda process reads it: its memory outlives a call."""

    def __init__(self, state: Any) -> None:
        self.caller: Process | None = None
        self._port = MemoryShards(state, page_size=2)

    def __getattr__(self, name: str) -> Any:
        assert self.caller is not None
        return getattr(Faulty(self.caller, self._port), name)


class _Sandbox(NamedTuple):
    """A Lambda process: the number of shards that it was started with, and its memory."""

    shards: int
    index: _Index
    knows: Any


class Reshaped(Backfilling):
    """A history of backfills with deployments that raise and lower the number of shards, function by function."""

    quiet = timedelta(hours=24)
    """Long: backfills may retry runs after a quarter of an hour each, one after the other."""

    def __init__(self, seed: int, **how: Any) -> None:
        super().__init__(seed, **how)
        self.numbers = dict.fromkeys(("tick", "sweep", "others"), SHARDS)
        self.astray: list[str] = []
        self._deployments = 0
        self._started_with: dict[Process, int] = {}
        self._idle: dict[str, list[_Sandbox]] = {"tick": [], "sweep": []}

    def play(self) -> None:
        """Play the whole history."""
        random, engine = self.engine.random, self.engine
        self.limits = dict.fromkeys(self.jobs)  # what a pause takes from a limited job is hard to tell from outside
        for _ in range(random.choice([1, 2, 3])):
            at = START + timedelta(seconds=random.uniform(30, CHAOS.total_seconds() * 0.9))
            number, before = random.choice(NUMBERS), random.choice(NUMBERS)
            engine.at(at, lambda number=number: self._deploy(number))
            if random.random() < 0.2:  # it is rolled back
                engine.at(at + timedelta(seconds=random.uniform(10, 90)), lambda n=before: self._deploy(n))
        for turn in range(int(SWEPT / SWEEP_EVERY)):
            engine.at(START + turn * SWEEP_EVERY + timedelta(seconds=random.uniform(0, 30)), self._reshard)
        engine.at(START + MOVED, self._look)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(reshard, "MOST_SHARDS", MOST)
            patch.setattr(saved_timer, "is_packed", lambda *_: False)  # a packed timer has no shard
            super().play()

    def _deploy(self, number: int) -> None:
        """Change the tick first, as the template does; then the other functions, each at its own time."""
        self.engine.note(f"    {number} shards")
        self._deployments += 1
        for function, late in (("tick", 0), ("sweep", 40), ("others", 40)):
            seconds, mine = self.engine.random.uniform(0, late), self._deployments
            self.engine.after(seconds, lambda function=function, mine=mine: self._change(function, number, mine))

    def _change(self, function: str, number: int, deployment: int) -> None:
        if deployment != self._deployments:
            return  # the next one has begun
        self.numbers[function] = number
        if function in self._idle:
            self._idle[function].clear()

    def ports(self, process: Process) -> Ports:
        """The ports of a process, which spreads timers over the shards that it was started with."""
        function = "tick" if process.name in {"tick", "share"} else "others"
        shards = self._started_with.setdefault(process, self.numbers[function])
        return (
            super()
            .ports(process)
            ._replace(
                timers=FaultyTimers(process, ObservedTimers(self.state, self.history, shards=shards, page_size=1)),
                definitions=Faulty(process, ObservedDefinitions(self.state, self.history, shards=shards)),
                runs=FaultyRuns(process, ObservedRuns(self.state, self.history, shards=shards)),
                backfills=Faulty(process, MemoryBackfills(self.state, shards=shards)),
            )
        )

    def _ticking(self, process: Process) -> None:
        sandbox = self._sandbox("tick", process)
        try:
            shards: int = sandbox.knows.at(process.clock())
        except Unavailable:
            shards = sandbox.knows.known
        tick(
            self.ports(process),
            parts=Parts(range(shards), self.buckets()),
            time_left=process.time_left,
            most=SHARDS,
            hand_over=self._hand_over,
        )
        self._put_back("tick", sandbox)

    def _reshard(self) -> None:
        self.engine.start("reshard", 300, self._resharding)

    def _resharding(self, process: Process) -> None:
        sandbox = self._sandbox("sweep", process)
        try:
            sandbox.knows.go_on(process.time_left)
        except Unavailable as trouble:
            self.engine.note(f"reshard: {trouble}")
        self._put_back("sweep", sandbox)

    def _sandbox(self, function: str, process: Process) -> _Sandbox:
        if self._idle[function]:
            sandbox = self._idle[function].pop()
        else:
            index, shards = _Index(self.state), self.numbers[function]
            knows: Any = (
                ShardsToRead(index, shards)
                if function == "tick"
                else Resharding(
                    index,
                    over=shards,
                    clock=lambda: index.caller.clock() if index.caller else START,
                    wait=lambda pause: index.caller.sleep(pause.total_seconds()) if index.caller else None,
                )
            )
            sandbox = _Sandbox(shards, index, knows)
        sandbox.index.caller = process
        return sandbox

    def _put_back(self, function: str, sandbox: _Sandbox) -> None:
        if sandbox.shards == self.numbers[function]:
            self._idle[function].append(sandbox)

    def buckets(self) -> Sequence[int]:
        """No bucket: none has a timer."""
        return ()

    def _anything_due(self) -> bool:
        until, layout = self.engine.now + LOOK_AHEAD, self.state.layout
        if layout is None or layout.spread < self.numbers["tick"]:
            return True
        return any(next_at <= until for next_at, _, _ in indexed(self.state, SHARDS))

    def _look(self) -> None:
        read = max(self.numbers["tick"], self.state.layout.spread if self.state.layout else 0)
        self.astray = [
            f"{timer} is in shard {shard}, and {read} are read"
            for _, shard, timer in indexed(self.state, SHARDS)
            if shard >= read
        ]


def broken_layouts(scenario: Reshaped) -> Iterator[str]:
    """What has not followed the last change of the number of shards."""
    yield from scenario.astray
    status = shard_status(scenario.state.layout, scenario.numbers["tick"])
    if status.state is not ReshardingState.SETTLED:
        yield f"{status} long after the last deployment"
