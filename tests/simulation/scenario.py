"""One history: ticks, workers, edits and targets interleaved with faults, then quiet until everything rests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from minutehand.adapters.memory import MemoryOutputs, MemoryPermits, MemoryState, MemoryTimers
from minutehand.domain.calendar import Calendar, CalendarKey, Period, Weekly, merged_periods, merged_weekly
from minutehand.domain.errors import Conflict, Invalid, NotFound, Unavailable
from minutehand.domain.job import CatchUp, HttpTarget, Job, JobKey, OnBlocked
from minutehand.domain.run import RunError, RunKey, RunState
from minutehand.usecases import calendars, manage
from minutehand.usecases.calendars import Content
from minutehand.usecases.drain import drain
from minutehand.usecases.execute import Handled, Worker, execute
from minutehand.usecases.ports import Outcome, Received
from minutehand.usecases.sweep import sweep
from minutehand.usecases.tick import tick
from minutehand.usecases.trigger import trigger
from minutehand.usecases.watching import Watch
from minutehand.usecases.world import World
from tests.simulation.engine import START, Died, Engine, Process
from tests.simulation.faults import Faulty, FaultyRuns, FaultyTimers
from tests.simulation.observed import Called, History, ObservedCalendars, ObservedDefinitions, ObservedRuns
from tests.simulation.queue import SimulatedInbox, SimulatedOutbox, SimulatedQueue

CHAOS = timedelta(minutes=10)
QUIET = timedelta(minutes=150)
SHARDS = 2
LOOK_AHEAD = timedelta(seconds=120)
SELDOM = "4,6,9 9 * * *"
"""What is due so seldom that its occurrences may be moved to another day."""
SCHEDULES = (
    "* * * * *",
    "*/2 * * * *",
    "*/3 * * * *",
    "*/20 * * * * *",
    "@every 15s",
    "@every 45s",
    "@every 2m30s",
    "7 */2 * * * *",
    ("*/3 * * * *", "30 */2 * * * *"),
    ("@every 45s", "*/4 * * * *"),
    SELDOM,
)
CALENDARS = ("mornings", "freeze")
LIMITS = (None, None, None, 1, 3, 8)
DELAYS = (0, 0, 0, 7, 45, 1200)


@dataclass(frozen=True)
class Use:
    """The use cases that a history runs; a mutation replaces one of them or wraps a port."""

    tick: Callable[..., Any] = tick
    execute: Callable[..., Any] = execute
    drain: Callable[..., Any] = drain
    manage: Any = manage
    trigger: Callable[..., Any] = trigger
    wrap: Callable[[World], World] = field(default=lambda world: world)


class Scenario:
    """Everything in one seeded world."""

    def __init__(self, seed: int, *, use: Use | None = None, trace: bool = False) -> None:
        self.use = use or Use()
        self.engine = Engine(seed, trace=trace)
        self.history = History(self.engine)
        self.state = MemoryState()
        self.timers = MemoryTimers(self.state, shards=SHARDS)
        self.definitions = ObservedDefinitions(self.state, self.history)
        self.runs = ObservedRuns(self.state, self.history)
        self.outputs = MemoryOutputs(self.state)
        self.calendars = ObservedCalendars(self.state, self.history)
        self.dead = SimulatedQueue(self.engine, self._drain, most_receives=1_000_000)
        self.queue = SimulatedQueue(
            self.engine, self._work, most_receives=6, bury=lambda run, attempt: self.dead.add(run, attempt, 0)
        )
        self.jobs = [JobKey(namespace="sim", name=f"job-{n}") for n in range(self.engine.random.randint(1, 3))]
        self.plain = self.engine.random.random() < 0.5
        """Whether the jobs have none of what limits or moves runs, so that more of them run."""
        self.limits = {job: None if self.plain else self.engine.random.choice(LIMITS) for job in self.jobs}
        self._tokens = 0

    def world(self, process: Process) -> World:
        world = World(
            timers=FaultyTimers(process, self.timers),
            definitions=Faulty(process, self.definitions),
            runs=FaultyRuns(process, self.runs),
            outputs=Faulty(process, self.outputs),
            calendars=Faulty(process, self.calendars),
            permits=Faulty(process, MemoryPermits(self.state)),
            outbox=Faulty(process, SimulatedOutbox(process, self.queue)),
            clock=process.clock,
            look_ahead=LOOK_AHEAD,
        )
        return self.use.wrap(world)

    def play(self) -> None:
        """The whole history, to the end."""
        random, engine = self.engine.random, self.engine
        for name in CALENDARS:
            self.calendars.save(None, self._calendar(name))
        for job in self.jobs:
            engine.after(random.uniform(0, 90), lambda job=job: self._save(job))
        for _ in range(random.choice([0, 0, 2, 6])):
            engine.at(START + timedelta(seconds=random.uniform(60, CHAOS.total_seconds())), self._block)
        quiet_at = START + CHAOS
        outage = random.uniform(0, 400) if random.random() < 0.4 else None
        for minute in range(int((CHAOS + QUIET).total_seconds()) // 60):
            chaotic = minute * 60 < CHAOS.total_seconds()
            if chaotic and outage is not None and outage < minute * 60 < outage + random.uniform(60, 300):
                continue
            for _ in range(1 + (chaotic and random.random() < 0.25)):
                engine.at(
                    START + timedelta(minutes=minute, seconds=random.uniform(0, 20 if chaotic else 1)), self._tick
                )
        for _ in range(random.choice([0, 3, 10, 25])):
            job = random.choice(self.jobs)
            act = random.choice([self._save, self._save, self._pause, self._resume, self._delete, self._trigger])
            instant = START + timedelta(seconds=random.uniform(60, CHAOS.total_seconds()))
            engine.at(instant, lambda job=job, act=act: act(job))
            if random.random() < 0.2:
                other = random.choice([self._save, self._pause, self._resume, self._delete, self._trigger])
                engine.at(instant + timedelta(seconds=random.uniform(0, 0.2)), lambda job=job, act=other: act(job))
        if random.random() < 0.3:
            for turn in range(int(CHAOS.total_seconds()) // 120):
                engine.at(START + timedelta(seconds=turn * 120 + random.uniform(0, 60)), self._sweep)
        engine.run(quiet_at)
        engine.faults = False
        engine.run(quiet_at + timedelta(minutes=10))
        for job in self.jobs:
            engine.after(0, lambda job=job: self._pause(job))
        engine.run(quiet_at + QUIET)
        engine.close()

    def _tick(self) -> None:
        self.engine.start("tick", 60, lambda p: self.use.tick(self.world(p), shards=SHARDS, time_left=p.time_left))

    def _sweep(self) -> None:
        """Some histories have sweeps, to see that they break nothing; most have none, so that they hide nothing."""

        def look(process: Process) -> None:
            try:
                sweep(self.world(process), time_left=process.time_left)
            except Unavailable as trouble:
                self.engine.note(f"sweep: {trouble}")

        self.engine.start("sweep", 300, look)

    def _api(self, name: str, do: Callable[[World], Any]) -> None:
        def attempt(process: Process) -> None:
            try:
                do(self.world(process))
            except (NotFound, Conflict, Invalid, Unavailable) as refused:
                self.engine.note(f"{name}: {refused}")

        self.engine.start(name, 30, attempt)

    def _save(self, job: JobKey) -> None:
        random = self.engine.random
        schedule = random.choice(SCHEDULES)
        definition = Job(
            key=job,
            schedule=schedule,
            target=HttpTarget(method="GET", url="http://sim"),
            misfire_grace=timedelta(seconds=random.choice([60, 120, 300])),
            catch_up=random.choice(list(CatchUp)),
            **({} if self.plain else self._limits(schedule)),
            max_runs=self.limits[job],
            timeout=timedelta(seconds=random.choice([5, 30])),
            takeovers=random.choice([0, 1, 3]),
        )
        self._api(
            "save", lambda world: self.use.manage.save(world, definition, keep_paused=random.random() < 0.5, who="sim")
        )

    def _limits(self, schedule: str | tuple[str, ...]) -> dict[str, Any]:
        random = self.engine.random
        return {
            "calendars": random.choice([(), (), ("mornings",), CALENDARS]),
            "on_blocked": random.choice(list(OnBlocked)) if schedule == SELDOM else OnBlocked.SKIP,
            "start_at": START + timedelta(seconds=random.randint(0, 500)) if random.random() < 0.1 else None,
            "end_at": START + timedelta(seconds=random.randint(300, 900)) if random.random() < 0.1 else None,
            "jitter": timedelta(seconds=random.choice(DELAYS)),
        }

    def _calendar(self, name: str) -> Calendar:
        """A few stretches of the history that are blocked, by the clock or by the day's hours."""
        random = self.engine.random
        begins = [START + timedelta(seconds=random.randint(0, 700)) for _ in range(random.choice([0, 1, 1, 3]))]
        minutes = [random.randint(0, 12) for _ in range(random.choice([0, 0, 1, 2]))]
        second = (START.hour * 60 + START.minute) * 60
        return Calendar(
            key=CalendarKey("sim", name),
            description="",
            dates=(),
            weekly=merged_weekly(
                Weekly(127, second + m * 60, second + (m + random.randint(1, 4)) * 60) for m in minutes
            ),
            periods=merged_periods(Period(at, at + timedelta(seconds=random.randint(5, 200))) for at in begins),
            revision=1,
            updated_at=START,
            updated_by="sim",
        )

    def _block(self) -> None:
        name = self.engine.random.choice(CALENDARS)
        wanted = self._calendar(name)
        content = Content(description="", dates=(), weekly=wanted.weekly, periods=wanted.periods)
        self._api("calendar", lambda world: calendars.save(world, wanted.key, content, who="sim"))

    def _pause(self, job: JobKey) -> None:
        self._api("pause", lambda world: self.use.manage.pause(world, job, who="sim"))

    def _resume(self, job: JobKey) -> None:
        self._api("resume", lambda world: self.use.manage.resume(world, job, who="sim"))

    def _delete(self, job: JobKey) -> None:
        self._api("delete", lambda world: self.use.manage.delete(world, job, who="sim"))

    def _trigger(self, job: JobKey) -> None:
        key = str(self.engine.random.randint(1, 3))
        self._api("trigger", lambda world: self.use.trigger(world, job, idempotency_key=key))

    def _work(self, batch: Sequence[Received]) -> None:
        def work(process: Process) -> None:
            world = self.world(process)
            worker = Worker(
                inbox=Faulty(process, SimulatedInbox(self.queue)),
                call=lambda _target, call: self._call(process, call.run.key, call.run.attempt, call.timeout),
                token=self._token,
                parallel=lambda do, what: self._side_by_side(process, do, what),
                time_left=process.time_left,
                watch=Watch(world.runs, process.clock, lambda look: look()),
            )
            for handled in self.use.execute(batch, world=world, worker=worker):
                if handled.deletable:
                    process.sleep(0.001)
                    self.queue.delete(handled.received.receipt)

        self.engine.start("worker", 900, work)

    def _drain(self, batch: Sequence[Received]) -> None:
        def work(process: Process) -> None:
            for message in batch:
                try:
                    if self.use.drain(message, world=self.world(process)).deletable:
                        self.dead.delete(message.receipt)
                except Unavailable:
                    continue

        self.engine.start("drain", 60, work)

    def _token(self) -> str:
        self._tokens += 1
        return str(self._tokens)

    def _side_by_side(
        self, process: Process, do: Callable[[Received], Handled], what: Sequence[Received]
    ) -> Iterable[Handled]:
        results: dict[int, Handled] = {}
        gone: list[int] = []

        def one(number: int) -> None:
            try:
                results[number] = do(what[number])
            except Died:
                process.dead = True
            gone.append(number)

        for number in range(len(what)):
            self.engine.after(0, lambda number=number: one(number))
        while len(gone) < len(what) and not process.dead:
            process.sleep(0.05)
        if process.dead:
            raise Died
        return [results[number] for number in range(len(what))]

    def _call(self, process: Process, run: RunKey, attempt: int, timeout: timedelta) -> Outcome:
        random = self.engine.random
        self.engine.note(f"    call {run.job} {run.run_id} #{attempt}")
        takes = random.choice([0.05, 0.5, 2, 2, timeout.total_seconds() * 1.2])
        began = self.engine.now
        try:
            process.sleep(min(takes, timeout.total_seconds()))
            if self.engine.chance(0.03):
                process.dead = True
                raise Died
        finally:
            self.history.calls.append(Called(run=run, attempt=attempt, at=began, until=self.engine.now))
        if takes > timeout.total_seconds():
            return Outcome(state=RunState.TIMED_OUT, error=RunError(type="TimedOut", message="too slow"))
        if random.random() < 0.1:
            return Outcome(state=RunState.FAILED, error=RunError(type="HttpStatus", message="503"))
        return Outcome(state=RunState.SUCCEEDED)
