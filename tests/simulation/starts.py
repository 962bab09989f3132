"""The judge of when runs begin: never early, as late as `jitter` says, and in time while nothing fails."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Overlap
from minutehand.domain.run import RunState
from minutehand.domain.run_key import RunKey
from tests.simulation.engine import START
from tests.simulation.rules import Rule

if TYPE_CHECKING:
    from tests.simulation.scenario import Scenario

SKEW = timedelta(seconds=1)
ON_TIME = timedelta(seconds=3)
ENDS_SOON = timedelta(seconds=70)
"""How long after the last fault a function that dispatches may have met one."""
NEVER_BY_CHANCE = 1e-7


def violations(scenario: Scenario, *, chaos: timedelta, end: datetime) -> list[str]:
    """Every broken promise of a history whose faults end after `chaos`, and whose jobs run until `end`."""
    return [*early(scenario), *_late(scenario, START + chaos + ENDS_SOON, end), *jitter(scenario)]


def early(scenario: Scenario) -> list[str]:
    """No worker's clock is more than a second ahead."""
    found = []
    for call in scenario.history.calls:
        scenario.history.judged[Rule.NOT_EARLY] += 1
        due = scenario.state.runs[call.run].starts_at
        if call.at + SKEW < due:
            found.append(f"{call.run.job} {call.run.run_id}: started early, at {call.at}; it is due at {due}")
    return found


def _late(scenario: Scenario, calm: datetime, end: datetime) -> list[str]:
    """Nothing fails from `calm` to `end`: what nothing limits begins in time."""
    if scenario.crowds.limits_all:
        return []
    free = {
        job
        for job in scenario.jobs
        if scenario.overlaps[job] is Overlap.ALLOW and not scenario.delayed[job]
        if scenario.crowds.most[job] is None and not scenario.named_limits[job]
    }
    begun: dict[RunKey, datetime] = {}
    for call in scenario.history.calls:
        begun.setdefault(call.run, call.at)
    found = []
    for run in scenario.state.runs.values():
        on_time = calm <= run.claimed_at <= run.scheduled_for and run.starts_at <= end
        if on_time and run.key.job in free and run.key.named_by_schedule and run.state is not RunState.SKIPPED:
            scenario.history.judged[Rule.IN_TIME] += 1
            at = begun.get(run.key)
            if at is None or at > run.starts_at + ON_TIME:
                found.append(f"{run.key.job} {run.key.run_id}: due at {run.starts_at}, and began at {at}")
    for move in scenario.history.moves:
        before, due = move.before, move.before.retry_at if move.before else None
        if before is None or due is None or before.state is not RunState.RETRYING or before.key.job not in free:
            continue
        if move.after.state is RunState.RUNNING and before.finished_at and before.finished_at >= calm:
            scenario.history.judged[Rule.IN_TIME] += 1
            if move.at > due + ON_TIME:
                found.append(
                    f"{before.key.job} {before.key.run_id}: its retry was due at {due}, and began at {move.at}"
                )
    return found


def jitter(scenario: Scenario) -> list[str]:
    """Delays are whole seconds from 0 to `jitter`, always the same for an instant, and not the same for all of them."""
    jitters = {(c.job, c.revision.number): c.given.jitter or timedelta(0) for c in scenario.history.commits}
    delays: dict[tuple[JobKey, timedelta], dict[datetime, timedelta]] = defaultdict(dict)
    found = []
    for move in scenario.history.moves:
        run = move.after
        is_claim = run.state is RunState.QUEUED and (move.before is None or move.before.revision != run.revision)
        if not is_claim or not run.key.named_by_schedule:
            continue
        where, most, delay = f"{run.key.job} {run.key.run_id}", jitters[run.key.job, run.revision], run.start_delay
        if not timedelta(0) <= delay <= most or delay.microseconds:
            found.append(f"{where}: starts {delay} after its instant, its jitter is {most}")
        if delays[run.key.job, most].setdefault(run.scheduled_for, delay) != delay:
            found.append(f"{where}: starts {delay} after its instant, and once did so after another delay")
        scenario.history.judged[Rule.JITTER] += bool(most)
    for (job, most), known in delays.items():
        chance = (most / timedelta(seconds=1) + 1) ** (1 - len(known))
        if most and chance < NEVER_BY_CHANCE and len(set(known.values())) == 1:
            found.append(f"{job}: {len(known)} runs start {delay} after their instants, their jitter is {most}")
    return found
