"""Jobs that depend on others, and the promises about their runs. Shares no code with what starts them."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from minutehand.domain.actor import Actor
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Dependency, Join, On
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.targets.http.fields import HttpTarget
from minutehand.usecases.definitions import manage
from tests.simulation.rules import Rule
from tests.simulation.shadows import is_shadow

if TYPE_CHECKING:
    from tests.simulation.observed import Moved
    from tests.simulation.scenario import Scenario

SETTLED = timedelta(seconds=120)
"""How long after the save of a child a parent's run may end without starting it: its worker read the children before the save."""
WINDOWS = (None, timedelta(seconds=30), timedelta(minutes=1), timedelta(minutes=5))
ENDS = (On.SUCCESS, On.SUCCESS, On.SUCCESS, On.END, On.END, On.FAILURE, On.SKIPPED)
SAVES = (60, 100, 160)
"""Seconds into the history at which a child is saved; at the first save its parents may not exist yet."""
Unit = tuple[datetime, RunKey | None]
"""What a child runs once for: a window, and the one parent's run if it is started for that alone."""
_ASKED = {
    On.SUCCESS: {RunState.SUCCEEDED},
    On.FAILURE: {RunState.FAILED, RunState.TIMED_OUT, RunState.LOST},
    On.END: {RunState.SUCCEEDED, RunState.FAILED, RunState.TIMED_OUT, RunState.LOST, RunState.CANCELLED},
    On.SKIPPED: {RunState.SKIPPED},
}


class Chains:
    """The child jobs of a history. Their parents never change; the jobs themselves are deleted and saved again."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        random = scenario.engine.random
        self.children: dict[JobKey, Job] = {}
        for number in range(random.choice([0, 1, 2])):
            key = JobKey("sim", f"child-{number}")
            parents = [*scenario.jobs, *self.children]
            chosen = random.sample(parents, k=min(len(parents), random.choice([1, 2, 2])))
            self.children[key] = Job(
                key=key,
                schedule="@manual",
                target=HttpTarget(method="GET", url="http://sim"),
                depends_on=tuple(Dependency(parent, random.choice(ENDS)) for parent in chosen),
                join=random.choice([Join.ALL, Join.ALL, Join.ANY]),
                join_window=random.choice(WINDOWS),
                timeout=timedelta(seconds=5),
            )

    def begin(self, start: datetime, chaos: timedelta) -> None:
        """Save the children, and sometimes pause, delete and save them again."""
        engine, random, ask = self.scenario.engine, self.scenario.engine.random, self.scenario.requests
        for key, job in self.children.items():
            for second in SAVES:
                engine.at(start + timedelta(seconds=second), lambda job=job: self._save(job))
            for _ in range(random.choice([0, 0, 1, 3])):
                act = random.choice([ask.pause, ask.resume, ask.delete, self._save_key])
                engine.at(start + random.uniform(0.2, 1) * chaos, lambda act=act, key=key: act(key))

    def _save_key(self, key: JobKey) -> None:
        self._save(self.children[key])

    def _save(self, job: Job) -> None:
        limited = replace(job, limits=self.scenario.named_limits[job.key])
        self.scenario.requests.ask(
            "save", lambda ports: manage.save(ports, limited, keep_paused=True, who=Actor("sim"))
        )


def violations(scenario: Scenario) -> list[str]:
    """Each window has one run, started by parents' runs of that window, and no window is forgotten. A child that was deleted and saved
    again is another job."""
    found = []
    units = Counter((run.key.job, _unit_of(scenario, run), _life(scenario, run)) for run in _runs(scenario))
    found += [f"{job} {unit}: {n} runs of one window or trigger" for (job, unit, _), n in units.items() if n > 1]
    ends: dict[RunKey, list[Moved]] = defaultdict(list)
    for move in scenario.history.moves:
        if move.after.state.finished:
            ends[move.after.key].append(move)
    for run in _runs(scenario):
        scenario.history.judged[Rule.CHILD] += 1
        found += _wrongly_started(scenario, run, ends)
    for job in scenario.chains.children.values():
        found += _forgotten(scenario, job, ends)
    return found


def _runs(scenario: Scenario) -> list[Run]:
    return [run for key, run in scenario.state.runs.items() if key.job in scenario.chains.children]


def _life(scenario: Scenario, run: Run) -> int:
    return scenario.history.life_of(scenario.history.made(run.key))


def _window(job: Job, run: RunKey) -> datetime:
    """The start of the window of a run; windows are in UTC and count from the epoch."""
    if job.join_window is None:
        return run.scheduled_for
    since = run.scheduled_for - datetime(1970, 1, 1, tzinfo=UTC)
    return run.scheduled_for - since % job.join_window


def _unit(scenario: Scenario, job: Job, parent: RunKey) -> Unit:
    """What a child runs once for after the end of a parent's run: its window, or that run alone if somebody asked for it."""
    one_suffices = job.join is Join.ANY or len(job.depends_on) == 1
    alone = job.join_window is None and one_suffices and _was_asked_for(scenario, parent)
    return _window(job, parent), parent if alone else None


