"""Histories in which the calls of one namespace hang, and their judge: a job of another namespace starts in time all the same."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from enum import Enum
from typing import TYPE_CHECKING

from minutehand.domain.actor import Actor
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.domain.outcome import ErrorType, Outcome
from minutehand.domain.run import RunError, RunState
from minutehand.targets.http.fields import HttpTarget
from minutehand.usecases.definitions import manage
from tests.simulation.engine import START
from tests.simulation.observed import Called
from tests.simulation.scenario import Scenario

if TYPE_CHECKING:
    from minutehand.usecases.ports.target import Call
    from tests.simulation.engine import Process

HEALTHY = JobKey(namespace="healthy", name="heartbeat")
EVERY = timedelta(seconds=10)
WORKERS = 8
"""Concurrent workers of each lane, each with up to four runs."""
CROWD = 60
MINUTE = timedelta(minutes=1)
HANGS_FROM = START + 4 * MINUTE
END = START + 9 * MINUTE
LATEST = timedelta(seconds=3)
TIMEOUT = MINUTE
LONG_TIMEOUT = 2 * MINUTE


class Hog(Enum):
    """What hangs."""

    NEW = "a crowd of new jobs, all due at once"
    TURNED = "a crowd of jobs whose calls were quick until now"
    SECONDLY = "one new job of each second, with a long time limit"
    TURNED_SECONDLY = "one job of each second, quick until now, with a long time limit"

    @property
    def turned(self) -> bool:
        """Whether its calls are quick at first."""
        return self in (Hog.TURNED, Hog.TURNED_SECONDLY)


class Hogs(Scenario):
    """A history without faults. Each lane has few workers."""

    def __init__(self, seed: int, *, trace: bool = False) -> None:
        super().__init__(seed, trace=trace)
        self.hog = list(Hog)[seed % len(Hog)]
        self.engine.faults = False
        self.queue.most_busy = self.slow.most_busy = WORKERS
        self.targets.call = self._call

    def play(self) -> None:
        """Play the whole history."""
        engine, random = self.engine, self.engine.random
        for minute in range((END - START) // MINUTE):
            engine.at(START + minute * MINUTE + timedelta(seconds=random.uniform(0, 1)), self._tick)
        engine.at(START + timedelta(seconds=1), lambda: self._save(HEALTHY, "*/10 * * * * *", TIMEOUT))
        begins = START + MINUTE if self.hog.turned else HANGS_FROM - timedelta(seconds=40)
        for number in range(1 if self.hog in (Hog.SECONDLY, Hog.TURNED_SECONDLY) else CROWD):
            engine.at(begins + timedelta(seconds=random.uniform(0, 20)), lambda n=number: self._save_hog(n))
        engine.run(END)
        engine.close()

    def _save_hog(self, number: int) -> None:
        key = JobKey(namespace="hog", name=f"job-{number}")
        if self.hog in (Hog.SECONDLY, Hog.TURNED_SECONDLY):
            self._save(key, "* * * * * *", LONG_TIMEOUT)
        else:
            self._save(key, "* * * * *", TIMEOUT)

    def _save(self, key: JobKey, schedule: str, timeout: timedelta) -> None:
        job = Job(key=key, schedule=schedule, target=HttpTarget(method="GET", url="http://sim"), timeout=timeout)
        self.requests.ask("save", lambda ports: manage.save(ports, job, keep_paused=False, who=Actor("sim")))

    def _call(self, process: Process, _target: HttpTarget, call: Call) -> Outcome:
        began, hangs = self.engine.now, call.run.key.job != HEALTHY
        hangs = hangs and (not self.hog.turned or began >= HANGS_FROM)
        ends = began + (call.timeout if hangs else timedelta(milliseconds=50))
        self.engine.note(f"    call {call.run.key.job} {call.run.key.run_id} {'hangs' if hangs else ''}")
        while (left := (ends - self.engine.now).total_seconds()) > 0:
            process.sleep(max(min(left, 1), 0.001))
            call.cancelled()
        self.history.calls.append(Called(call.run.key, call.run.attempt, began, self.engine.now, False))
        if hangs:
            return Outcome(RunState.TIMED_OUT, error=RunError(ErrorType.TIMED_OUT, "no answer"))
        return Outcome(RunState.SUCCEEDED)


def delayed_by_others(history: Hogs) -> list[str]:
    """The late starts of the healthy job, and whether the others were called at all."""
    found = [f"{instant:%H:%M:%S}: started {late} late" for instant, late in _lateness(history) if late > LATEST]
    if not any(call.run.job != HEALTHY for call in history.history.calls):
        found.append("no other job was called")
    return found


def _lateness(history: Hogs) -> Iterator[tuple[datetime, timedelta]]:
    """The lateness of each occurrence. One that did not start is as late as the end; those that nothing could foresee are left out."""
    starts = {call.run.scheduled_for: call.at for call in history.history.calls if call.run.job == HEALTHY}
    instant = START + MINUTE
    while instant < END - LATEST:
        if not (history.hog is Hog.TURNED and HANGS_FROM <= instant <= HANGS_FROM + TIMEOUT + LATEST):
            yield instant, starts.get(instant, END) - instant
        instant += EVERY
