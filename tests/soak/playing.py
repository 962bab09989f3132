"""One soak: start a stack, save the jobs, let faults and people at it, wait until nothing is active, and collect the evidence."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from tests.soak import faults, people
from tests.soak.api import Api
from tests.soak.checker import MENDED_BY_TIME, judge
from tests.soak.evidence import Act, Evidence, Fault, Job, Sample
from tests.soak.faults import WORKER
from tests.soak.jobs import CALENDAR, closed, document, mix
from tests.soak.people import People
from tests.soak.receiver import Receiver
from tests.soak.rules.occurrences import unexplained
from tests.soak.schedules import rounded_up
from tests.soak.stack import SoakStack

CALM = 20.0
"""Seconds without new faults before the schedules end."""
AGREED = 45.0
"""Seconds without new requests of people before the schedules end: the API refuses an edit whose schedule has no instant left."""
PATIENCE = 420.0
"""Seconds to wait, after the schedules have ended, until nothing is left to be done: longer than any bound."""
SAMPLE = 5.0
PROGRESS = 30.0
MOST_EXPLAINED = 300
"""Instants without a run about which `explain` is asked; so many more would be violations that say the same."""

Say = Callable[[str], None]


@dataclass(frozen=True)
class Settings:
    """What to play: the seed decides jobs, faults and requests."""

    seed: int
    seconds: float
    jobs: int


class Step(NamedTuple):
    """Something to do, so many seconds after the beginning."""

    at: float
    do: Callable[[], object]


class Soak:
    """A soak in progress: what its threads have recorded so far."""

    def __init__(self, settings: Settings, stack: SoakStack, receiver: Receiver, say: Say) -> None:
        self._settings = settings
        self._stack = stack
        self._receiver = receiver
        self._say = say
        self._api = Api(stack.info.url, stack.info.token)
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._faults: list[Fault] = []
        self._acts: list[Act] = []
        self._samples: list[Sample] = []
        self._broken: list[BaseException] = []
        self._explained: dict[tuple[str, datetime], Mapping[str, Any]] = {}

    def play(self) -> Evidence:
        """Play all of it; raises what broke the soak itself."""
        started = rounded_up(datetime.now(UTC))
        ends = started + timedelta(seconds=self._settings.seconds)
        jobs = mix(self._settings.seed, self._settings.jobs, started, ends)
        self._save(jobs, started, ends)
        began = rounded_up(datetime.now(UTC))
        self._say(f"{len(jobs)} jobs saved in {(began - started).total_seconds():.0f} s")
        left = (ends - datetime.now(UTC)).total_seconds()
        crowd = People(self._api, jobs, self._receiver.url, ends)
        lanes = self._lanes(jobs, crowd, left)
        threads = [self._thread(name, partial(self._walk, steps, left)) for name, steps in lanes.items()]
        sampling = self._thread("samples", self._sample)
        try:
            self._watch(started, ends)
            for thread in threads:
                thread.join()
            for job in jobs:
                if job.delay is not None:  # which has no end of its own
                    self._ask(crowd, people.Asked("paused", job.name, left, 0))
            return self._settled(jobs, began, ends)
        finally:
            self._over.set()
            for thread in (*threads, sampling):
                thread.join()

    def _save(self, jobs: Iterable[Job], started: datetime, ends: datetime) -> None:
        periods = [f"{span.start.isoformat()}..{span.end.isoformat()}" for span in closed(started, ends)]
        self._api.save("calendars", CALENDAR, {"periods": periods})

        def save(job: Job) -> None:
            self._api.save("jobs", job.name, document(job, self._receiver.url, ends))

        with ThreadPoolExecutor(max_workers=4) as savers:
            list(savers.map(save, (job for job in jobs if not job.parents)))
        for job in jobs:  # parents come before their children
            if job.parents:
                save(job)

    def _lanes(self, jobs: tuple[Job, ...], crowd: People, left: float) -> dict[str, list[Step]]:
        """What is done when, in lanes that run at once; `left` seconds are left until the schedules end."""
        lanes: dict[str, list[Step]] = {"people": [], "outages": [], "kills": []}
        whole = self._settings.seconds  # and not what is left: the same seed has the same timetable on every machine
        for planned in faults.timetable(self._settings.seed, whole):
            if planned.at + planned.seconds <= left - CALM:
                lane = "kills" if planned.kind.endswith("killed") else "outages"
                lanes[lane].append(Step(planned.at, partial(self._fault, planned)))
        for asked in people.timetable(self._settings.seed, jobs, whole):
            if asked.at <= left - AGREED:
                lanes["people"].append(Step(asked.at, partial(self._ask, crowd, asked)))
        return lanes

    def _walk(self, steps: list[Step], left: float) -> None:
        """Take each step at its time; none once the schedules have ended, or the soak is over."""
        begin = time.monotonic()
        for step in steps:
            self._over.wait(max(0.0, begin + step.at - time.monotonic()))
            if self._over.is_set() or time.monotonic() > begin + left:
                return
            step.do()

    def _sample(self) -> None:
        while not self._over.is_set():
            found = self._stack.sample(self._receiver.count())
            with self._lock:
                self._samples.append(found)
            self._over.wait(SAMPLE)

    def _thread(self, name: str, do: Callable[[], object]) -> threading.Thread:
        """A thread whose failure the main thread raises again."""

        def run() -> None:
            try:
                do()
            except Exception as error:  # noqa: BLE001 (the main thread raises it)
                self._say(f"broken in the thread {name}: {error!r}")
                self._broken.append(error)

        thread = threading.Thread(target=run, name=name)
        thread.start()
        return thread

    def _fault(self, planned: faults.Planned) -> None:
        fault = faults.act(self._stack, planned, self._over.wait)
        with self._lock:
            self._faults.append(fault)

    def _ask(self, crowd: People, asked: people.Asked) -> None:
        act = crowd.ask(asked)
        with self._lock:
            self._acts.append(act)

    def _watch(self, started: datetime, ends: datetime) -> None:
        """Say each half minute how far it is, until the schedules have ended."""
        while (left := (ends - datetime.now(UTC)).total_seconds()) > 0:
            time.sleep(min(PROGRESS, left))
            self._raise()
            self._say(self._progress((datetime.now(UTC) - started).total_seconds()))

    def _raise(self) -> None:
        if self._broken:
            raise self._broken[0]

    def _progress(self, seconds: float) -> str:
        with self._lock:
            kills = sum(fault.kind.endswith("killed") for fault in self._faults)
            outages = len(self._faults) - kills
            last = self._samples[-1] if self._samples else None
        worker = last.largest.get(WORKER, 0) if last else 0
        queue = f"queue {last.ready} ready, {last.hidden} hidden, {last.delayed} delayed" if last else ""
        memory = f"emulator {last.emulator:.0f} MB, worker {worker:.0f} MB" if last else ""
        clock = f"{int(seconds) // 60:02d}:{int(seconds) % 60:02d}"
        return f"{clock}  {self._receiver.count()} calls, {kills} kills, {outages} other faults; {queue}; {memory}"

    def _settled(self, jobs: Iterable[Job], began: datetime, ends: datetime) -> Evidence:
        """The evidence once nothing is left to be done, or patience is over."""
        begun = said = time.monotonic()
        while True:
            self._raise()
            evidence = self._collected(jobs, began, ends)
            left = [violation for violation in judge(evidence).violations if violation.rule in MENDED_BY_TIME]
            if not left or time.monotonic() - begun > PATIENCE:
                return evidence
            if time.monotonic() - said >= PROGRESS:
                said = time.monotonic()
                names = sorted({violation.job for violation in left})
                self._say(f"waiting for {', '.join(names[:6])}{' …' if len(names) > 6 else ''}")
            time.sleep(2)

    def _collected(self, jobs: Iterable[Job], began: datetime, ends: datetime) -> Evidence:
        """What the API says now."""
        by_name = {job.name: job for job in jobs}
        collected = datetime.now(UTC)
        with ThreadPoolExecutor(max_workers=4) as readers:
            runs = dict(zip(by_name, readers.map(self._runs, by_name), strict=True))
        with self._lock:
            acts, struck, samples = tuple(self._acts), tuple(self._faults), tuple(self._samples)
        backfills = [(act.job, act.ids[0]) for act in acts if act.did == "backfilled" and act.ids]
        evidence = Evidence(
            jobs=by_name,
            began=began,
            ends=ends,
            collected=collected,
            acts=acts,
            calls=self._receiver.calls,
            faults=struck,
            samples=samples,
            runs=runs,
            backfills={one: self._api.ask("GET", f"/jobs/{job}/backfills/{one}", tries=20) for job, one in backfills},
        )
        for name, at in list(unexplained(evidence))[:MOST_EXPLAINED]:
            if self._explained.get((name, at), {}).get("kind") != "passed_over":  # which it remains
                self._explained[name, at] = self._api.explained(name, at)
        return replace(evidence, explained=dict(self._explained))

    def _runs(self, job: str) -> tuple[Mapping[str, Any], ...]:
        """The job's runs; those with several attempts one by one, since lists leave the earlier ones out."""
        listed = self._api.runs(job)
        return tuple(self._api.run(job, run["run_id"]) if run["attempt"] > 1 else run for run in listed)


def play(settings: Settings, state: Path, say: Say) -> Evidence:
    """Play one soak on a stack of its own, whose files are kept in `state`."""
    receiver = Receiver()
    receiver.start()
    try:
        with SoakStack(state) as stack:
            say(f"stack started: {stack.info.url}")
            return Soak(settings, stack, receiver, say).play()
    finally:
        receiver.stop()