def _unit_of(scenario: Scenario, run: Run) -> Unit:
    """What a child's run was started for; a run that somebody triggered is for itself."""
    if not run.parents:
        return run.scheduled_for, run.key
    return _unit(scenario, scenario.chains.children[run.key.job], run.parents[0])


def _was_asked_for(scenario: Scenario, run: RunKey) -> bool:
    """Whether somebody triggered a run, or a run which it was started for alone."""
    if "~child-" not in run.run_id:
        return "~trigger-" in run.run_id
    (_, alone) = _unit_of(scenario, scenario.state.runs[run])
    return alone is not None


def _end(run: Run) -> RunState:
    """How a run ended for its children: one in shadow as if its target had succeeded."""
    return RunState.SUCCEEDED if is_shadow(run) else run.state


def _wrongly_started(scenario: Scenario, run: Run, ends: dict[RunKey, list[Moved]]) -> list[str]:
    job = scenario.chains.children[run.key.job]
    where = f"{run.key.job} {run.key.run_id}"
    if "~child-" not in run.key.run_id:
        return [] if "~trigger-" in run.key.run_id else [f"{where}: neither its parents nor anybody else asked for it"]
    born = next(move.at for move in scenario.history.moves if move.after.key == run.key)
    had = {
        (key.job, _end(move.after))
        for key in run.parents
        for move in ends.get(key, ())
        if move.at <= born and _window(job, key) == run.scheduled_for
    }
    met = [any((entry.job, state) in had for state in _ASKED[entry.on]) for entry in job.depends_on]
    enough = all(met) if job.join is Join.ALL else any(met)
    return (
        []
        if enough
        else [f"{where}: started by {[key.run_id for key in run.parents]}, which are not what it waits for"]
    )


def _forgotten(scenario: Scenario, job: Job, ends: dict[RunKey, list[Moved]]) -> list[str]:
    """The windows without a run whose parents have all ended as the child asks."""
    commits = [c for c in scenario.history.commits if c.job == job.key]
    if not commits or any(c.deleted for c in commits[-1:]):
        return []
    made = max([c.at for before, c in zip([None, *commits], commits, strict=False) if before is None or before.deleted])
    met: dict[Unit, set[int]] = defaultdict(set)
    last: dict[Unit, datetime] = {}
    for key, moves in ends.items():
        for number, entry in enumerate(job.depends_on):
            if key.job == entry.job and _end(scenario.state.runs[key]) in _ASKED[entry.on]:
                unit = _unit(scenario, job, key)
                met[unit].add(number)
                last[unit] = max(last.get(unit, moves[-1].at), moves[-1].at)
    life = sum(c.deleted for c in commits)
    its = [run for run in _runs(scenario) if run.key.job == job.key and _life(scenario, run) == life]
    there = {_unit_of(scenario, run) for run in its if "~child-" in run.key.run_id}
    enough = len(job.depends_on) if job.join is Join.ALL else 1
    return [
        f"{job.key} {unit}: its parents' runs have ended as asked, the last at {last[unit]:%H:%M:%S}, and it has no run"
        for unit, entries in met.items()
        if len(entries) >= enough and unit not in there and last[unit] > made + SETTLED
    ]
