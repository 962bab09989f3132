"""Stage for tests of use cases: the shipped stores in memory, a clock set by hand, and ports that fail on demand."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import chain
from typing import Any

from minutehand.adapters.memory import (
    MemoryBackfills,
    MemoryCalendars,
    MemoryDefinitions,
    MemoryInbox,
    MemoryMeter,
    MemoryNamespaces,
    MemoryOutbox,
    MemoryOutputs,
    MemoryPermits,
    MemoryRuns,
    MemorySpreads,
    MemoryState,
    MemorySweeps,
    MemoryTimers,
)
from minutehand.adapters.sharding import BUCKETS
from minutehand.domain.actor import Actor
from minutehand.domain.definition import Definition
from minutehand.domain.errors import Unavailable
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Result, Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import Timer
from minutehand.targets.http.fields import HttpTarget
from minutehand.usecases.definitions import manage
from minutehand.usecases.dispatching import tick as ticking
from minutehand.usecases.dispatching.claim import DispatchReport
from minutehand.usecases.dispatching.dispatch import dispatch
from minutehand.usecases.dispatching.tick import Parts, tick
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.messages import Message, Received
from minutehand.usecases.ports.meter import Meter
from minutehand.usecases.ports.target import Call, Outcome
from minutehand.usecases.running.cancel_watch import Watch
from minutehand.usecases.running.execute import execute
from minutehand.usecases.running.slow_calls import SlowCalls
from minutehand.usecases.running.worker import Forward, Handled, Worker
from tests.unit.domain.examples import KEY, at, job

SHARDS = 4
PARTS = Parts(range(SHARDS), range(BUCKETS))
"""All that a tick reads."""
CALLBACKS = "https://api.test"
FOREVER = timedelta(days=1)
SUCCESS = Outcome(state=RunState.SUCCEEDED, result=Result(type="http", status=200, body="ok"))


def after_opening(stage: Stage, left: Iterable[timedelta]) -> Iterator[timedelta]:
    """What a tick finds each time it looks how much time is left: plenty while it opens its parts, then these."""
    looks = 0

    def look() -> timedelta:
        nonlocal looks
        looks += 1
        return FOREVER

    ticking._open(stage.ports, PARTS, look, map)
    return chain([FOREVER] * looks, left)


class Port:
    """A port that counts its calls, and can fail or run a callback before them."""

    def __init__(self, port: Any) -> None:
        self._port = port
        self._fates: dict[str, deque[Callable[[Callable[[], Any]], Any]]] = {}
        self._refusals: dict[str, tuple[Callable[..., bool], Exception]] = {}
        self.calls: Counter[str] = Counter()

    def fails(
        self, method: str, *, times: int = 1, after_effect: bool = False, error: BaseException | None = None
    ) -> None:
        """Make the next calls of a method raise."""

        def fate(effect: Callable[[], Any]) -> Any:
            if after_effect:
                effect()
            raise error or Unavailable(f"{method} did not answer")

        self._fates.setdefault(method, deque()).extend([fate] * times)

    def refuses(self, method: str, when: Callable[..., bool], error: Exception | None = None) -> None:
        """Make each call of a method raise whose arguments match."""
        self._refusals[method] = (when, error or Unavailable(f"{method} did not answer"))

    def before(self, method: str, *what: Callable[[], Any]) -> None:
        """Run a callback right before the next call of a method, another one before the call after that, and so on."""

        def fate(happens: Callable[[], Any]) -> Callable[[Callable[[], Any]], Any]:
            def first(effect: Callable[[], Any]) -> Any:
                happens()
                return effect()

            return first

        self._fates.setdefault(method, deque()).extend(fate(happens) for happens in what)

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._port, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            self.calls[name] += 1
            when, error = self._refusals.get(name, (None, None))
            if when is not None and error is not None and when(*args, **kwargs):
                raise error
            fates = self._fates.get(name)
            effect = lambda: method(*args, **kwargs)  # noqa: E731 - a name for what is passed on
            return fates.popleft()(effect) if fates else effect()

        return call


class PickyOutbox(MemoryOutbox):
    """Accepts each message unless `refuses` holds for it."""

    refuses: Callable[[Message], bool] = staticmethod(lambda _message: False)

    def send(self, messages: Sequence[Message]) -> Sequence[bool]:
        accepted = [not self.refuses(message) for message in messages]
        super().send([message for message, taken in zip(messages, accepted, strict=True) if taken])
        return accepted


class Stage:
    """All ports over one state in memory. `now` is set by hand; `time_left` is that of a process, and `worker` holds its log lines."""

    def __init__(self, now: str = "09:00", *, page_size: int = 100) -> None:
        self.now: datetime = at(now)
        self.state = MemoryState()
        self.timers = Port(MemoryTimers(self.state, shards=SHARDS, page_size=page_size))
        self.definitions = Port(MemoryDefinitions(self.state, shards=SHARDS))
        self.runs = Port(MemoryRuns(self.state, shards=SHARDS))
        self.outputs = Port(MemoryOutputs(self.state))
        self.calendars = Port(MemoryCalendars(self.state))
        self.permits = Port(MemoryPermits(self.state))
        self.backfills = Port(MemoryBackfills(self.state, shards=SHARDS))
        self.spreads = Port(MemorySpreads(self.state))
        self.namespaces = Port(MemoryNamespaces(self.state))
        self.sweeps = Port(MemorySweeps(self.state))
        self.picky = PickyOutbox(self.state)
        self.outbox = Port(self.picky)
        self.inbox = Port(MemoryInbox(self.state))
        self.meter: Callable[[], Meter] = lambda: MemoryMeter(self.state)
        self.time_left = FOREVER
        self.worker = ""
        self.called: list[tuple[RunKey, int]] = []
        self.ports = Ports(
            timers=self.timers,
            definitions=self.definitions,
            runs=self.runs,
            outputs=self.outputs,
            calendars=self.calendars,
            permits=self.permits,
            backfills=self.backfills,
            spreads=self.spreads,
            namespaces=self.namespaces,
            sweeps=self.sweeps,
            outbox=self.outbox,
            clock=lambda: self.now,
            look_ahead=timedelta(minutes=2),
        )
        self._tokens = 0

    def at(self, clock: str) -> Stage:
        """Set the clock."""
        self.now = at(clock)
        return self

    def wait(self, seconds: float) -> None:
        """Advance the clock, as a waiting worker does."""
        self.now += timedelta(seconds=seconds)

    def save(self, what: Job | None = None, *, keep_paused: bool = False, **fields: Any) -> Definition:
        """Save a job, by default one that is due each minute."""
        return manage.save(self.ports, what or job(**fields), keep_paused=keep_paused, who=Actor("ada")).definition

    def prove(self, key: JobKey = KEY) -> None:
        """Have a job in the quick lane, as its first quick call does."""
        self.ports.definitions.set_lane(key, self.ports.definitions.get([key])[key].revision, None)

    def tick(self) -> DispatchReport:
        return tick(self.ports, parts=PARTS, time_left=lambda: self.time_left)

    def dispatch(self, *due: Any) -> DispatchReport:
        report = DispatchReport()
        dispatch(due, ports=self.ports, look_ahead=self.ports.look_ahead, report=report)
        return report

    def receive(self) -> list[Received]:
        """Take every message off the queue, even those that are not due yet."""
        taken = [
            Received(run=m.run, attempt=m.attempt, receipt=f"r{n}", not_before=m.not_before if m.retries else None)
            for n, m in enumerate(self.state.messages)
        ]
        self.state.messages.clear()
        return taken

    def work(self, call: Callable[[Call], Outcome] | None = None) -> list[Handled]:
        """Have a worker handle the messages that are due; the others stay in the queue."""
        arrived = [message for message in self.state.messages if message.not_before <= self.now]
        on_its_way = [message for message in self.state.messages if message.not_before > self.now]
        self.state.messages[:] = arrived
        handled = self.execute(self.receive(), call)
        self.state.messages.extend(on_its_way)
        return handled

    def execute(
        self,
        batch: Sequence[Received],
        call: Callable[[Call], Outcome] | None = None,
        *,
        slow_calls: SlowCalls | None = None,
        is_called_elsewhere: Callable[[str], bool] = lambda _: False,
        forward: Forward | None = None,
        spread: Callable[[Run, Job], Outcome | None] | None = None,
    ) -> list[Handled]:
        """Have a worker handle a batch, message by message; with `slow_calls` a worker of the quick lane."""
        worker = self.worker_of(call, slow_calls=slow_calls)
        worker = worker._replace(is_called_elsewhere=is_called_elsewhere, forward=forward, spread=spread)
        return list(execute(batch, ports=self.ports, worker=worker))

    def worker_of(
        self, call: Callable[[Call], Outcome] | None = None, *, slow_calls: SlowCalls | None = None
    ) -> Worker:
        """A worker over the stage."""

        def target(_target: HttpTarget, made: Call) -> Outcome:
            self.called.append((made.run.key, made.run.attempt))
            return call(made) if call else SUCCESS

        def token() -> str:
            self._tokens += 1
            return f"token-{self._tokens}"

        return Worker(
            inbox=self.inbox,
            call=target,
            token=token,
            parallel=map,
            time_left=lambda: self.time_left,
            meter=self.meter,
            watch=Watch(self.runs, self.ports.clock, lambda look: look()),
            sleep=self.wait,
            slow_calls=slow_calls,
            callbacks=CALLBACKS,
            name=self.worker,
        )

    def run(self, scheduled_for: str, key: JobKey = KEY) -> Run | None:
        return self.state.runs.get(RunKey.scheduled(key, at(scheduled_for)))

    def next_at(self, key: JobKey = KEY) -> datetime | None:
        return self.state.timers[key].next_at

    def put(self, timer: Timer) -> Timer:
        """Store a timer as it is, without a definition."""
        self.state.timers[timer.job] = timer
        return timer

    def sent(self) -> list[str]:
        """The clock times of the runs whose messages were sent, in order."""
        return [f"{message.run.scheduled_for:%H:%M:%S}" for message in self.state.messages]

    def claimed(self) -> list[str]:
        """The clock times of the runs that exist."""
        return sorted(f"{key.scheduled_for:%H:%M:%S}" for key in self.state.runs)
