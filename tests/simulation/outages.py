"""Histories in which one part of the stack is away for a time, and messages are lost; and how soon the sweep finds what is overdue.

No other fault happens, so that the times can be judged: each overdue run must have a message again soon after it is overdue, or soon
after the sweep is back. No run may be lost, and all must end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from enum import Enum
from typing import Any

from minutehand.domain.errors import Unavailable
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.usecases.dispatching.send import OVERDUE, overdue_at
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.upkeep.sweep import SWEEP_EVERY
from tests.simulation import chains
from tests.simulation.engine import START, Process
from tests.simulation.faults import Faulty, die
from tests.simulation.scenario import CHAOS, Scenario

EVERY = timedelta(seconds=10)
FOUND_WITHIN = SWEEP_EVERY + timedelta(seconds=30)
"""From when a run is overdue until it has a message again; sweeps take a few seconds, and start a few seconds early or late."""
FOUND_AFTER_RETURN = timedelta(minutes=2)
DEATHS, DEATHS_AFTER_A_CLAIM = 0.03, 0.4
"""Shares of the calls after which a worker dies while workers die. Claims are few, and nothing but the sweep knows of their runs yet."""
PURGED_EVERY = timedelta(seconds=45)
"""How often the queue is purged meanwhile."""
LASTS = timedelta(minutes=120)
"""Length of the quiet time, in which all runs must end."""


class Part(Enum):
    """The part of the stack that is away."""

    WORKERS = "workers cannot read the tables"
    TICK = "no tick"
    SWEEP = "no sweep"
    SWEEP_DIES = "sweeps die in the middle"
    WORKERS_DIE = "workers die in the middle, and the queue is purged often"
    NONE = "nothing is away"


class Outage(Scenario):
    """One seeded history of an outage.

    Attributes:
        part: what is away.
        begins, ends: the time during which it is.
        late: runs that had no message for too long, each with a sentence.
    """

    quiet = LASTS

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        random = self.engine.random
        self.engine.faults = False
        self.part = list(Part)[seed % len(Part)]
        self.begins = START + timedelta(seconds=random.uniform(60, 300))
        self.ends = self.begins + timedelta(seconds=random.choice([90, 400, 1300]))
        purges = [START + timedelta(seconds=random.uniform(90, CHAOS.total_seconds())) for _ in range(3)]
        self.purges = [*purges, self.ends + timedelta(seconds=random.uniform(0, 70))]
        self.purges += [self.purges[0] + timedelta(seconds=random.uniform(60, 150))]
        if self.part is Part.WORKERS_DIE:
            self.purges += [self.begins + n * PURGED_EVERY for n in range((self.ends - self.begins) // PURGED_EVERY)]
        self.late: dict[RunKey, str] = {}
        self._silent_since: dict[RunKey, datetime] = {}
        self._resends: dict[RunKey, list[datetime]] = {}

    def ports(self, process: Process) -> Ports:
        ports = super().ports(process)
        if process.name == "worker" and self.part is Part.WORKERS:
            stores = {name: port for name, port in ports._asdict().items() if isinstance(port, Faulty)}
            return ports._replace(**{name: Away(self, port) for name, port in stores.items() if name != "outbox"})
        if process.name == "sweep" and self.is_away(Part.SWEEP_DIES):
            self.engine.after(self.engine.random.uniform(0.005, 0.3), lambda: setattr(process, "dead", True))
        if process.name == "worker" and self.part is Part.WORKERS_DIE:
            stores = {name: port for name, port in ports._asdict().items() if isinstance(port, Faulty)}
            return ports._replace(**{name: Deadly(self, port) for name, port in stores.items()})
        return ports

    def is_away(self, part: Part) -> bool:
        """Whether a part is away now."""
        return part is self.part and self.begins <= self.engine.now < self.ends

    def _plan_sweeps(self) -> None:
        engine = self.engine
        for purge in self.purges:
            engine.at(purge, self._purge)
        for turn in range(int((CHAOS + self.quiet) / SWEEP_EVERY)):
            engine.at(START + turn * SWEEP_EVERY + timedelta(seconds=engine.random.uniform(20, 25)), self._sweep)
        self._plan_drains()
        for turn in range(int((CHAOS + self.quiet) / EVERY)):
            engine.at(START + turn * EVERY, self._judge)

    def _tick(self) -> None:
        if not self.is_away(Part.TICK):
            super()._tick()

    def _sweep(self) -> None:
        if not self.is_away(Part.SWEEP):
            super()._sweep()

    def _drain(self) -> None:
        if not self.is_away(Part.SWEEP):
            super()._drain()

    def _purge(self) -> None:
        self.engine.note("the queue is purged")
        self.queue.held.clear()

    def _judge(self) -> None:
        """Note since when each overdue run has had no message, and which have had none for too long."""
        now = self.engine.now
        self._count_resends()
        silent = {run.key: run for run in self.state.runs.values() if self._is_silent(run)}
        self._silent_since = {key: self._silent_since.get(key, now) for key in silent}
        unswept = self.part in (Part.SWEEP, Part.SWEEP_DIES)
        back = self.ends + FOUND_AFTER_RETURN - FOUND_WITHIN if unswept and self.begins <= now else START
        for key, since in self._silent_since.items():
            run = silent[key]
            if now > max(overdue_at(run), since, back, self._waits_until(run)) + FOUND_WITHIN:
                self.late.setdefault(key, f"{key} is overdue since {overdue_at(run):%T} and has no message at {now:%T}")

    def _count_resends(self) -> None:
        """Note when each run was sent again since a worker moved it."""
        for run in self.state.runs.values():
            resends = self._resends.setdefault(run.key, [])
            if run.resent_at is None or run.resent_at < overdue_at(run) - OVERDUE:
                resends.clear()
            elif run.resent_at not in resends:
                resends.append(run.resent_at)

    def _waits_until(self, run: Run) -> datetime:
        """Until when the sweep need not send a run again: a minute after its first resend, twice as long after each further one."""
        resends = self._resends[run.key]
        return resends[-1] + timedelta(minutes=2 ** (len(resends) - 1)) if resends else START

    def _is_silent(self, run: Run) -> bool:
        """Whether nothing but the sweep leads to an overdue run. Backfills and deadlines have timers of their own."""
        known = run.key.backfill is not None or run.key in self.state.deadlines
        return (
            not run.state.finished
            and overdue_at(run) <= self.engine.now
            and not known
            and not self.queue.holds(run.key)
            and not self.dead.holds(run.key)
        )


class Away(Faulty):
    """A store that does not answer while workers cannot read the tables."""

    def __init__(self, outage: Outage, port: Faulty) -> None:
        super().__init__(port._process, port)
        self._outage = outage

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._port, name)

        def call(*arguments: Any, **more: Any) -> Any:
            if self._outage.is_away(Part.WORKERS):
                self._process.sleep(0.01)
                raise Unavailable(f"{name} is denied")
            return method(*arguments, **more)

        return call


class Deadly(Away):
    """A store after whose calls workers die."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._port, name)

        def call(*arguments: Any, **more: Any) -> Any:
            result = method(*arguments, **more)
            deaths = DEATHS_AFTER_A_CLAIM if name == "claim" else DEATHS
            if self._outage.is_away(Part.WORKERS_DIE) and self._outage.engine.random.random() < deaths:
                die(self._process, name, "after")
            return result

        return call


def problems(outage: Outage) -> Iterator[str]:
    """What broke a promise in a history that was played."""
    yield from outage.late.values()
    yield from chains.violations(outage)
    for run in outage.state.runs.values():
        if run.state is RunState.LOST and not _is_due_to_its_job(run):
            yield f"{run.key} was lost: {run.error}"
        if not run.state.finished:
            yield f"{run.key} is {run.state.value} at the end"


def _is_due_to_its_job(run: Run) -> bool:
    """Whether the run's worker died, and no other may take over: none is left, or the job was deleted."""
    return run.attempt > 0 and run.error is not None and run.error.message.startswith(f"attempt {run.attempt} ended")
