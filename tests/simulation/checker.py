"""The judge: compares what happened with what the schedules name. Shares no code with planning or run decisions."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from itertools import pairwise

from tests.simulation import (
    attempts,
    audited,
    chains,
    crowds,
    life,
    listing,
    missed,
    missed_starts,
    named_limits,
    occurrences,
    order,
    promptness,
    quotas,
    shadows,
    starts,
)
from tests.simulation.engine import START
from tests.simulation.explained import unexplained
from tests.simulation.queue import MOST_HELD
from tests.simulation.rules import Rule
from tests.simulation.scenario import CHAOS, Scenario

END = START + CHAOS + timedelta(minutes=9)
"""Until when jobs run, a minute before they are paused."""


def violations(scenario: Scenario) -> list[str]:
    """Every broken promise of a finished history. How often each rule was applied is counted in `History.judged`."""
    scenario.history.judged.clear()
    return [
        *attempts.violations(scenario),
        *calls_are_legal(scenario),
        *triggers_are_once(scenario),
        *everything_rests(scenario),
        *life.violations(scenario),
        *order.violations(scenario),
        *starts.violations(scenario, chaos=CHAOS, end=END),
        *missed.violations(scenario),
        *missed_starts.violations(scenario),
        *chains.violations(scenario),
        *crowds.violations(scenario, life.ends_of),
        *named_limits.violations(scenario, life.ends_of),
        *quotas.violations(scenario, life.ends_of),
        *promptness.violations(scenario),
        *shadows.violations(scenario),
        *listing.violations(scenario),
        *audited.violations(scenario),
        *(problem for job in scenario.jobs for problem in occurrences.violations(scenario, job, END)),
        *unexplained(scenario),
    ]


def calls_are_legal(scenario: Scenario) -> list[str]:
    calls = Counter((call.run, call.attempt) for call in scenario.history.calls)
    found = [
        f"{run.job} {run.run_id}: attempt {a} called its target {n} times" for (run, a), n in calls.items() if n > 1
    ]
    by_run = sorted(scenario.history.calls, key=lambda call: (call.run, call.at))
    for earlier, later in pairwise(by_run):
        if earlier.run == later.run and later.at < earlier.until:
            found.append(
                f"{later.run.job} {later.run.run_id}: attempt {later.attempt} called before {earlier.attempt} ended"
            )
    return found


def triggers_are_once(scenario: Scenario) -> list[str]:
    found = []
    for (job, key, asked), runs in scenario.history.triggers.items():
        scenario.history.judged[Rule.TRIGGER] += 1
        if len(runs) > 1:
            found.append(f"{job}: key {key} made {len(runs)} runs")
        found += [f"{job}: key {key} gave {run.run_id} of a deleted job" for run, whose in runs if whose < asked]
    return found


def everything_rests(scenario: Scenario) -> list[str]:
    scenario.history.judged[Rule.SENT_AGAIN] += len(set(scenario.history.purged))
    found = [
        f"{run.key.job} {run.key.run_id}: still {run.state.value} at the end"
        for run in scenario.state.runs.values()
        if not run.state.finished
    ]
    if left := [*scenario.queue.held, *scenario.slow.held, *scenario.dead.held]:
        found.append(f"{len(left)} messages are left")
    if any(queue.overflowed for queue in (scenario.queue, scenario.slow, scenario.dead)):
        found.append(f"messages multiply: a queue held {MOST_HELD}")
    if scenario.state.deadlines or scenario.state.rechecks:
        found.append("deadlines or rechecks are left")
    if scenario.state.strays:
        found.append(f"timers are in buckets where they do not belong: {scenario.state.strays}")
    for job, timer in scenario.state.timers.items():
        definition = scenario.state.definitions[job]
        if definition.deleted or (timer.next_at is None) != definition.job.paused:
            found.append(f"{job}: deleted={definition.deleted} paused={definition.job.paused}, next_at={timer.next_at}")
    return found
