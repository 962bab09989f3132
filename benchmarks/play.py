"""A job on a metered scene, led through what may happen to it: each scenario is a few lines of this."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from itertools import chain, repeat
from typing import Any

from benchmarks.metered import Metered
from benchmarks.scene import NINE, SECOND, SHARDS, job
from benchmarks.worker import work
from minutehand.domain.job import JobKey
from minutehand.domain.run import Result, Run, RunError, RunKey, RunState
from minutehand.usecases.completion.answers import Speaker
from minutehand.usecases.definitions import manage
from minutehand.usecases.dispatching.tick import tick
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.target import Call, Outcome

WHO = "benchmark"
DAILY = "0 10 * * *"
_DAY = timedelta(days=1)
REFUSED = Outcome(
    RunState.FAILED, error=RunError(type="ConnectionRefused", message="nobody listens at example.com:443")
)
DONE = Outcome(RunState.SUCCEEDED, result=Result(type="http", status=200, body='{"closed":true}'))
TAKEN_ON = Outcome(RunState.WAITING, result=Result(type="http", status=202, body=""))
CANCELLED = Outcome(RunState.CANCELLED)

Target = Callable[[Any, Call], Outcome]


def answer(status: int, length: int) -> Outcome:
    """An answer whose text has so many bytes."""
    result = Result(type="http", status=status, body="x" * length)
    if status == 200:
        return Outcome(RunState.SUCCEEDED, result=result)
    return Outcome(RunState.FAILED, result=result, error=RunError(type="HttpError", message=f"the status was {status}"))


class Died(BaseException):
    """What ends a worker in the middle of a call."""


class Play:
    """The job `report`, due each day at ten in UTC, saved at nine.

    Args:
        always: what every job of this play says besides.
    """

    def __init__(self, metered: Metered, **always: Any) -> None:
        self._metered = metered
        self._always = always
        self.key = JobKey("benchmark", "report")

    @property
    def ports(self) -> Ports:
        """What use cases are given."""
        return self._metered.scene.ports

    def save(self, name: str = "report", schedule: str = DAILY, **fields: Any) -> None:
        """Save a job."""
        wanted = job(name, schedule, **{"timezone": "UTC", **self._always, **fields})
        manage.save(self.ports, wanted, keep_paused=True, who=WHO)

    def count(self) -> None:
        """What has been is not counted."""
        self._metered.meter.take()
        self._metered.meter.failures.clear()

    def at(self, clock: str) -> None:
        """Put the clock to a time of the day."""
        hour, minute, second = map(int, clock.split(":"))
        self._metered.scene.clock.now = NINE.replace(hour=hour, minute=minute, second=second)

    def later(self, seconds: int) -> None:
        """Put the clock forward."""
        self._metered.scene.clock.now += seconds * SECOND

    def tick(self) -> None:
        """Tick once."""
        dispatched = tick(self.ports, shards=range(SHARDS), time_left=lambda: timedelta(minutes=1))
        if dispatched.problems:
            raise RuntimeError(f"the tick did not go as it should: {dispatched}")

    def due(self, minute: int = 0) -> RunKey:
        """Have the occurrence of a minute after ten claimed and sent, and the time come."""
        instant = NINE.replace(hour=10, minute=minute)
        self._metered.scene.clock.now = instant - 90 * SECOND
        self.tick()
        self._metered.scene.clock.now = instant + SECOND
        return RunKey.scheduled(self.key, instant)

    def work(self, *outcomes: Outcome, messages: int = 1, may_stay: bool = False) -> None:
        """Have a worker handle messages; its calls end like this, one after the other, and then well."""
        ends = chain(outcomes, repeat(DONE))
        self.call(lambda _target, _call: next(ends), messages=messages, may_stay=may_stay)

    def call(self, target: Target, *, messages: int = 1, may_stay: bool = False) -> None:
        """Have a worker handle messages, calling this target."""
        work(self._metered.scene, self._metered.sqs, messages=messages, target=target, may_stay=may_stay)

    def taken_on(self) -> Speaker:
        """Have a worker call a target that answers later; what it then says is said so."""
        told: list[Call] = []

        def target(_: Any, call: Call) -> Outcome:
            told.append(call)
            return TAKEN_ON

        self.call(target)
        return Speaker(run=told[0].run.key, attempt=told[0].run.attempt, token=told[0].token)

    def meanwhile(self, act: Callable[[], None], outcome: Outcome = DONE) -> None:
        """Have a worker make a call during which something else happens, in another thread, as nobody else's calls are a worker's."""

        def target(_target: Any, _call: Call) -> Outcome:
            with ThreadPoolExecutor(max_workers=1) as others:
                others.submit(act).result()
            return outcome

        self.call(target)

    def run(self, key: RunKey) -> Run:
        """A run as it stands."""
        return self.ports.runs.get([key])[key]

    def runs(self) -> list[Run]:
        """All runs of the day, of this job and of `after`, which depends on it."""
        keys = (self.key, self.key._replace(name="after"))
        return [run for key in keys for run in self.ports.runs.between(key, NINE - _DAY, NINE + _DAY)]

    def now(self) -> datetime:
        """The time."""
        return self.ports.clock()
