"""Steps of scenarios: one job on a metered stack, and what happens to its runs."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import chain, repeat
from typing import Any

from benchmarks.cost.metered_stack import Metered
from benchmarks.worker import SUCCEEDED, work
from benchmarks.workload import NINE, SECOND, job
from minutehand.domain.actor import Actor
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Result, Run, RunError, RunState
from minutehand.domain.run_key import RunKey
from minutehand.usecases.completion.answers import Speaker
from minutehand.usecases.definitions import manage
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.endpoints import Balancing
from minutehand.usecases.ports.target import Call, Outcome

WHO = Actor("benchmark")
REFUSED = Outcome(
    RunState.FAILED, error=RunError(type="ConnectionRefused", message="connection refused: example.com:443")
)
ACCEPTED = Outcome(RunState.WAITING, result=Result(type="http", status=202, body=""))
CANCELLED = Outcome(RunState.CANCELLED)
SELDOM = "0 10 * * *"
"""The schedule of a job whose timer is not packed."""
TOMORROW = "* 9 * * SAT"
SCHEDULE = ("0 10 * * FRI", TOMORROW)
_DAY = timedelta(days=1)

Target = Callable[[Any, Call], Outcome]


def answer(status: int, length: int) -> Outcome:
    """An answer with a body of so many bytes."""
    result = Result(type="http", status=status, body="x" * length)
    if status == 200:
        return Outcome(RunState.SUCCEEDED, result=result)
    return Outcome(RunState.FAILED, result=result, error=RunError(type="HttpError", message=f"the status was {status}"))


class WorkerDied(BaseException):
    """The end of a worker in the middle of a call."""


class Scenario:
    """The job `report`, due today at ten UTC, and often tomorrow, so that its timer is packed. The clock starts at nine.

    Args:
        fields: fields of every job that is saved.
    """

    def __init__(self, metered: Metered, **fields: Any) -> None:
        self._metered = metered
        self._fields = fields
        self.key = JobKey("benchmark", "report")
        self._saved: dict[JobKey, int] = {}

    @property
    def ports(self) -> Ports:
        """The ports of the use cases."""
        return self._metered.stack.ports

    @property
    def balancing(self) -> Balancing:
        """The stores of services and of the state of endpoints."""
        return self._metered.stack.balancing

    def save(self, name: str = "report", schedule: str | tuple[str, ...] = SCHEDULE, **fields: Any) -> None:
        """Save a job."""
        wanted = job(name, schedule, **{"timezone": "UTC", **self._fields, **fields})
        saved = manage.save(self.ports, wanted, keep_paused=True, who=WHO)
        self._saved[wanted.key] = saved.definition.revision

    def start_counting(self, *, first: bool = False, slow: bool = False) -> None:
        """Forget the usage so far. Unless a job's `first` run is counted, the jobs have been in the quick lane, or in the slow one, for
        some time: no run changes that."""
        for key, revision in self._saved.items() if not first else ():
            self.ports.definitions.set_lane(key, revision, NINE + _DAY if slow else None)
        self._metered.meter.take()
        self._metered.meter.failures.clear()

    def at(self, time_of_day: str) -> None:
        """Set the clock."""
        hour, minute, second = map(int, time_of_day.split(":"))
        self._metered.stack.clock.now = NINE.replace(hour=hour, minute=minute, second=second)

    def later(self, seconds: int) -> None:
        """Put the clock forward."""
        self._metered.stack.clock.now += seconds * SECOND

    def tick(self) -> None:
        """Tick once."""
        self._metered.stack.tick()

    def dispatch(self, minute: int = 0) -> RunKey:
        """Dispatch the occurrence of this minute after ten, and wait until it is due."""
        instant = NINE.replace(hour=10, minute=minute)
        self._metered.stack.clock.now = instant - 90 * SECOND
        self.tick()
        self._metered.stack.clock.now = instant + SECOND
        return RunKey.scheduled(self.key, instant)

    def work(self, *outcomes: Outcome, messages: int = 1, may_keep: bool = False) -> None:
        """Have a worker handle messages. Its calls have these outcomes in turn, then succeed."""
        ends = chain(outcomes, repeat(SUCCEEDED))
        self.call(lambda _target, _call: next(ends), messages=messages, may_keep=may_keep)

    def call(self, target: Target, *, messages: int = 1, may_keep: bool = False) -> None:
        """Have a worker handle messages by calling this target."""
        work(self._metered.stack, self._metered.sqs, messages=messages, target=target, may_keep=may_keep)

    def accepted(self) -> Speaker:
        """Have a worker call a target that answers later; the identity with which it then reports."""
        calls: list[Call] = []

        def target(_: Any, call: Call) -> Outcome:
            calls.append(call)
            return ACCEPTED

        self.call(target)
        return Speaker(run=calls[0].run.key, attempt=calls[0].run.attempt, token=calls[0].token)

    def during_call(self, act: Callable[[], None], outcome: Outcome = SUCCEEDED) -> None:
        """Have a worker make a call during which something else happens, in another thread: calls are counted by thread."""

        def target(_target: Any, _call: Call) -> Outcome:
            with ThreadPoolExecutor(max_workers=1) as others:
                others.submit(act).result()
            return outcome

        self.call(target)

    def run(self, key: RunKey) -> Run:
        """A run from the store."""
        return self.ports.runs.get([key])[key]

    def runs(self) -> list[Run]:
        """All runs of the day of this job and of its child `after`."""
        keys = (self.key, self.key._replace(name="after"))
        return [run for key in keys for run in self.ports.runs.between(key, NINE - _DAY, NINE + _DAY)]
