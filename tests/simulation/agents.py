"""Histories in which agents run the commands of jobs: they die, freeze and come back, are cut off and leave; pools have none for minutes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from minutehand.adapters.memory import MemoryCredentialIssuer, MemoryNodes
from minutehand.domain.actor import Actor
from minutehand.domain.deadlines import LEASE_MARGIN, LONGEST_CALL
from minutehand.domain.errors import Conflict, NotAllowed, NotFound, Unavailable
from minutehand.domain.job import Job
from minutehand.domain.node import LIVE_FOR, Asked, Machine, Node, NodeKey, PoolKey
from minutehand.domain.outcome import Outcome
from minutehand.domain.policies import Backoff, Retry
from minutehand.domain.run import RunState
from minutehand.domain.run_key import RunKey
from minutehand.targets.command.caller import CommandCaller
from minutehand.targets.command.fields import CommandTarget
from minutehand.targets.command.orders import Order
from minutehand.usecases.agents import beats, clean_up, registering, reports, starting
from minutehand.usecases.agents.beats import Heard, Running
from minutehand.usecases.agents.forwarding import Forwarding
from minutehand.usecases.agents.registering import Registered
from minutehand.usecases.agents.reports import Recorded, Report
from minutehand.usecases.agents.starting import Started
from minutehand.usecases.definitions import manage
from minutehand.usecases.ports.nodes import Agents
from minutehand.usecases.upkeep.sweep import SWEEP_EVERY
from tests.simulation import drawn
from tests.simulation.agent_process import TAKES, AgentProcess, Held
from tests.simulation.agent_queues import SimulatedPoolQueues
from tests.simulation.engine import START, Process
from tests.simulation.faults import Faulty
from tests.simulation.observed import Called
from tests.simulation.requests import Requests
from tests.simulation.scenario import CHAOS, Scenario
from tests.simulation.workers import Workers

if TYPE_CHECKING:
    from minutehand.domain.audit import AuditRecord
    from minutehand.domain.job_key import JobKey
    from minutehand.usecases.ports.bundle import Ports
    from minutehand.usecases.running.slow_calls import SlowCalls
    from minutehand.usecases.running.worker import Worker
    from tests.simulation.queue import SimulatedQueue

MINUTE = timedelta(minutes=1)
LONGEST_AWAY = 8 * MINUTE
"""How long after the faults the last agent is back."""
FOR_A_REQUEST = 29
"""Seconds in which API Gateway wants an answer."""
TIMES = ((60, 180), (400, 180), (90, 30), (300, 30), (300, 45))
"""Time limits of commands, and the silence of agents after which they are over, in seconds."""
HEARS_OF_IT = 2 * MINUTE
"""After this long at the latest an agent has learned that a run was cancelled, and has ended its command."""
KEPT = 4 * MINUTE
"""How long silent nodes and pools keep their queues, in histories with clean-ups. In these, sweeps find what is lost with a queue."""


class Ran(NamedTuple):
    """A command that an agent ran. `until` leaves out what nobody could end in time."""

    run: RunKey
    attempt: int
    node: NodeKey
    session: str
    began: datetime
    until: datetime


class Pools(Scenario):
    """One seeded history. Its jobs are commands, of one pool or of two; some name a node.

    Attributes:
        names: those that the nodes of a pool may have; one of them is drawn.
        nodes: the names under which agents register, in their pools.
        sweeps: whether there are sweeps, and whatever only they find: messages that are lost, queues that are removed.
        commands: what agents ran, as each ended.
        rooms: how much room each process had, from each instant on.
        registrations: the sessions that were stored for each node, in order.
        refused: reports that the API refused.
        unheard: commands that ran on although their runs were cancelled.
        robbed: names that were taken from processes that were heard from.
        asks: what operators asked of nodes, as it was stored.
        defects: what requests raised that nothing expects.
    """

    calm = 20 * MINUTE
    quiet = Scenario.quiet + 10 * MINUTE
    names: Sequence[Sequence[str]] = (("a",), ("a", "b"), ("a", "b", "c"))

    def __init__(self, seed: int, *, trace: bool = False) -> None:
        super().__init__(seed, trace=trace)
        self.draws = Random(f"agents {seed}")
        self.sweeps = self.draws.random() < 0.35
        names = self.draws.choice(self.names)
        pools = [PoolKey("sim", name) for name in self.draws.choice((("web",), ("web", "db")))]
        self.nodes = [NodeKey(pool, name) for pool in pools for name in names]
        self.processes: dict[NodeKey, list[AgentProcess]] = {node: [] for node in self.nodes}
        self.commands: list[Ran] = []
        self.rooms: dict[AgentProcess, list[tuple[datetime, int]]] = {}
        self.registrations: dict[NodeKey, list[tuple[datetime, str]]] = {node: [] for node in self.nodes}
        self.defects: list[str] = []
        self.unheard: list[str] = []
        self.robbed: list[str] = []
        self.asks: dict[NodeKey, list[tuple[datetime, Asked]]] = {node: [] for node in self.nodes}
        self.refused: list[tuple[Held, Recorded]] = []
        self.pool_queues = SimulatedPoolQueues(self.engine, AgentProcess.register_again)
        self.node_store = ObservedNodes(self)
        self.requests = CommandRequests(self)
        self.workers = ForwardingWorkers(self)
        self.queue.deliver, self.slow.deliver = self.workers.work, self.workers.work_slow
        self._sessions = 0

    def agents(self, process: Process) -> Agents:
        """The ports about agents of a process, each with its faults."""
        return Agents(
            Faulty(process, self.node_store),
            Faulty(process, self.pool_queues),
            MemoryCredentialIssuer(self.state, process.clock),
        )

    def command(self, job: Job) -> Job:
        """A job with a command in place of its target; rarely as it was."""
        draws = self.draws
        if draws.random() < 0.05:
            return job
        node = draws.choice(self.nodes)
        timeout, heartbeat = (timedelta(seconds=n) for n in draws.choice(TIMES))
        named = node.name if draws.random() < 0.4 else None
        target = CommandTarget(pool=node.pool.name, node=named, command="work", heartbeat=heartbeat)
        retry = Retry(draws.choice((1, 3)), Backoff(timedelta(seconds=draws.choice((1, 20, 900)))))
        return replace(
            job, target=target, timeout=timeout, retry=retry, run_timeout=draws.choice((None, None, 6 * MINUTE))
        )

    def serve(self, name: str, do: Callable[[Process], Any], answers: list[Any]) -> None:
        """Have the function of the API do what an agent asks; the answer, or the refusal, is added to `answers`."""

        def answer(process: Process) -> None:
            try:
                found = do(process)
            except (Conflict, NotAllowed, NotFound, Unavailable) as error:
                found = error
            except Exception as defect:  # noqa: BLE001 - an answer with the status 500, which the judge tells of
                self.defects.append(f"{name}: {defect!r}")
                found = Unavailable("a defect")
            answers.append(found)

        self.engine.start(name, FOR_A_REQUEST, answer)

    def register(self, process: Process, node: NodeKey, machine: Machine, session: str) -> Registered:
        return registering.register(self.agents(process), node, machine, session, process.clock)

    def leave(self, process: Process, node: NodeKey, session: str) -> bool:
        registering.leave(self.agents(process).nodes, node, session)
        return True

    def beat(self, process: Process, node: NodeKey, session: str, running: Sequence[Running]) -> Heard:
        return beats.beat(self.ports(process), self.agents(process).nodes, node, session, running)

    def record(self, process: Process, told: Sequence[Report]) -> Sequence[Recorded]:
        return reports.record(self.ports(process), told)

    def start(
        self, process: Process, node: NodeKey, session: str, asked: Sequence[tuple[RunKey, int]], tokens: Sequence[str]
    ) -> Sequence[Started]:
        orders: dict[RunKey, Order] = {}

        def keep(order: Order) -> None:
            orders[RunKey(order.job, order.run_id)] = order

        ports, agents = self.ports(process), self.agents(process)
        worker = self.workers.starter(process, ports, CommandCaller(keep))
        return starting.start(
            asked, node, session, ports=ports, agents=agents, worker=worker, orders=orders, tokens=tokens
        )

    def takes(self, held: Held) -> float:
        """How many seconds a command takes."""
        return self.engine.random.choice(TAKES)

    def attend(self, process: AgentProcess) -> None:
        """Have a process take messages of its pool and its inbox."""
        for served in (process.node, process.node.pool):
            takers = self.pool_queues.takers.setdefault(served, [])
            if process not in takers:
                takers.append(process)
        self.has_room(process)

    def has_room(self, process: AgentProcess) -> None:
        """Note how much room a process has, and offer it what waits."""
        known = self.rooms.setdefault(process, [])
        known.append((self.engine.now, process.room))
        for served in (process.node, process.node.pool) if process.room else ():
            if queue := self.pool_queues.queues.get(served):
                self.engine.after(0.01, queue.offer)

    def ran(self, process: AgentProcess, held: Held, until: datetime) -> None:
        """Note that a command has ended. One that was cancelled counts until then, although it takes a while to end."""
        stored = self.state.runs[held.key]
        if stored.state is RunState.CANCELLED and stored.finished_at is not None:
            if until < stored.finished_at + HEARS_OF_IT:
                until = min(until, stored.finished_at - timedelta(seconds=1))
            elif not held.unsupervised and until > stored.finished_at + HEARS_OF_IT:
                self.unheard.append(f"{held.key}: cancelled at {stored.finished_at}, and its command ran until {until}")
        until = max(until, held.began)
        ran = Ran(held.key, held.order.attempt, process.node, process.session, held.began, until)
        self.commands.append(ran)
        self.history.calls.append(Called(ran.run, ran.attempt, ran.began, until))

    def answered(self, held: Held, outcome: Outcome) -> None:
        """Note what is about to be reported."""
        self.history.answers.add((held.key, held.order.attempt, outcome.state))

    def recorded(self, held: Held, answer: Recorded) -> None:
        """Note the answer to a report."""
        if answer.run is None:
            self.engine.note(f"    refused: {answer.problem}")
            self.refused.append((held, answer))

    def ended(self, process: AgentProcess) -> None:
        """Start another process where one has ended by itself."""
        self._joins_after(process.node, self.draws.uniform(5, 300))

    def _prepare(self) -> None:
        super()._prepare()
        draws, chaos = self.draws, CHAOS.total_seconds()
        for node in self.nodes:
            self.engine.after(draws.choice((0, 0, draws.uniform(0, 300))), lambda node=node: self._join(node))
            for _ in range(draws.choice((0, 1, 3, 6))):
                trouble = draws.choice(
                    (
                        self._dies,
                        self._dies,
                        self._freezes,
                        self._freezes,
                        self._is_cut_off,
                        self._leaves,
                        self._has_a_double,
                    )
                )
                at = START + draws.uniform(0.05, 1) * CHAOS
                self.engine.at(at, lambda node=node, trouble=trouble: trouble(node))
        if draws.random() < 0.5:
            pool, at = draws.choice(self.nodes).pool, START + timedelta(seconds=draws.uniform(0, chaos))
            self.engine.at(at, lambda: self._loses_all(pool))
        for job in self.jobs:
            for _ in range(draws.choice((0, 1, 3))):
                self.engine.at(START + draws.uniform(0.1, 1) * CHAOS, lambda job=job: self.requests.save(job))
        back = START + CHAOS + LONGEST_AWAY
        for _ in range(draws.choice((0, 0, 1, 3))):
            node, asked = draws.choice(self.nodes), draws.choice(list(Asked))
            self.engine.at(START + draws.uniform(0, 1) * CHAOS, lambda node=node, asked=asked: self._ask(node, asked))
        for node in self.nodes:
            self.engine.at(back - draws.uniform(0, 8) * MINUTE, lambda node=node: self._ask(node, Asked.RUN))
            self.engine.at(back, lambda node=node: self._join(node))
        if self.sweeps:
            for turn in range((CHAOS + LONGEST_AWAY) // (MINUTE / 2)):
                self.engine.at(START + turn * MINUTE / 2, self._clean_up)

    def _plan_sweeps(self) -> None:
        """Without sweeps, nothing may be lost that only they find."""
        for turn in range((CHAOS + self.quiet) // SWEEP_EVERY if self.sweeps else 0):
            self.engine.at(START + turn * SWEEP_EVERY + timedelta(seconds=self.draws.uniform(0, 20)), self._sweep)
        if self.sweeps and self.draws.random() < 0.3:
            self.engine.at(START + self.draws.uniform(0.1, 1) * CHAOS, self._lose_messages)

    def _process(self, node: NodeKey) -> AgentProcess | None:
        """The newest process of a node, if it is there."""
        newest = self.processes[node][-1:]
        return next((process for process in newest if not (process.process.dead or process.sent_away)), None)

    def _join(self, node: NodeKey) -> None:
        if self._process(node) is None:
            self._begin(node)

    def _begin(self, node: NodeKey) -> None:
        self._sessions += 1
        process = AgentProcess(self, node, f"{node.name}-{self._sessions}")
        self.processes[node].append(process)
        process.begin()

    def _joins_after(self, node: NodeKey, seconds: float) -> None:
        """Start a process of a node some time from now, unless it has one by then."""
        latest = START + CHAOS + LONGEST_AWAY
        self.engine.at(
            min(self.engine.now + timedelta(seconds=seconds), max(latest, self.engine.now)), lambda: self._join(node)
        )

    def _dies(self, node: NodeKey) -> None:
        if process := self._process(node):
            away = self.draws.choice((5, 60, 200, 500)) * self.draws.uniform(0.5, 1.2)
            self._befalls(process, lambda: self._is_dead(process, away))

    def _befalls(self, process: AgentProcess, trouble: Callable[[], None]) -> None:
        """Have a trouble come now, or as soon as the process has received a message or begun a command."""
        if (when := self.draws.choice(("now", "received", "began"))) == "now":
            trouble()
        else:
            process.struck[when] = trouble

    def _is_dead(self, process: AgentProcess, away: float) -> None:
        process.die()
        self._joins_after(process.node, away)

    def _freezes(self, node: NodeKey) -> None:
        """The process stands still. Sometimes another one takes its name meanwhile."""
        if process := self._process(node):
            lasts = self.draws.choice((8, self.draws.uniform(30, 80), self.draws.uniform(30, 80), 300))
            self._befalls(process, lambda: self._is_frozen(process, lasts))

    def _is_frozen(self, process: AgentProcess, lasts: float) -> None:
        self.engine.note(f"{process.session} freezes for {lasts:.0f} s")
        process.frozen_until = self.engine.now + timedelta(seconds=lasts)
        self.has_room(process)
        if lasts > 200 and self.draws.random() < 0.8:
            self.engine.after(self.draws.uniform(5, 150), lambda: self._replaces(process.node, process))

    def _replaces(self, node: NodeKey, frozen: AgentProcess) -> None:
        if self._process(node) is frozen:
            self._begin(node)

    def _has_a_double(self, node: NodeKey) -> None:
        """Somebody starts another process with a name that is in use, and ends it after some minutes."""
        if self._process(node):
            self._begin(node)
            double = self.processes[node].pop()
            self.processes[node].insert(0, double)
            self.engine.after(self.draws.uniform(100, 300), double.die)

    def _is_cut_off(self, node: NodeKey) -> None:
        if process := self._process(node):
            lasts = self.draws.choice((20, 60, 60, 200, 400))
            self.engine.note(f"{process.session} is cut off for {lasts} s")
            process.cut_off_until = self.engine.now + timedelta(seconds=lasts)
            self.has_room(process)

    def _leaves(self, node: NodeKey) -> None:
        if process := self._process(node):
            process.leave()

    def _loses_all(self, pool: PoolKey) -> None:
        """All agents of a pool die, and are back minutes later."""
        lasts = self.draws.uniform(100, 700)
        for node in self.nodes:
            if node.pool == pool:
                if process := self._process(node):
                    process.die()
                self._joins_after(node, lasts)

    def _ask(self, node: NodeKey, asked: Asked) -> None:
        self.requests.ask("ask", lambda ports: registering.ask(self.node_store, node, asked, ports, who=Actor("sim")))

    def _clean_up(self) -> None:
        def remove(process: Process) -> None:
            agents = self.agents(process)
            try:
                clean_up.clean_up(agents.nodes, agents.queues, process.clock())
            except Unavailable as trouble:
                self.engine.note(f"clean-up: {trouble}")

        self.engine.start("clean-up", 60, remove)

    def _lose_messages(self) -> None:
        super()._lose_messages()
        for queue in self.pool_queues.queues.values():
            queue.held.clear()


class ObservedNodes(MemoryNodes):
    """Notes which process registered as a node."""

    def __init__(self, pools: Pools) -> None:
        super().__init__(pools.state)
        self._pools = pools
        self.heard: dict[NodeKey, list[datetime]] = {node: [] for node in pools.nodes}

    def beat(self, key: NodeKey, session: str, running: int, now: datetime) -> Node | None:
        found = super().beat(key, session, running, now)
        if found is not None:
            self.heard[key].append(self._pools.engine.now)
        return found

    def replace(self, before: Node | None, after: Node, audit: AuditRecord | None = None) -> bool:
        pools, now = self._pools, self._pools.engine.now
        stored = self._state.nodes.get(after.key)
        done = super().replace(before, after, audit)
        if done and (stored is None or stored.asked is not after.asked):
            pools.asks[after.key].append((now, after.asked))
        if done and stored is not None and stored.session and after.session not in ("", stored.session):
            if after.seen_at < stored.seen_at + LIVE_FOR - timedelta(seconds=3):
                pools.robbed.append(f"{after.key}: {after.session} took the name of {stored.session} at {now}")
        if done and after.session:
            self.heard[after.key].append(now)
        if done and (before is None or before.session != after.session):
            self._pools.engine.note(f"    node {after.key} is {after.session or 'left'}")
            self._pools.registrations[after.key].append((self._pools.engine.now, after.session))
        return done


class CommandRequests(Requests):
    """Requests that save commands."""

    def save(self, job: JobKey) -> None:
        scenario = self.scenario
        assert isinstance(scenario, Pools)
        definition = scenario.command(drawn.job(scenario, job))
        keep_paused = scenario.engine.random.random() < 0.5
        self.ask("save", lambda ports: manage.save(ports, definition, keep_paused=keep_paused, who=Actor("sim")))


class ForwardingWorkers(Workers):
    """Workers that forward commands, and call other targets themselves; and what starts runs for agents."""

    scenario: Pools

    def worker(self, process: Process, ports: Ports, queue: SimulatedQueue, slow_calls: SlowCalls | None) -> Worker:
        agents = self.scenario.agents(process)
        forward = Forwarding(agents.nodes, agents.queues, ports)
        return super().worker(process, ports, queue, slow_calls)._replace(forward=forward)

    def starter(self, process: Process, ports: Ports, caller: CommandCaller) -> Worker:
        """What the function has that starts runs for agents. Its requests end long before the commands do."""
        return (
            super()
            .worker(process, ports, self.scenario.queue, None)
            ._replace(
                call=caller,
                time_left=lambda: LONGEST_CALL + 2 * LEASE_MARGIN,
                is_called_elsewhere=lambda target: target != CommandTarget.type,
            )
        )
