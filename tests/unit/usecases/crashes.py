"""Whatever call fails: a scene is played again and again, and each time another call to a port goes wrong in another way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from itertools import product
from typing import NamedTuple

from minutehand.domain.errors import Unavailable
from minutehand.domain.run import Run, RunState
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.target import Call, Outcome
from minutehand.usecases.running.acknowledge import HAND_BACK
from tests.unit.domain.examples import at
from tests.unit.usecases.stage import Stage

PORTS = ("timers", "definitions", "runs", "outputs", "permits", "outbox", "inbox")
STEP = timedelta(seconds=10)
MOST_CALLS = 5
"""Of one method: later ones are as those before."""


class Died(BaseException):
    """The process ended here: nothing catches it but who plays the scene."""


class Trouble(NamedTuple):
    """What goes wrong: the how manieth call of which method, how often in a row, and whether it took effect."""

    port: str
    method: str
    call: int
    dies: bool
    after_effect: bool

    def __str__(self) -> str:
        how = "the process died" if self.dies else "no answer"
        return f"{self.port}.{self.method}, call {self.call}: {how} {'after' if self.after_effect else 'before'} it"

    def befall(self, stage: Stage) -> None:
        """Have it happen."""
        port = getattr(stage, self.port)
        port.before(self.method, *[lambda: None] * (self.call - 1))
        error = Died(str(self)) if self.dies else Unavailable(str(self))
        port.fails(self.method, times=1 if self.dies else 4, after_effect=self.after_effect, error=error)


def whatever_fails(play: Callable[[], Stage], scene: Callable[[Stage], None]) -> Iterator[tuple[str, Stage]]:
    """How a stage looks after a scene, once for each trouble that may befall it, with the trouble in words.

    `play` sets the stage anew; only what happens in the scene goes wrong. Four calls in a row without an answer are all that
    anybody makes in one go.
    """
    stage = play()
    before = {name: getattr(stage, name).calls.copy() for name in PORTS}
    scene(stage)
    yield "nothing went wrong", stage
    calls = [(port, method, n) for port in PORTS for method, n in (getattr(stage, port).calls - before[port]).items()]
    for (port, method, count), dies, after_effect in product(calls, (False, True), (False, True)):
        for call in range(1, min(count, MOST_CALLS) + 1):
            trouble = Trouble(port, method, call, dies, after_effect)
            again = play()
            trouble.befall(again)
            scene(again)
            yield str(trouble), again


def live(
    stage: Stage,
    until: str,
    call: Callable[[Call], Outcome] | None = None,
    *,
    meanwhile: Callable[[], None] = lambda: None,
) -> None:
    """Let time pass up to a clock time: a tick each minute, and workers that may die; messages come again until they may go.

    `meanwhile` happens at each step, and may fail as well.
    """
    end = at(until)
    while stage.now <= end:
        if stage.now.second == 0:
            with suppress(Died, Unavailable):
                stage.tick()
        deliver(stage, call)
        with suppress(Died, Unavailable):
            meanwhile()
        stage.now += STEP


def held(stage: Stage) -> list[str]:
    """The clock times of the runs that are under way or waiting for an answer, and whose leases have not run out."""
    now = stage.now
    active = [one for one in in_order(stage) if one.state in (RunState.RUNNING, RunState.WAITING)]
    return [f"{one.scheduled_for:%H:%M:%S}" for one in active if one.lease_until is None or now < one.lease_until]


def deliver(stage: Stage, call: Callable[[Call], Outcome] | None = None) -> None:
    """Have workers handle what has arrived; what may not be deleted arrives again a little later."""
    arrived = [message for message in stage.state.messages if message.not_before <= stage.now]
    stage.state.messages[:] = [message for message in stage.state.messages if message.not_before > stage.now]
    for message in arrived:
        received = Received(run=message.run, attempt=message.attempt, receipt="r")
        deletable = False
        with suppress(Died):
            deletable = stage.execute([received], call)[0].deletable
        if not deletable:
            stage.state.messages.append(message._replace(not_before=stage.now + HAND_BACK))


def rests(stage: Stage) -> None:
    """Nothing is active, and nothing is left to be sent or looked at but the job's own timer."""
    active = [run for run in stage.state.runs.values() if not run.state.finished]
    assert not active, f"{active} never came to rest"
    assert not stage.state.messages, f"{stage.state.messages} are left"
    assert not stage.state.deadlines, f"{stage.state.deadlines} are left"


def attempts_never_repeat(stage: Stage) -> None:
    """No attempt of a run is made twice, and none runs at the side of another."""
    assert len(stage.called) == len(set(stage.called)), f"an attempt was made twice: {stage.called}"
    for run in stage.state.runs.values():
        numbers = [number for key, number in stage.called if key == run.key]
        assert numbers == sorted(numbers)


def states(stage: Stage) -> dict[str, RunState]:
    """How the runs stand, by their clock times."""
    return {f"{run.scheduled_for:%H:%M:%S}": run.state for run in in_order(stage)}


def in_order(stage: Stage) -> list[Run]:
    """All runs, by their ids."""
    return sorted(stage.state.runs.values(), key=lambda run: run.key.run_id)
