"""Whatever call fails, and wherever a process dies: each node runs its command once an attempt, and the run ends after all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import product
from typing import NamedTuple

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.errors import Conflict, MinutehandError, Unavailable
from minutehand.domain.outcome import Outcome
from minutehand.domain.run import RunState
from minutehand.domain.run_key import RunKey
from minutehand.usecases.completion.answers import Speaker, report
from minutehand.usecases.completion.cancel import cancel
from minutehand.usecases.ports.messages import Message, Received
from minutehand.usecases.ports.target import Call
from tests.unit.domain.examples import MINUTE, at
from tests.unit.usecases.agents.serving import WAITS
from tests.unit.usecases.agents.spreading import FAILS, SUCCEEDS, Spreading
from tests.unit.usecases.crashes import MOST_CALLS, Died, Trouble

PORTS = ("definitions", "runs", "spreads", "nodes", "queues", "outputs", "permits", "timers", "outbox", "inbox")
STEP = timedelta(seconds=10)
TAKES = timedelta(seconds=20)
END = "09:13"


class Command(NamedTuple):
    """A command that a node runs."""

    node: str
    call: Call
    began: datetime

    @property
    def until(self) -> datetime:
        """When it ends. An agent ends it at its deadline."""
        return min(self.began + TAKES, self.call.deadline)


class Nodes:
    """The agents of a stage. Each runs what it has an order for, for 20 seconds, and reports until it is answered.

    Attributes:
        begun: how often each attempt of each run began.
        most: how many commands were under way at once.
        late: what was under way although the whole run had ended.
    """

    def __init__(self, stage: Spreading, outcome: Callable[[str], Outcome] = lambda _: SUCCEEDS) -> None:
        self.stage, self.outcome = stage, outcome
        self.running: list[Command] = []
        self.begun: Counter[tuple[RunKey, int]] = Counter()
        self.most = 0
        self.late: list[str] = []

    def act(self) -> None:
        stage = self.stage
        stage.keep_alive()
        for name in "abc":
            for message in [one for one in stage.of(stage.node(name)) if one.not_before <= stage.now]:
                self._asks(name, message)
        for command in [one for one in self.running if one.until <= stage.now]:
            self._reports(command)
        under_way = [command.node for command in self.running if stage.now < command.until]
        self.most = max(self.most, len(under_way))
        if stage.nine.state.finished:
            self.late += under_way

    def _asks(self, name: str, message: Message) -> None:
        stage, calls = self.stage, []
        waiting = stage.state.pool_queues[stage.node(name)]
        waiting.remove(message)

        def note(call: Call) -> Outcome:
            calls.append(call)
            return WAITS

        started = None
        with suppress(Died, MinutehandError):
            [started] = stage.starts(message.run, node=stage.node(name), session=f"session-{name}", call=note)
        if started is None or started.decision.value == "hide":
            waiting.append(message._replace(not_before=stage.now + timedelta(minutes=1)))
        elif started.decision.value == "run":
            self.begun[message.run, calls[-1].run.attempt] += 1
            self.running.append(Command(name, calls[-1], stage.now))

    def _reports(self, command: Command) -> None:
        run = command.call.run
        with suppress(Died, Unavailable):
            with suppress(Conflict):  # it was heard before, or is too late
                report(self.stage.ports, Speaker(run.key, run.attempt, command.call.token), self.outcome(command.node))
            self.running.remove(command)


def live(stage: Spreading, nodes: Nodes, meanwhile: Callable[[], None] = lambda: None) -> None:
    """Let time pass: a tick each minute, the function of the agents, and the agents."""
    while stage.now <= at(END):
        if stage.now.second == 0:
            with suppress(Died, Unavailable):
                stage.tick()
        arrived = [message for message in stage.state.messages if message.not_before <= stage.now]
        stage.state.messages[:] = [message for message in stage.state.messages if message.not_before > stage.now]
        for message in arrived:
            deletable = False
            with suppress(Died):
                forwarding = stage.forwarding()
                received = Received(run=message.run, attempt=message.attempt, receipt="r")
                [handled] = stage.execute([received], forward=forwarding, spread=forwarding.begin)
                deletable = handled.deletable
            if not deletable:
                stage.state.messages.append(message._replace(not_before=stage.now + STEP))
        nodes.act()
        with suppress(Died, Unavailable):
            meanwhile()
        stage.now += STEP


def troubles(play: Callable[[], Spreading], scene: Callable[[Spreading], Nodes]) -> Iterator[tuple[str, Nodes]]:
    """What the agents of a scene saw, once for each trouble that may befall it, with the trouble in words."""
    stage = play()
    before = {name: getattr(stage, name).calls.copy() for name in PORTS}
    yield "nothing went wrong", scene(stage)
    calls = [(port, method, n) for port in PORTS for method, n in (getattr(stage, port).calls - before[port]).items()]
    for (port, method, count), dies, after_effect in product(calls, (False, True), (False, True)):
        for call in range(1, min(count, MOST_CALLS) + 1):
            again = play()
            trouble = Trouble(port, method, call, dies, after_effect)
            trouble.befall(again)
            yield str(trouble), scene(again)


def judge(why: str, nodes: Nodes) -> None:
    """What holds in every history."""
    stage = nodes.stage
    active = [
        run.key.run_id
        for run in stage.state.runs.values()
        if not run.state.finished and run.scheduled_for <= at("09:00")
    ]
    assert not active, (why, active)
    assert not nodes.running, why
    assert not nodes.late, (why, nodes.late)
    assert set(nodes.begun.values()) <= {1}, (why, nodes.begun)
    shares = [
        run for run in stage.state.runs.values() if run.share is not None and run.share.attempt == stage.nine.attempt
    ]
    names = Counter(run.share.node for run in shares if run.share)
    assert set(names.values()) <= {1}, (why, names)
    left = [message.run for message in stage.state.messages if message.run.scheduled_for <= at("09:00")]
    assert not left, (why, left)


def play(**command: object) -> Spreading:
    return Spreading("abc", command={"count": "all", **command}, timeout=3 * MINUTE)


def scene(stage: Spreading) -> Nodes:
    nodes = Nodes(stage)
    live(stage, nodes)
    return nodes


@pytest.mark.parametrize("max_parallel", [None, 1])
def test_whatever_fails_each_node_runs_once_and_the_run_ends_after_all_of_them(max_parallel: int | None) -> None:
    for why, nodes in troubles(lambda: play(max_parallel=max_parallel), scene):
        judge(why, nodes)
        assert nodes.most <= (max_parallel or 3), why
        states = nodes.stage.states
        lost = (
            RunState.LOST in (nodes.stage.nine.state, *states.values()) or nodes.stage.nine.state is RunState.TIMED_OUT
        )
        if not lost:
            assert nodes.stage.nine.state is RunState.SUCCEEDED, (why, states, nodes.stage.nine)
            assert len(states) >= 3, why


def failing(stage: Spreading) -> Nodes:
    nodes = Nodes(stage, lambda node: FAILS._replace(final=True) if node == min(stage.shares) else SUCCEEDS)
    live(stage, nodes)
    return nodes


def test_whatever_fails_a_run_that_cannot_succeed_ends_after_what_it_started() -> None:
    for why, nodes in troubles(lambda: play(max_parallel=2), failing):
        judge(why, nodes)
        assert nodes.stage.nine.state in (RunState.FAILED, RunState.TIMED_OUT, RunState.LOST), (why, nodes.stage.nine)


def cancelled(stage: Spreading) -> Nodes:
    nodes = Nodes(stage)

    def once() -> None:
        if stage.now == at("09:00") + STEP and not stage.nine.state.finished:
            cancel(stage.ports, stage.nine.key, who=Actor("ada"))

    live(stage, nodes, once)
    return nodes


def test_whatever_fails_a_cancelled_run_ends_after_what_it_started() -> None:
    for why, nodes in troubles(lambda: play(max_parallel=2), cancelled):
        judge(why, nodes)
