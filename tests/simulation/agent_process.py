"""An agent as the API sees it: it registers, beats, asks for starts, runs commands, and reports; it dies, freezes, and is cut off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from minutehand.domain.errors import Conflict, MinutehandError, Unavailable
from minutehand.domain.node import Asked, Machine, NodeKey, StartAnswer
from minutehand.domain.outcome import ErrorType, Outcome
from minutehand.domain.run import Progress, RunError, RunState
from minutehand.domain.run_key import RunKey
from minutehand.targets.command.orders import Order
from minutehand.usecases.agents.beats import Running
from minutehand.usecases.agents.reports import Report
from minutehand.usecases.completion.answers import Speaker
from minutehand.usecases.ports.messages import Received
from tests.simulation.engine import START, Died, Process

if TYPE_CHECKING:
    from tests.simulation.agent_queues import AgentQueue
    from tests.simulation.agents import Pools

LIFE = timedelta(days=1).total_seconds()
SECOND = timedelta(seconds=1)
TIMEOUT = 15 * SECOND
"""How long an agent waits for an answer."""
BEAT_EVERY = 60 * SECOND
LOOK = 5 * SECOND
"""How often it looks whether a beat is due, which is sooner once it holds an attempt."""
MARGIN = 15 * SECOND
"""How long before the end of its lease, or before its deadline, a command begins to end, at most."""
GRACE = 10 * SECOND
"""From TERM to KILL, at most."""
DRAINED = timedelta(minutes=3)
"""How long an agent that is told to end waits for its commands."""
TAKES = (0.5, 3, 3, 20, 70, 2000)
"""Seconds that commands take; the last outlasts every time limit."""


class Unreached(Exception):
    """The API did not answer, as far as the agent knows."""


@dataclass(eq=False)
class Held:
    """An attempt that an agent holds.

    Attributes:
        asked_at: when the request was made that started it.
        renewed: when the last request was made that renewed its lease.
        began: when the command did.
        grace: from TERM to KILL.
        stop: why the command is to end before its own end; empty while it may go on.
        unsupervised: whether the agent froze meanwhile, so that nobody could end the command in time.
        over: whether the command has ended.
    """

    order: Order
    asked_at: datetime
    renewed: datetime
    began: datetime
    grace: timedelta = GRACE
    stop: str = ""
    unsupervised: bool = False
    over: bool = False

    @property
    def key(self) -> RunKey:
        return RunKey(self.order.job, self.order.run_id)

    @property
    def speaker(self) -> Speaker:
        return Speaker(self.key, self.order.attempt, self.order.token)

    @property
    def lease_ends(self) -> datetime:
        """When the lease ends, as far as the agent knows."""
        return min(self.renewed + self.order.heartbeat * SECOND, self.asked_at + self.order.timeout * SECOND)

    @property
    def last_safe(self) -> datetime | None:
        """When the command has to begin to end, so that none is left when another begins; None if nobody takes over."""
        return self.lease_ends - self.margin if self.order.takeovers else None

    @property
    def limit(self) -> datetime:
        """When the command begins to end for its time limit."""
        return self.asked_at + self.order.timeout * SECOND - self.reserve

    @property
    def reserve(self) -> timedelta:
        return min(MARGIN, self.order.timeout * SECOND / 10)

    @property
    def margin(self) -> timedelta:
        return min(MARGIN, self.order.heartbeat * SECOND / 2)


class AgentProcess:
    """One process of an agent. Its threads are greenlets of one process, which freeze and die together.

    Attributes:
        room: how many more commands it takes now.
        sent_away: when the API said that another process has its name; None if it did not.
    """

    def __init__(self, pools: Pools, node: NodeKey, session: str) -> None:
        self.pools, self.node, self.session = pools, node, session
        self.engine = pools.engine
        self.process = Process(self.engine, f"agent {session}", LIFE)
        self.slots = self.engine.random.choice((1, 2, 3))
        self.insistent = self.engine.random.random() < 0.5
        """Whether it sends reports that are too late."""
        self.held: dict[tuple[RunKey, int], Held] = {}
        self.sent_away: datetime | None = None
        self.frozen_until = self.cut_off_until = START
        self.struck: dict[str, Callable[[], None]] = {}
        """What befalls it once it has `received` a message, before it asks; and once it `began` a command."""
        self._taken = 0
        self._registered = self._connected = self._paused = self._closed = self._reports = False
        self._ended: list[tuple[Held, Outcome]] = []

    def begin(self) -> None:
        """Start the process."""
        self._aside(self._serve)

    def die(self) -> None:
        """Lose power: its commands end with it."""
        if self.process.dead:
            return
        self.engine.note(f"{self.session} dies")
        self.process.dead = True
        for held in self.held.values():
            self._ran(held)
        self.pools.has_room(self)

    def leave(self) -> None:
        """Be told to end: take no more work, wait for the commands, and leave."""
        self._closed = True
        self.pools.has_room(self)
        self._aside(self._leaving)

    def register_again(self) -> None:
        """Notice after a while that a queue is missing, and register again, which makes it."""
        self._aside(self._registering_again)

    @property
    def is_free(self) -> bool:
        """Whether it takes work, as far as it and its network are concerned."""
        now = self.engine.now
        there = not self.process.dead and now >= self.frozen_until and now >= self.cut_off_until
        return there and self._registered and self._connected and not self._paused and not self._closed

    @property
    def room(self) -> int:
        return self.slots - self._taken if self.is_free else 0

    def take(self, queue: AgentQueue, received: Sequence[Received]) -> None:
        """Ask to start what was received."""
        self._is_struck("received")
        self._taken += len(received)
        self.pools.has_room(self)
        self._aside(lambda: self._start(queue, received))

    def _aside(self, do: Callable[[], None]) -> None:
        def alone() -> None:
            with suppress(Died):
                self._sleep(0.001)
                do()

        self.engine.after(0, alone)

    def _sleep(self, seconds: float) -> None:
        self.process.sleep(seconds)
        while self.engine.now < self.frozen_until:
            for held in self.held.values():
                held.unsupervised = True
            self.process.sleep((self.frozen_until - self.engine.now).total_seconds() + 0.001)

    def _pause(self, failures: int) -> None:
        self._sleep(self.engine.random.uniform(0.5, 1) * min(15, 2**failures))

    def _ask(self, name: str, do: Callable[[Process], Any]) -> Any:
        """Make a request, and once more if nothing is answered.

        Raises:
            Unreached: if the API did not answer; it may have done what was asked.
            MinutehandError: if it refused.
        """
        for _ in range(2):
            answers: list[Any] = []
            arrives = not self._cut_off and not self.engine.chance(0.01)
            gives_up = self.engine.now + TIMEOUT
            if arrives:
                self.pools.serve(name, do, answers)
            returns = not self.engine.chance(0.02)
            while not (answers and returns) and self.engine.now < gives_up and not self._cut_off:
                self._sleep(0.05 if arrives and returns else 1)
            if answers and returns and not self._cut_off and not isinstance(answers[0], Unavailable):
                if isinstance(answers[0], MinutehandError):
                    raise answers[0]
                return answers[0]
            self._sleep(self.engine.random.uniform(0.1, 1))
        raise Unreached

    @property
    def _cut_off(self) -> bool:
        return self.engine.now < self.cut_off_until

    def _serve(self) -> None:
        failures = 0
        while True:
            with suppress(Conflict):  # another process has the name, which may have died
                if self._register():
                    break
            failures += 1
            self._pause(failures)
        self._beats()

    def _register(self) -> bool:
        machine = Machine(f"{self.node.name}.sim", "1.0", self.slots)
        try:
            self._ask("register", lambda p: self.pools.register(p, self.node, machine, self.session))
        except Unreached:
            return False
        self._registered = self._connected = True
        self.pools.attend(self)
        return True

    def _registered_again(self) -> bool:
        try:
            return self._register()
        except Conflict as refusal:
            self._refused(refusal)
            return True

    def _registering_again(self) -> None:
        self._sleep(self.engine.random.uniform(0.1, 20))
        failures = 0
        while self._registered and not self._closed and not self._registered_again():
            failures += 1
            self._pause(failures)

    def _beats(self) -> None:
        failures = 0
        while self._registered:
            sent_at = self.engine.now
            if self._beat(sent_at):
                failures = 0
                while (left := sent_at + self._interval() - self.engine.now).total_seconds() > 0:
                    self._sleep(min(left, LOOK).total_seconds())
            else:
                failures += 1
                self._pause(failures)

    def _interval(self) -> timedelta:
        return min([BEAT_EVERY, *(held.order.heartbeat * SECOND / 3 for held in self.held.values())])

    def _beat(self, sent_at: datetime) -> bool:
        told = [held for held in self.held.values() if held.stop not in ("unwanted", "lease")]
        running = [Running(held.speaker, Progress(50, "on it")) for held in told]
        try:
            heard = self._ask("beat", lambda p: self.pools.beat(p, self.node, self.session, running))
        except Unreached:
            self._connect(False)
            return False
        for held in told:
            if held.speaker in heard.unwanted:
                held.stop = held.stop or "unwanted"
            else:
                held.renewed = max(held.renewed, sent_at)
        if heard.node is None:
            return self._closed or self._registered_again()
        self._connect(True)
        self._paused = heard.node.asked is Asked.PAUSE
        if heard.node.asked is Asked.DRAIN and not self._closed:
            self.leave()
        self.pools.has_room(self)
        return True

    def _connect(self, connected: bool) -> None:
        self._connected = connected
        self.pools.has_room(self)

    def _refused(self, refusal: Conflict) -> None:
        """Take no more work: another process has the name. The commands go on, and are reported."""
        if not self.sent_away:
            self.engine.note(f"{self.session}: {refusal}")
            self.sent_away, self._closed = self.engine.now, True
            self.pools.has_room(self)
            self.pools.ended(self)
        if not self.held:
            self._registered = False

    def _start(self, queue: AgentQueue, received: Sequence[Received]) -> None:
        asked_at, used = self.engine.now, 0
        done, hidden = [], []
        asked = [(message.run, message.attempt) for message in received]
        tokens = [f"{self.session} {asked_at.isoformat()} {message.receipt}" for message in received]
        try:
            started = self._ask("starts", lambda p: self.pools.start(p, self.node, self.session, asked, tokens))
        except (Unreached, Conflict) as trouble:
            self.engine.note(f"{self.session}: no answer about starts: {trouble}")
            self._connect(False)
            started = []
        for message, answer in zip(received, started, strict=False):
            if answer.decision is StartAnswer.HIDE:
                hidden.append((message.receipt, answer.seconds))
                continue
            if answer.decision is StartAnswer.RUN:
                used += self._run(answer.order, asked_at)
            done.append(message.receipt)
        self._free(len(received) - used)
        self._sleep(0.01)
        for receipt in done:
            if not self.engine.chance(0.02):
                queue.delete(receipt)
        for receipt, seconds in hidden:
            if not self.engine.chance(0.02):
                queue.hide(receipt, seconds * SECOND)

    def _run(self, order: Order, asked_at: datetime) -> bool:
        now = self.engine.now
        held = Held(order, asked_at, asked_at, now, unsupervised=self.frozen_until > asked_at)
        late = now >= min(held.limit, held.lease_ends - held.margin)
        if late or (held.key, order.attempt) in self.held:
            return False
        self.held[held.key, order.attempt] = held
        self.engine.note(f"    {self.session} runs {held.key.job} {held.key.run_id} #{order.attempt}")
        self._aside(lambda: self._command(held))
        self._is_struck("began")
        return True

    def _is_struck(self, when: str) -> None:
        if (strike := self.struck.pop(when, None)) and self.engine.faults:
            strike()

    def _command(self, held: Held) -> None:
        """Run the command to its end, and put its report in line."""
        random = self.engine.random
        natural = held.began + self.pools.takes(held) * SECOND
        while not held.stop and (now := self.engine.now) < natural:
            if now >= held.limit:
                held.stop, held.grace = "time", min(GRACE, held.reserve * 2 / 3)
            elif held.last_safe is not None and now >= held.last_safe:
                held.stop, held.grace = "lease", min(GRACE, held.margin * 2 / 3)
            else:
                self._sleep(min((natural - now).total_seconds(), 1))
                if self.engine.now > now + LOOK:  # the clock by which it waits may have stood still
                    self._sleep(random.uniform(0, LOOK.total_seconds()))
        if held.stop:
            self._sleep(0.1 if random.random() < 0.8 else max(held.grace.total_seconds(), 0.1))
        self._ran(held)
        if held.stop in ("unwanted", "lease"):
            self._let_go(held)
            return
        self._ended.append((held, self._outcome(held)))
        if not self._reports:
            self._reports = True
            self._aside(self._report)

    def _outcome(self, held: Held) -> Outcome:
        if held.stop == "time":
            return Outcome(RunState.TIMED_OUT, error=RunError(ErrorType.TIMED_OUT, "too slow"))
        if held.stop == "agent":
            return Outcome(RunState.FAILED, error=RunError("AgentStopped", "the agent was told to end"))
        state = self.engine.random.choice(
            (*(RunState.SUCCEEDED,) * 7, RunState.FAILED, RunState.FAILED, RunState.SKIPPED)
        )
        if state is RunState.FAILED:
            return Outcome(state, error=RunError("ExitCode", "the exit code is 1"))
        return Outcome(state, final=state is RunState.SKIPPED)

    def _ran(self, held: Held) -> None:
        """Note that a command has ended. What ran on when nobody could end it, or when nobody was to take over, counts until its lease."""
        if held.over:
            return
        held.over = True
        lone = held.unsupervised or not held.order.takeovers
        self.pools.ran(self, held, min(self.engine.now, held.lease_ends - SECOND) if lone else self.engine.now)

    def _report(self) -> None:
        failures = 0
        while self._ended:
            for held, _ in [each for each in self._ended if self._is_late(each[0])]:
                self._settle(held)
            batch = self._ended[:10]
            told = [Report(held.speaker, outcome) for held, outcome in batch]
            for held, outcome in batch:
                self.pools.answered(held, outcome)
            try:
                recorded = self._ask("report", lambda p, told=told: self.pools.record(p, told)) if told else ()
            except Unreached:
                self._connect(False)
                failures += 1
                self._pause(failures)
                continue
            failures = 0
            for (held, _), answer in zip(batch, recorded, strict=True):
                self.pools.recorded(held, answer)
                self._settle(held)
        self._reports = False

    def _is_late(self, held: Held) -> bool:
        spans = 1 if held.order.takeovers else 2
        return not self.insistent and self.engine.now >= held.renewed + spans * held.order.heartbeat * SECOND

    def _settle(self, held: Held) -> None:
        self._ended = [each for each in self._ended if each[0] is not held]
        self._let_go(held)

    def _let_go(self, held: Held) -> None:
        if self.held.pop((held.key, held.order.attempt), None) is not None:
            self._free(1)

    def _free(self, slots: int) -> None:
        self._taken -= slots
        self.pools.has_room(self)

    def _leaving(self) -> None:
        ends = self.engine.now + DRAINED
        while self._taken and self.engine.now < ends:
            self._sleep(1)
        for held in self.held.values():
            held.stop = held.stop or "agent"
        last = self.engine.now + 30 * SECOND
        while self._taken and self.engine.now < last:
            self._sleep(1)
        self._registered = False
        with suppress(Unreached, Conflict):
            self._ask("leave", lambda p: self.pools.leave(p, self.node, self.session))
        self.die()
        self.pools.ended(self)
