"""One history: ticks, workers, edits and targets interleaved with faults, then quiet until everything rests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from minutehand.adapters.memory import (
    MemoryBackfills,
    MemoryMeter,
    MemoryOutputs,
    MemoryPermits,
    MemoryState,
    MemoryTimers,
)
from minutehand.domain.calendar import Calendar, CalendarKey, Period, Weekly, merged_periods, merged_weekly
from minutehand.domain.errors import Conflict, Invalid, NotAllowed, NotFound, Unavailable
from minutehand.domain.job import Backoff, CatchUp, HttpTarget, Job, JobKey, Mode, OnBlocked, Overlap, Retry
from minutehand.domain.run import Progress, Run, RunError, RunState
from minutehand.usecases.by_hand.trigger import trigger
from minutehand.usecases.definitions import calendars, manage
from minutehand.usecases.definitions.calendars import Content
from minutehand.usecases.dispatching.tick import share, tick
from minutehand.usecases.ending import answers
from minutehand.usecases.ending.answers import Speaker
from minutehand.usecases.ending.cancel import cancel
from minutehand.usecases.ending.watching import Watch
from minutehand.usecases.ports.calling import Call, Outcome
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.world import World
from minutehand.usecases.running.drain import drain
from minutehand.usecases.running.execute import execute
from minutehand.usecases.running.worker import Handled, Worker
from minutehand.usecases.upkeep.sweep import sweep
from tests.simulation.chains import Chains
from tests.simulation.crowds import Crowds
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
DELAYED = ("@after 20s", "@after 45s")
"""Fixed delays; a job that has one keeps to them."""
SHORTEST_DELAY = timedelta(seconds=20)
LIMITS = (None, None, None, 1, 3, 8)
DELAYS = (0, 0, 0, 7, 45, 1200)


@dataclass(frozen=True)
class Use:
    """The use cases that a history runs; a mutation replaces one of them or wraps a port."""

    tick: Callable[..., Any] = tick
    share: Callable[..., Any] = share
    execute: Callable[..., Any] = execute
    drain: Callable[..., Any] = drain
    manage: Any = manage
    trigger: Callable[..., Any] = trigger
    cancel: Callable[..., Any] = cancel
    wrap: Callable[[World], World] = field(default=lambda world: world)


class Scenario:
    """Everything in one seeded world.

    Attributes:
        quiet: how long all is left alone in the end, for what is still retried to come to rest.
    """

    quiet = QUIET

    def __init__(self, seed: int, *, use: Use | None = None, trace: bool = False) -> None:
        self.use = use or Use()
        self.engine = Engine(seed, trace=trace)
        self.history = History(self.engine)
        self.state = MemoryState()
        self.timers = MemoryTimers(self.state, shards=SHARDS, page_size=1 if seed % 2 else 500)
        self.definitions = ObservedDefinitions(self.state, self.history, shards=SHARDS)
        self.runs = ObservedRuns(self.state, self.history, shards=SHARDS)
        self.outputs = MemoryOutputs(self.state)
        self.calendars = ObservedCalendars(self.state, self.history)
        self.backfills = MemoryBackfills(self.state, shards=SHARDS)
        self.dead = SimulatedQueue(self.engine, self._drain, most_receives=1_000_000)
        self.queue = SimulatedQueue(
            self.engine, self._work, most_receives=6, bury=lambda run, attempt: self.dead.add(run, attempt, 0)
        )
        self.jobs = [JobKey(namespace="sim", name=f"job-{n}") for n in range(self.engine.random.randint(1, 3))]
        self.plain = self.engine.random.random() < 0.5
        """Whether the jobs have none of what limits or moves runs, so that more of them run."""
        self.delayed = {job: self.engine.random.random() < 0.25 for job in self.jobs}
        self.overlaps = {job: self._overlap(self.delayed[job]) for job in self.jobs}
        """Policies stay as they are in a history, so that it can be told what they allowed."""
        self.limits = {job: None if self.plain else self.engine.random.choice(LIMITS) for job in self.jobs}
        self.chains = Chains(self)
        self.crowds = Crowds(self)
        self._tokens = 0

    def _overlap(self, delayed: bool) -> Overlap:
        random = self.engine.random
        if delayed:
            return random.choice((Overlap.ALLOW, Overlap.SKIP, Overlap.REPLACE))
        return random.choice(list(Overlap)) if random.random() < 0.5 else Overlap.ALLOW

    def world(self, process: Process) -> World:
        world = World(
            timers=FaultyTimers(process, self.timers),
            definitions=Faulty(process, self.definitions),
            runs=FaultyRuns(process, self.runs),
            outputs=Faulty(process, self.outputs),
            calendars=Faulty(process, self.calendars),
            permits=Faulty(process, MemoryPermits(self.state)),
            backfills=Faulty(process, self.backfills),
            namespaces=Faulty(process, self.crowds.stores),
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
        self.chains.begin(START, CHAOS)
        self.crowds.begin(START, CHAOS)
        for _ in range(random.choice([0, 0, 2, 6])):
            engine.at(START + timedelta(seconds=random.uniform(60, CHAOS.total_seconds())), self._block)
        quiet_at = START + CHAOS
        outage = random.uniform(0, 400) if random.random() < 0.4 else None
        for minute in range(int((CHAOS + self.quiet).total_seconds()) // 60):
            chaotic = minute * 60 < CHAOS.total_seconds()
            if chaotic and outage is not None and outage < minute * 60 < outage + random.uniform(60, 300):
                continue
            for _ in range(1 + (chaotic and random.random() < 0.25)):
                engine.at(
                    START + timedelta(minutes=minute, seconds=random.uniform(0, 20 if chaotic else 1)), self._tick
                )
        for _ in range(random.choice([0, 3, 10, 25])):
            job = random.choice(self.jobs)
            act = random.choice(
                [
                    self._save,
                    self._save,
                    self._pause,
                    self._resume,
                    self._delete,
                    self._trigger,
                    self._cancel,
                    self._cancel,
                ]
            )
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
        self.crowds.resume()
        engine.run(quiet_at + timedelta(minutes=10))
        for job in [*self.jobs, *self.chains.children]:
            engine.after(0, lambda job=job: self._pause(job))
        engine.run(quiet_at + self.quiet)
        engine.close()

    def _tick(self) -> None:
        if not self.engine.faults and not self._anything_due():
            return  # two and a half hours of ticks that find nothing would take longer than all the rest
        self.engine.start("tick", 60, self._ticking)

    def _ticking(self, process: Process) -> None:
        self.use.tick(
            self.world(process),
            shards=range(SHARDS),
            time_left=process.time_left,
            most=SHARDS,
            hand_over=self._hand_over,
        )

    def _hand_over(self, shards: Sequence[int]) -> bool:
        """As Lambda takes an asynchronous call: it may be lost or made twice, whatever the answer is."""
        lost, twice, untold = (self.engine.faults and self.engine.random.random() < 0.1 for _ in range(3))
        for _ in range(0 if lost else 1 + twice):
            self.engine.after(self.engine.random.uniform(0, 5), lambda: self._share(shards))
        return not untold

    def _share(self, shards: Sequence[int]) -> None:
        self.engine.start("share", 60, lambda p: self.use.share(self.world(p), shards=shards, time_left=p.time_left))

    def _anything_due(self) -> bool:
        until = self.engine.now + LOOK_AHEAD
        return any(page for shard in range(SHARDS) for page in self.timers.due(shard, until))

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
        delayed = self.delayed[job]
        schedule = random.choice(DELAYED if delayed else SCHEDULES)
        definition = Job(
            key=job,
            schedule=schedule,
            target=self._target(),
            misfire_grace=timedelta(seconds=random.choice([60, 120, 300])),
            catch_up=random.choice(list(CatchUp)),
            **({} if self.plain or delayed else self._limits(schedule)),
            max_runs=None if delayed else self.limits[job],
            max_concurrency=self.crowds.most[job],
            max_catch_up=random.choice([1, 5, 150]),
            timeout=timedelta(seconds=random.choice([5, 30])),
            run_timeout=random.choice([None, None, timedelta(seconds=40)]),
            retry=Retry(random.choice([1, 1, 3]), Backoff(timedelta(seconds=random.choice([1, 20, 900])))),
            overlap=self.overlaps[job],
            takeovers=random.choice([0, 1, 3]),
        )
        self._api(
            "save", lambda world: self.use.manage.save(world, definition, keep_paused=random.random() < 0.5, who="sim")
        )

    def _target(self) -> HttpTarget:
        random = self.engine.random
        mode = random.choice([Mode.AUTO, Mode.AUTO, Mode.CALLBACK])
        heartbeat = (
            timedelta(seconds=random.choice([4, 10])) if mode is Mode.CALLBACK and random.random() < 0.5 else None
        )
        return HttpTarget(method="GET", url="http://sim", mode=mode, heartbeat=heartbeat)

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

    def _cancel(self, job: JobKey) -> None:
        active = [run.key for run in self.state.runs.values() if run.key.job == job and not run.state.finished]
        if active:
            key = self.engine.random.choice(active)
            self._api("cancel", lambda world: self.use.cancel(world, key, who="sim"))

    def _work(self, batch: Sequence[Received]) -> None:
        def work(process: Process) -> None:
            world = self.world(process)
            worker = Worker(
                inbox=Faulty(process, SimulatedInbox(self.queue)),
                call=lambda target, call: self._call(process, target, call),
                token=self._token,
                parallel=lambda do, what: self._side_by_side(process, do, what),
                time_left=process.time_left,
                meter=lambda: MemoryMeter(self.state),
                watch=Watch(world.runs, process.clock, self._aside),
                sleep=process.sleep,
            )
            for handled in self.use.execute(batch, world=world, worker=worker):
                if handled.deletable:
                    process.sleep(0.001)
                    self.queue.delete(handled.received.receipt)

        self.engine.start("worker", 900, work)

    def _aside(self, do: Callable[[], None]) -> None:
        def alone() -> None:
            with suppress(Died):
                do()

        self.engine.after(0, alone)

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

    def _call(self, process: Process, target: HttpTarget, call: Call) -> Outcome:
        random, run, limit = self.engine.random, call.run, call.timeout.total_seconds()
        self.engine.note(f"    call {run.key.job} {run.key.run_id} #{run.attempt}")
        later = target.mode is Mode.CALLBACK and random.random() < 0.8
        takes = 0.1 if later else random.choice([0.05, 0.5, 2, 2, limit * 1.2])
        began = self.engine.now
        if later:
            self.engine.after(random.uniform(0.05, 0.2), lambda: self._answer_later(target, call))
        try:
            while (left := began.timestamp() + min(takes, limit) - self.engine.now.timestamp()) > 0:
                process.sleep(min(max(left, 0.001), 1))
                if call.cancelled():
                    return Outcome(state=RunState.CANCELLED)
            if self.engine.chance(0.03):
                process.dead = True
                raise Died
        finally:
            self.history.calls.append(Called(run.key, run.attempt, began, self.engine.now, later))
        if later:
            return Outcome(state=RunState.WAITING)
        if takes > limit:
            return Outcome(state=RunState.TIMED_OUT, error=RunError(type="TimedOut", message="too slow"))
        if random.random() < 0.2:
            return Outcome(state=RunState.FAILED, error=RunError(type="HttpStatus", message="503"))
        return Outcome(state=RunState.SUCCEEDED)

    def _answer_later(self, target: HttpTarget, call: Call) -> None:
        """The work that a target has taken on: it says that it is alive, and reports, unless it dies."""
        random = self.engine.random
        speaker = Speaker(call.run.key, call.run.attempt, call.token)
        takes = random.choice([0.1, 3, 12, 25, 1000])
        every = None if target.heartbeat is None else target.heartbeat.total_seconds() * random.choice([0.4, 0.4, 1.5])
        state = random.choice([RunState.SUCCEEDED, RunState.SUCCEEDED, RunState.FAILED])

        def work(process: Process) -> None:
            ends = self.engine.now + timedelta(seconds=takes)
            while every is not None and self.engine.now + timedelta(seconds=every) < ends:
                process.sleep(every)
                said = self._said(
                    process, lambda: answers.heartbeat(self.world(process), speaker, Progress(50, "on it"))
                )
                if said is None or said.state.finished:
                    return
            process.sleep(max((ends - self.engine.now).total_seconds(), 0.001))
            outcome = Outcome(state, error=None if state is RunState.SUCCEEDED else RunError("Broken", "it broke"))
            self._said(process, lambda: answers.report(self.world(process), speaker, outcome))

        if takes < 1000:
            self.engine.start("target", 120, work)

    def _said(self, process: Process, say: Callable[[], Run]) -> Run | None:
        for _ in range(4):
            try:
                return say()
            except (Conflict, NotAllowed) as refused:
                self.engine.note(f"target: {refused}")
                return None
            except Unavailable:
                process.sleep(1)
        return None
