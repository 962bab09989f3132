"""Targets: they answer, fail, take too long, or accept the work and report later."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING
from zlib import crc32

from minutehand.domain.errors import Conflict, NotAllowed, Unavailable
from minutehand.domain.run import Progress, Run, RunError, RunState
from minutehand.targets.command.fields import CommandTarget
from minutehand.targets.http.fields import HttpTarget, Mode
from minutehand.usecases.completion import answers
from minutehand.usecases.completion.answers import Speaker
from minutehand.usecases.ports.target import Call, Outcome
from tests.simulation.engine import Died, Process
from tests.simulation.observed import Called

if TYPE_CHECKING:
    from tests.simulation.scenario import Scenario


BEATS = (0.4, 0.97, 0.97, 1.5)
"""How often targets send heartbeats, as shares of the time in which one is due: in time, just in time, too late."""

ASKED = (None, None, timedelta(seconds=3), timedelta(seconds=45), timedelta(days=1))
"""Waits for which failing targets ask (Retry-After): none, short, long, longer than any job waits."""


class Targets:
    """All targets that jobs call; each call is recorded in the history."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.engine = scenario.engine

    def call(self, process: Process, target: HttpTarget | CommandTarget, call: Call) -> Outcome:
        """One attempt, made by a worker process, which may die in it."""
        random, run, limit = self.engine.random, call.run, call.timeout.total_seconds()
        self.engine.note(f"    call {run.key.job} {run.key.run_id} #{run.attempt}")
        later = isinstance(target, CommandTarget) or (target.mode is Mode.CALLBACK and random.random() < 0.8)
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
            self.scenario.history.calls.append(Called(run.key, run.attempt, began, self.engine.now, later))
        if later:
            return Outcome(state=RunState.WAITING)
        if takes > limit:
            return self._answered(
                call, Outcome(RunState.TIMED_OUT, error=RunError(type="TimedOut", message="too slow"))
            )
        if random.random() < 0.2:
            error, asked = RunError(type="HttpStatus", message="503"), self._asked(call.run)
            return self._answered(call, Outcome(RunState.FAILED, error=error, retry_after=asked))
        return self._answered(call, Outcome(state=RunState.SUCCEEDED))

    def _asked(self, run: Run) -> timedelta | None:
        """The wait for which a target asks after a failure: about half of them do. Drawn from the attempt itself, so that it shifts no
        other draw."""
        asked = ASKED[crc32(f"{run.key} {run.attempt}".encode()) % len(ASKED)]
        if asked is not None:
            self.scenario.history.asked[run.key, run.attempt] = asked
        return asked

    def _answered(self, call: Call, outcome: Outcome) -> Outcome:
        self.scenario.history.answers.add((call.run.key, call.run.attempt, outcome.state))
        return outcome

    def _answer_later(self, target: HttpTarget | CommandTarget, call: Call) -> None:
        """The work that a target has accepted: it sends heartbeats, and reports unless it dies."""
        random = self.engine.random
        speaker = Speaker(call.run.key, call.run.attempt, call.token)
        takes = random.choice([0.1, 3, 12, 25, 1000])
        every = None if target.heartbeat is None else target.heartbeat.total_seconds() * random.choice(BEATS)
        state = random.choice([RunState.SUCCEEDED, RunState.SUCCEEDED, RunState.FAILED])

        def work(process: Process) -> None:
            ends = self.engine.now + timedelta(seconds=takes)
            while every is not None and self.engine.now + timedelta(seconds=every) < ends:
                process.sleep(every)
                said = self._said(
                    process, lambda: answers.heartbeat(self.scenario.ports(process), speaker, Progress(50, "on it"))
                )
                if said is None or said.state.finished:
                    return
            process.sleep(max((ends - self.engine.now).total_seconds(), 0.001))
            outcome = Outcome(state, error=None if state is RunState.SUCCEEDED else RunError("Broken", "it broke"))
            self._answered(call, outcome)
            self._said(process, lambda: answers.report(self.scenario.ports(process), speaker, outcome))

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
