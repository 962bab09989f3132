"""Concurrency limits and pauses of the namespace, and the promises about them. Shares no code with what enforces them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from minutehand.adapters.memory import MemoryNamespaces
from minutehand.domain.actor import Actor
from minutehand.domain.audit import AuditRecord
from minutehand.domain.namespace import Namespace, NamespacePause
from minutehand.domain.quota import UNLIMITED
from minutehand.domain.run import Run, RunState, SkipReason
from minutehand.usecases.definitions import namespaces
from tests.simulation.rules import Rule

if TYPE_CHECKING:
    from minutehand.domain.job_key import JobKey
    from tests.simulation.observed import Called, Moved
    from tests.simulation.scenario import Scenario

Ends = Callable[["Scenario", "Called"], datetime]
"""Returns when an attempt is over."""
NAMESPACE = "sim"
LATE = timedelta(seconds=100)
"""How long after it read the settings a worker may still start a run, when every port is slow."""
CLOCKS = timedelta(seconds=2)


class Crowds:
    """The limits of a history, which never change, and the pauses of its namespace.

    Attributes:
        most: limit of each job; None for no limit.
        most_of_all: limit of the namespace.
        pauses: when each pause was stored, and when its end was.
        revisions: numbers of the namespace's revisions that somebody asked for.
        begun: since when each pause keeps occurrences from running: a slow request stores it later.
    """

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        random = scenario.engine.random
        self.most: dict[JobKey, int | None] = {job: random.choice((None, None, 1, 2)) for job in scenario.jobs}
        self.most_of_all: int | None = random.choice((None, None, 1, 2, 3))
        self.pauses: list[tuple[datetime, datetime | None]] = []
        self.begun: list[datetime] = []
        self.revisions: list[int] = []
        self._newest: NamespacePause | None = None
        self.stores = _Observed(scenario.state, self)

    @property
    def limits_all(self) -> bool:
        """Whether the namespace limits its runs, so that any may wait."""
        return self.most_of_all is not None or self.scenario.quota != UNLIMITED

    def begin(self, start: datetime, chaos: timedelta) -> None:
        """Set the namespace's limit and quota, and sometimes pause and resume it."""
        engine, random = self.scenario.engine, self.scenario.engine.random
        quota = self.scenario.quota
        if self.limits_all:
            self.stores.save(None, Namespace(name=NAMESPACE, max_concurrency=self.most_of_all, quota=quota, revision=1))
        for _ in range(random.choice((0, 0, 1, 2))):
            begins = start + random.uniform(0.1, 0.9) * chaos
            until = None if random.random() < 0.5 else begins + timedelta(seconds=random.randint(10, 200))
            until = until and until.replace(microsecond=0)
            engine.at(begins, lambda until=until: self._pause(until))
            engine.at(begins + timedelta(seconds=random.uniform(1, 250)), self.resume)

    def _pause(self, until: datetime | None) -> None:
        self.scenario.requests.ask(
            "pause all", lambda ports: namespaces.pause(ports, NAMESPACE, until=until, who=Actor("sim"))
        )

    def resume(self) -> None:
        """Resume the namespace; done again at the end, in case it failed."""
        self.scenario.requests.ask("resume all", lambda ports: namespaces.resume(ports, NAMESPACE, who=Actor("sim")))

    def saved(self, stored: Namespace, at: datetime) -> None:
        """Record the pauses of the stored settings, and whether they put the namespace in shadow."""
        self.scenario.shadows.settings.append((at, stored.shadow))
        stored_pauses = stored.pauses
        if len(stored_pauses) > len(self.pauses):
            self.pauses.append((at, None))
            self.begun.append(stored_pauses[-1].begun)
        if stored_pauses and stored_pauses[-1] != self._newest:  # a change of something else leaves its end as it is
            self._newest = stored_pauses[-1]
            begun = self.pauses[-1][0]
            self.pauses[-1] = (begun, at if self._newest.ended is not None else self._newest.until)


class _Observed(MemoryNamespaces):
    def __init__(self, state: object, crowds: Crowds) -> None:
        super().__init__(state)
        self._crowds = crowds

    def save(self, before: Namespace | None, after: Namespace, audit: AuditRecord | None = None) -> bool:
        done = super().save(before, after, audit)
        if done:
            if before is not None or after.revision > 1 or after.updated_by:
                self._crowds.revisions.append(after.revision)
            self._crowds.saved(after, self._crowds.scenario.engine.now)
        return done


def violations(scenario: Scenario, ends: Ends) -> list[str]:
    """Every broken promise."""
    calls, crowds = scenario.history.calls, scenario.crowds
    found = too_many_at_once(scenario, calls, ends, crowds.most_of_all, NAMESPACE)
    for job, most in crowds.most.items():
        found += too_many_at_once(scenario, [call for call in calls if call.run.job == job], ends, most, str(job))
    return found + _begun_in_a_pause(scenario) + _skipped_for_none(scenario)


def too_many_at_once(
    scenario: Scenario, calls: Iterable[Called], ends: Ends, most: int | None, whose: str
) -> list[str]:
    """Where more calls were under way at once than a limit allows."""
    if most is None:
        return []
    found: list[str] = []
    busy: list[tuple[datetime, str]] = []
    for call in sorted(calls, key=lambda call: call.at):
        scenario.history.judged[Rule.LIMIT] += 1
        busy = [(until, name) for until, name in busy if until > call.at]
        busy.append((ends(scenario, call), f"{call.run.job.name} {call.run.run_id} #{call.attempt}"))
        if len(busy) > most:
            found.append(
                f"{whose}: {len(busy)} at once, of {most}, at {call.at}: {', '.join(name for _, name in busy)}"
            )
    return found


def _begun_in_a_pause(scenario: Scenario) -> list[str]:
    return [
        f"{move.after.key.run_id} of {move.after.key.job}: began at {move.at} in a pause of the namespace: {pause}"
        for move in scenario.history.moves
        if _begins(move)
        for pause in scenario.crowds.pauses
        if pause[0] + LATE < move.at and (pause[1] is None or move.at < pause[1] - CLOCKS)
    ]


def _begins(move: Moved) -> bool:
    before, after = move.before, move.after
    begun = before is not None and before.state is RunState.QUEUED and after.state is RunState.RUNNING
    return begun and "~trigger" not in after.key.run_id


def _skipped_for_none(scenario: Scenario) -> list[str]:
    scenario.history.judged[Rule.PAUSE] += sum(
        run.skip_reason is SkipReason.NAMESPACE_PAUSED for run in scenario.state.runs.values()
    )
    return [
        f"{run.key.run_id} of {run.key.job}: skipped for a pause of the namespace, of {scenario.crowds.pauses}"
        for run in scenario.state.runs.values()
        if run.skip_reason is SkipReason.NAMESPACE_PAUSED
        if run.state is RunState.SKIPPED and not _near_a_pause(run, scenario)
    ]


def _near_a_pause(run: Run, scenario: Scenario) -> bool:
    ended = run.finished_at or run.claimed_at
    return any(
        (begun - CLOCKS <= run.scheduled_for and (end is None or run.scheduled_for <= end + CLOCKS))
        or (stored - CLOCKS <= ended and (end is None or ended <= end + LATE))
        for (stored, end), begun in zip(scenario.crowds.pauses, scenario.crowds.begun, strict=True)
    )
