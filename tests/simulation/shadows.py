"""Jobs in shadow, and the promise that they call no target. Shares no code with what decides that."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

from minutehand.domain.actor import Actor
from minutehand.domain.run import Run, RunState, SkipReason
from minutehand.usecases.definitions import namespaces
from tests.simulation.rules import Rule

if TYPE_CHECKING:
    from minutehand.domain.job_key import JobKey
    from tests.simulation.scenario import Scenario

NAMESPACE = "sim"
SHARE = 0.15
"""The share of histories in which something is in shadow."""
READ_BEFORE = timedelta(seconds=100)
"""How long before a call a worker may have read what puts its job in shadow."""


class Shadows:
    """What is in shadow in a history; nothing in most. Drawn from a source of its own, so that it shifts no other draw.

    Attributes:
        settings: each setting of the namespace, with when it was stored.
    """

    def __init__(self, scenario: Scenario, seed: int) -> None:
        self.scenario = scenario
        self._random = Random(f"shadow {seed}")
        self._plays = self._random.random() < SHARE
        self.settings: list[tuple[datetime, bool]] = []

    def drawn(self) -> bool:
        """Whether a job that is saved now says that it is a shadow."""
        return self._plays and self._random.random() < 0.5

    def begin(self, start: datetime, chaos: timedelta) -> None:
        """In some histories, put the namespace in shadow and take it out again, perhaps several times."""
        if not self._plays:
            return
        for number in range(self._random.choice((0, 0, 2, 3, 5))):
            at = start + self._random.uniform(0.1, 1) * chaos
            self.scenario.engine.at(at, lambda on=number % 2 == 0: self._set(on))

    def _set(self, on: bool) -> None:
        self.scenario.requests.ask("shadow", lambda ports: namespaces.shadow(ports, NAMESPACE, on=on, who=Actor("sim")))

    def known(self, job: JobKey, since: datetime, until: datetime) -> set[bool]:
        """Whether a job was in shadow, as a worker may have read it at any time from `since` to `until`."""
        of_job = {c.given.shadow for c in self.scenario.history.in_sight(job, since, until)}
        of_all = {
            on
            for (at, on), later in pairwise([(datetime.min.replace(tzinfo=until.tzinfo), False), *self.settings, None])
            if at <= until and (later is None or later[0] >= since)
        }
        return {one or other for one in of_job for other in of_all}


def violations(scenario: Scenario) -> list[str]:
    """Every call of a target in shadow, and every run that ended as a shadow and was none."""
    found = []
    runs = scenario.state.runs
    for call in scenario.history.calls:
        known = scenario.shadows.known(call.run.job, call.at - READ_BEFORE, call.at)
        where = f"{call.run.job} {call.run.run_id}: attempt {call.attempt} called its target at {call.at}"
        if known == {True}:
            found.append(f"{where}, and its job was in shadow")
        if any(is_shadow(runs[parent]) for parent in runs[call.run].parents):
            found.append(f"{where}, and a shadow run had started it")
    for run in filter(is_shadow, runs.values()):
        scenario.history.judged[Rule.SHADOW] += 1
        ended = run.finished_at or run.claimed_at
        begun = (run.begun_at or ended) - READ_BEFORE  # a shadow is followed by a shadow, however long after
        inherited = any(is_shadow(runs[parent]) for parent in run.parents)
        if not inherited and True not in scenario.shadows.known(run.key.job, begun, ended + timedelta(seconds=1)):
            found.append(f"{run.key.job} {run.key.run_id}: ended as a shadow at {ended}, and its job was none")
        if any(each.state is not RunState.RUNNING for each in run.attempts):
            found.append(f"{run.key.job} {run.key.run_id}: ended as a shadow after an attempt that called its target")
    return found


def is_shadow(run: Run) -> bool:
    """Whether a run ended as a shadow."""
    return run.state is RunState.SKIPPED and run.skip_reason is SkipReason.SHADOW
