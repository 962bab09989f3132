"""One history: ticks, workers, edits and targets interleaved with faults, then a quiet time until everything rests."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from itertools import chain

from minutehand.adapters.memory import (
    MemoryBackfills,
    MemoryBuckets,
    MemoryOutputs,
    MemorySpreads,
    MemoryState,
    MemorySweeps,
)
from minutehand.adapters.sharding import BUCKETS, bucket_of
from minutehand.domain.errors import Unavailable
from minutehand.domain.job_key import JobKey
from minutehand.usecases.dispatching.tick import Parts, share, tick
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.upkeep.buckets import unpack_strays
from minutehand.usecases.upkeep.sweep import SWEEP_EVERY, sweep
from tests.simulation import drawn, named_limits, promptness, quotas
from tests.simulation.chains import Chains
from tests.simulation.crowds import Crowds
from tests.simulation.engine import START, Engine, Process
from tests.simulation.faults import Faulty, FaultyRuns, FaultyTimers
from tests.simulation.observed import (
    History,
    ObservedCalendars,
    ObservedDefinitions,
    ObservedPermits,
    ObservedRuns,
    ObservedTimers,
)
from tests.simulation.queue import SimulatedOutbox, SimulatedQueue
from tests.simulation.requests import Requests
from tests.simulation.shadows import Shadows
from tests.simulation.targets import Targets
from tests.simulation.workers import Workers

CHAOS = timedelta(minutes=10)
CALM = timedelta(minutes=10)
QUIET = timedelta(minutes=150)
SHARDS = 2
LOOK_AHEAD = timedelta(seconds=120)


class Scenario:
    """One seeded history, with all its processes and stores.

    Attributes:
        calm: how long jobs run on after the last fault.
        quiet: length of the quiet time at the end, in which retries end.
    """

    calm = CALM
    quiet = QUIET

    def __init__(self, seed: int, *, trace: bool = False) -> None:
        self.engine = Engine(seed, trace=trace)
        self.history = History(self.engine)
        self.state = MemoryState()
        self.timers = ObservedTimers(self.state, self.history, shards=SHARDS, page_size=1 if seed % 2 else 500)
        self.definitions = ObservedDefinitions(self.state, self.history, shards=SHARDS)
        self.runs = ObservedRuns(self.state, self.history, shards=SHARDS)
        self.outputs = MemoryOutputs(self.state)
        self.calendars = ObservedCalendars(self.state, self.history)
        self.backfills = MemoryBackfills(self.state, shards=SHARDS)
        self.requests = Requests(self)
        self.targets = Targets(self)
        self.workers = Workers(self)
        self.dead = SimulatedQueue(self.engine, most_receives=1_000_000)
        self.queue = SimulatedQueue(
            self.engine, self.workers.work, most_receives=6, bury=lambda run, attempt: self.dead.add(run, attempt, 0)
        )
        self.slow = SimulatedQueue(
            self.engine,
            self.workers.work_slow,
            most_receives=6,
            bury=lambda run, attempt: self.dead.add(run, attempt, 0),
        )
        random = self.engine.random
        self.jobs = [JobKey(namespace="sim", name=f"job-{n}") for n in range(random.randint(1, 3))]
        self.plain = random.random() < 0.5
        """Whether the jobs have nothing that limits or moves runs, so that more of them run."""
        self.delayed = {job: random.random() < 0.25 for job in self.jobs}
        self.overlaps = {job: drawn.overlap(random, delayed=self.delayed[job]) for job in self.jobs}
        """Policies do not change within a history, so that the judge knows what they allowed."""
        self.limits = {job: None if self.plain else random.choice(drawn.LIMITS) for job in self.jobs}
        self.start_within = promptness.drawn(seed, self.jobs)
        self.backlog = promptness.has_backlog(seed)
        self.chains = Chains(self)
        self.quota = quotas.drawn(seed)
        self.crowds = Crowds(self)
        self.shadows = Shadows(self, seed)
        self.named_limits = named_limits.drawn_for(self, seed)

    def ports(self, process: Process) -> Ports:
        """The ports of a process, each with its faults."""
        return Ports(
            timers=FaultyTimers(process, self.timers),
            definitions=Faulty(process, self.definitions),
            runs=FaultyRuns(process, self.runs),
            outputs=Faulty(process, self.outputs),
            calendars=Faulty(process, self.calendars),
            permits=Faulty(process, ObservedPermits(self.state, self.history)),
            backfills=Faulty(process, self.backfills),
            spreads=Faulty(process, MemorySpreads(self.state)),
            namespaces=Faulty(process, self.crowds.stores),
            sweeps=Faulty(process, MemorySweeps(self.state)),
            outbox=Faulty(process, SimulatedOutbox(process, self.queue, self.slow)),
            clock=process.clock,
            look_ahead=LOOK_AHEAD,
        )

    def play(self) -> None:
        """Play the whole history."""
        engine, quiet_at = self.engine, START + CHAOS
        self._prepare()
        self._plan_ticks()
        self._plan_requests()
        self._plan_sweeps()
        self._plan_drains()
        engine.run(quiet_at)
        engine.faults = False
        self.crowds.resume()
        engine.run(quiet_at + self.calm)
        for job in [*self.jobs, *self.chains.children]:
            engine.after(0, lambda job=job: self._pause_for_good(job))
        engine.run(quiet_at + self.quiet)
        engine.close()

    def _pause_for_good(self, job: JobKey) -> None:
        """Pause a job, and again in a minute where a tick that catches up with it made the request fail."""
        definition = self.state.definitions.get(job)
        if definition is None or definition.deleted:
            return
        if not definition.job.paused or definition.job.paused_until is not None:
            self.requests.pause(job)
            self.engine.after(60, lambda: self._pause_for_good(job))

    def _prepare(self) -> None:
        random, engine = self.engine.random, self.engine
        for name in drawn.CALENDARS:
            self.calendars.save(None, drawn.calendar(random, name))
        for job in self.jobs:
            engine.after(random.uniform(0, 90), lambda job=job: self.requests.save(job))
        self.chains.begin(START, CHAOS)
        self.crowds.begin(START, CHAOS)
        self.shadows.begin(START, CHAOS)
        for _ in range(random.choice([0, 0, 2, 6])):
            engine.at(START + timedelta(seconds=random.uniform(60, CHAOS.total_seconds())), self.requests.block)

    def _plan_ticks(self) -> None:
        """One tick a minute, sometimes two; late, and in some histories none for some minutes while there are faults."""
        random = self.engine.random
        begins = random.uniform(0, 400) if random.random() < 0.4 else CHAOS.total_seconds()
        ends = begins + random.uniform(60, 480)
        for minute in range(int((CHAOS + self.quiet).total_seconds()) // 60):
            chaotic = minute * 60 < CHAOS.total_seconds()
            if chaotic and begins < minute * 60 < ends:
                continue
            if self.backlog and minute in promptness.WITHOUT_TICKS:
                continue
            for _ in range(1 + (chaotic and random.random() < 0.25)):
                late = timedelta(minutes=minute, seconds=random.uniform(0, 20 if chaotic else 1))
                self.engine.at(START + late, self._tick)

    def _plan_requests(self) -> None:
        """Each request is made at any time, every third in a second that many schedules name, and sometimes together with another
        one for the same job."""
        random, engine, ask = self.engine.random, self.engine, self.requests
        others = [ask.save, ask.pause, ask.resume, ask.delete, ask.trigger]
        for number in range(random.choice([0, 3, 10, 25])):
            job = random.choice(self.jobs)
            act = random.choice([ask.save, *others, ask.cancel, ask.cancel])
            instant = START + timedelta(seconds=random.uniform(60, CHAOS.total_seconds()))
            if number % 3 == 0:
                instant = instant.replace(second=instant.second // 20 * 20)
            engine.at(instant, lambda job=job, act=act: act(job))
            if random.random() < 0.2:
                other = random.choice(others)
                engine.at(instant + timedelta(seconds=random.uniform(0, 0.2)), lambda job=job, act=other: act(job))

    def _plan_sweeps(self) -> None:
        """Some histories have sweeps, to see that they break nothing; most have none, so that they hide nothing.

        In a few, messages are lost, and the sweeps go on until all is at rest.
        """
        random = self.engine.random
        loses, sweeps = random.random() < 0.1, random.random() < 0.3
        until = CHAOS + self.quiet if loses else CHAOS if sweeps else timedelta(0)
        for turn in range(until // SWEEP_EVERY):
            late = timedelta(seconds=random.uniform(0, 60 if turn * SWEEP_EVERY < CHAOS else 1))
            self.engine.at(START + turn * SWEEP_EVERY + late, self._sweep)
        if loses:
            self.engine.at(START + random.uniform(0.1, 1) * CHAOS, self._lose_messages)

    def _plan_drains(self) -> None:
        """Each sweep starts the drain if there are dead letters; so it does in histories without sweeps, which have no other use of it."""
        for turn in range((CHAOS + self.quiet) // SWEEP_EVERY):
            self.engine.at(START + turn * SWEEP_EVERY + SWEEP_EVERY / 2, self._drain)

    def _drain(self) -> None:
        """An asynchronous Lambda invocation: it may be lost or made twice."""
        if self.dead.visible():
            for _ in range(0 if self.engine.chance(0.1) else 1 + self.engine.chance(0.1)):
                self.engine.start("drain", 60, self.workers.drain)

    def _lose_messages(self) -> None:
        """The messages of active runs are lost, as when someone purges the queue."""
        lost = self.queue.lose(lambda run: run in self.state.runs and not self.state.runs[run].state.finished)
        self.engine.note(f"    {len(lost)} messages are lost")
        self.history.purged += lost

    def _tick(self) -> None:
        if not self.engine.faults and not self._anything_due():
            return  # two and a half hours of ticks that find nothing would take longer than all the rest
        self.engine.start("tick", 60, self._ticking)

    def _ticking(self, process: Process) -> None:
        tick(
            self.ports(process),
            parts=Parts(range(SHARDS), self.buckets()),
            time_left=process.time_left,
            most=SHARDS,
            hand_over=self._hand_over,
        )

    def buckets(self) -> Sequence[int]:
        """The buckets of the jobs that exist. A tick also reads the others, which are empty."""
        return sorted({bucket_of(job) for job in self.state.definitions})

    def _hand_over(self, parts: Parts) -> None:
        """An asynchronous Lambda invocation: it may be lost or made twice, whatever its answer."""
        lost, twice, untold = (self.engine.faults and self.engine.random.random() < 0.1 for _ in range(3))
        for _ in range(0 if lost else 1 + twice):
            self.engine.after(self.engine.random.uniform(0, 5), lambda: self._share(parts))
        if untold:
            raise Unavailable("it is unknown whether they were handed over")

    def _share(self, parts: Parts) -> None:
        self.engine.start("share", 60, lambda p: share(self.ports(p), parts=parts, time_left=p.time_left))

    def _anything_due(self) -> bool:
        until = self.engine.now + LOOK_AHEAD
        indexed = (page for shard in range(SHARDS) for page in self.timers.due(shard, until))
        packed = (page for bucket in self.buckets() for page in self.timers.due_packed(bucket, until))
        return any(chain(indexed, packed))

    def _sweep(self) -> None:
        def look(process: Process) -> None:
            buckets = Faulty(process, MemoryBuckets(self.state, shards=SHARDS))
            try:
                sweep(self.ports(process), time_left=process.time_left)
                unpack_strays(buckets, buckets=BUCKETS, now=process.clock(), time_left=process.time_left)
            except Unavailable as trouble:
                self.engine.note(f"sweep: {trouble}")

        self.engine.start("sweep", 300, look)
