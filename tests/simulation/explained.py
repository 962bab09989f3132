"""The promises of `explain` about a finished history: every instant is explained, and every run is named once."""

from __future__ import annotations

from datetime import timedelta

from minutehand.adapters.memory import MemoryNamespaces, MemoryOutbox, MemoryPermits, MemorySpreads, MemorySweeps
from minutehand.domain.findings import Finding, Kind
from minutehand.domain.job_key import JobKey
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.queries.explain import explain_range
from tests.simulation.engine import START
from tests.simulation.scenario import CHAOS, LOOK_AHEAD, Scenario

FIRST, LAST = START - timedelta(minutes=1), START + CHAOS + timedelta(minutes=9)
"""The range that is explained: from before the first save to the end of the quiet time in which jobs still run."""
_CONFESSIONS = (Kind.MISSED, Kind.UNKNOWN, Kind.OVERDUE, Kind.FORGOTTEN, Kind.NOT_YET)


def unexplained(scenario: Scenario) -> list[str]:
    """Every instant of a job's past without an explanation, and every run that is not named."""
    jobs = [job for job in scenario.jobs if job in scenario.state.definitions]
    return [problem for job in jobs for problem in _problems(scenario, job)]


def _problems(scenario: Scenario, job: JobKey) -> list[str]:
    findings = _findings(scenario, job)
    found = [
        f"{job}: {finding.first:%H:%M:%S} is explained as {finding.kind.value}"
        for finding in findings
        if finding.kind in _CONFESSIONS
    ]
    explained = sum(finding.times or 0 for finding in findings if finding.run)
    there = sum(run.key.job == job and FIRST <= run.scheduled_for <= LAST for run in scenario.state.runs.values())
    if explained != there:
        found.append(f"{job}: explain names {explained} of {there} runs")
    if [finding.first for finding in findings] != sorted(finding.first for finding in findings):
        found.append(f"{job}: explain gives what happened out of order")
    return found


def _findings(scenario: Scenario, job: JobKey) -> list[Finding]:
    ports, found = _world(scenario), list[Finding]()
    first, more = FIRST, True
    while more:
        part = explain_range(ports, job, first, LAST)
        found += part.findings
        first, more = part.more_from or first, part.more_from is not None
    return found


def _world(scenario: Scenario) -> Ports:
    """The stores without faults."""
    return Ports(
        timers=scenario.timers,
        definitions=scenario.definitions,
        runs=scenario.runs,
        calendars=scenario.calendars,
        permits=MemoryPermits(scenario.state),
        backfills=scenario.backfills,
        spreads=MemorySpreads(scenario.state),
        namespaces=MemoryNamespaces(scenario.state),
        sweeps=MemorySweeps(scenario.state),
        outputs=scenario.outputs,
        outbox=MemoryOutbox(scenario.state),
        clock=lambda: scenario.engine.now,
        look_ahead=LOOK_AHEAD,
    )
