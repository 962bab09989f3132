"""Histories with backfills, and their judge: each occurrence is replayed once, concurrency is kept, and everything ends."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from minutehand.domain.actor import Actor
from minutehand.domain.backfill import Backfill, BackfillState, Order
from minutehand.domain.job_key import JobKey
from minutehand.domain.occurrence_rule import compiled
from minutehand.domain.run import Run
from minutehand.domain.run_key import RunKey
from minutehand.usecases.operations import backfill
from minutehand.usecases.operations.backfill import BackfillSpec
from tests.simulation import instants
from tests.simulation.engine import START
from tests.simulation.scenario import CHAOS, Scenario

SKEW = timedelta(seconds=1)


class Backfilling(Scenario):
    """A history in which people ask for backfills, some of them twice with one key, and cancel some."""

    quiet = timedelta(hours=12)
    """Long: backfills may retry runs after a quarter of an hour each, one after the other."""

    def play(self) -> None:
        """Play the whole history."""
        random, engine = self.engine.random, self.engine
        for _ in range(random.choice([1, 2, 4, 8])):
            job = random.choice(self.jobs)
            identity = f"b{random.randint(1, 3)}"
            instant = START + timedelta(seconds=random.uniform(60, CHAOS.total_seconds()))
            asked = self._asked()
            for late in (0, random.uniform(0, 60))[: random.choice([1, 1, 2])]:
                engine.at(
                    instant + timedelta(seconds=late), lambda job=job, i=identity, a=asked: self._begin(job, i, a)
                )
            if random.random() < 0.25:
                over = instant + timedelta(seconds=random.uniform(0, 120))
                engine.at(over, lambda job=job, i=identity: self._call_off(job, i))
        super().play()

    def _asked(self) -> BackfillSpec:
        random = self.engine.random
        end = START - timedelta(minutes=random.randint(0, 20), seconds=random.randint(0, 59))
        return BackfillSpec(
            start=end - timedelta(seconds=random.randint(30, 900)),
            end=end,
            order=random.choice(list(Order)),
            concurrency=random.choice([1, 2, 3, 20]),
            ignore_overlap=random.random() < 0.3,
        )

    def _begin(self, job: JobKey, identity: str, asked: BackfillSpec) -> None:
        self.requests.ask(
            "backfill", lambda ports: backfill.start(ports, job, asked, identity=identity, who=Actor("sim"))
        )

    def _call_off(self, job: JobKey, identity: str) -> None:
        self.requests.ask("cancel a backfill", lambda ports: backfill.cancel(ports, job, identity, who=Actor("sim")))


def broken_backfills(scenario: Scenario) -> list[str]:
    """Every broken promise about the backfills of a finished history."""
    return [problem for one in scenario.state.backfills.values() for problem in _of_one(scenario, one)]


def _of_one(scenario: Scenario, one: Backfill) -> Iterator[str]:
    where = f"backfill {one.id} of {one.job}"
    runs = {key.scheduled_for: run for key, run in scenario.state.runs.items() if _belongs(key, one)}
    if one.next_at is not None or one.finished_at is None or one.active:
        yield f"{where} never comes to rest: {one.state.value}, {len(one.active)} active"
        return
    named = set(_named(scenario, one))
    yield from (f"{where} replayed {instant}, which is not in its range" for instant in sorted(runs.keys() - named))
    if one.state is BackfillState.DONE:
        if not _is_blocked_at_times(one):
            yield from (f"{where} left {instant} out" for instant in sorted(named - runs.keys()))
        counts = dict(Counter(run.state for run in runs.values()))
        if counts != one.counts:
            yield f"{where} counted {_listed(one.counts)}; there are {_listed(counts)}"
    yield from (
        f"{where}: run {run.key.run_id} is {run.state.value}" for run in runs.values() if not run.state.finished
    )
    most = _most_at_once(scenario, one)
    if most > one.concurrency:
        yield f"{where} had {most} runs at once; {one.concurrency} is its most"
    yield from _double_starts(scenario, runs, where)


def _belongs(key: RunKey, one: Backfill) -> bool:
    return key.job == one.job and key.run_id.endswith(f"~backfill-{one.id}")


def _named(scenario: Scenario, one: Backfill) -> list[datetime]:
    """The instants of its range that the job's schedule named when it was asked for."""
    known = (replace(c.given, paused=False, paused_until=None) for c in scenario.history.of(one.job))
    job = next(job for job in known if compiled(job).encode() == one.rule)
    return instants.named(job, one.start - SKEW, one.end - SKEW)


def _is_blocked_at_times(one: Backfill) -> bool:
    """Whether limits or calendars may leave out some of its instants."""
    return "\n" in one.rule


def _most_at_once(scenario: Scenario, one: Backfill) -> int:
    """The largest number of its runs whose calls were under way at once."""
    spans: dict[RunKey, list[tuple[datetime, datetime]]] = defaultdict(list)
    for call in scenario.history.calls:
        if _belongs(call.run, one):
            spans[call.run].append((call.at, call.until))
    moments = [at for calls in spans.values() for at, _ in calls]
    return max(
        (sum(any(at <= m < until for at, until in calls) for calls in spans.values()) for m in moments), default=0
    )


def _double_starts(scenario: Scenario, runs: dict[datetime, Run], where: str) -> Iterator[str]:
    keys = {run.key for run in runs.values()}
    calls = Counter((call.run, call.attempt) for call in scenario.history.calls if call.run in keys)
    yield from (
        f"{where}: {run.run_id} #{attempt} was called {n} times" for (run, attempt), n in calls.items() if n > 1
    )


def _listed(counts: object) -> str:
    return str({state.value: n for state, n in dict(counts).items()}) if isinstance(counts, dict) else str(counts)
