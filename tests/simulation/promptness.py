"""When attempts begin: the longest wait of runs for the first, and the promises about that and about retries. Shares no code with what decides it."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random
from typing import TYPE_CHECKING

from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Overlap
from minutehand.domain.run import Run, RunState, SkipReason
from minutehand.domain.run_key import RunKey
from tests.simulation.engine import START

if TYPE_CHECKING:
    from tests.simulation.scenario import Scenario

LIMITS = (None, None, *(timedelta(seconds=n) for n in (15, 60, 240)))
CALM = timedelta(minutes=15)
"""From then on, counted from the start of a history, no fault of its first ten minutes delays a run that is due."""
FAULTLESS = timedelta(minutes=11)
"""From then on, the calls of ports do not fail."""
PAUSED = timedelta(minutes=20)
"""At this time of a history all jobs are paused."""
WITHOUT_TICKS = range(3, 9)
"""Minutes without ticks of a history with a backlog."""
SOON = timedelta(seconds=5)
AT_ONCE = timedelta(seconds=1)
"""A message takes up to 0.3 s, a run that is moved to the slow lane has two, and the calls of ports before a start take as long."""
LONGEST_GRACE = timedelta(minutes=5)
SAVE_AND_PAUSE = 2
"""Revisions of a job that is saved once; at the end each job is paused."""
CAUGHT_UP = timedelta(seconds=60)
"""A missed occurrence may begin up to a minute after its claim, or after it was first sent if that failed before."""


def drawn(seed: int, jobs: list[JobKey]) -> dict[JobKey, timedelta | None]:
    """The `start_within` of each job, which does not change within a history."""
    random = Random(f"start_within {seed}")
    return {job: random.choice(LIMITS) for job in jobs}


def has_backlog(seed: int) -> bool:
    """Whether no tick runs for minutes, and jobs catch up slowly on all that they missed."""
    return Random(f"backlog {seed}").random() < 0.15


def violations(scenario: Scenario) -> list[str]:
    """Every broken promise."""
    runs = [run for run in scenario.state.runs.values() if run.key.job in scenario.start_within]
    return [
        *(problem for run in runs for problem in within_limits(scenario, run)),
        *(problem for run in runs for problem in _waits_no_longer(scenario, run)),
        *_retries_are_prompt(scenario),
        *_the_latest_missed_come_first(scenario),
        *_the_pace_holds_up_nothing_else(scenario),
    ]


def within_limits(scenario: Scenario, run: Run) -> list[str]:
    """A run begins within its job's `start_within`, and is skipped for it only after that."""
    limit, where = scenario.start_within[run.key.job], f"{run.key.job} {run.key.run_id}"
    too_late = run.state is RunState.SKIPPED and run.skip_reason is SkipReason.START_WITHIN
    if limit is None or run.key.backfill is not None:
        return [f"{where}: skipped as too late to begin, which it may not be"] if too_late else []
    last = run.starts_at + limit
    found = []
    if too_late and (run.attempt or (run.finished_at or last) < last):
        found.append(f"{where}: skipped at {run.finished_at} as too late to begin, after {run.attempt} attempts")
    if run.lateness is not None and run.lateness > limit:
        found.append(f"{where}: began {run.lateness} late, and may wait for {limit}")
    return found


def _waits_no_longer(scenario: Scenario, run: Run) -> list[str]:
    """A run is skipped soon after its job's `start_within` is over."""
    limit = scenario.start_within[run.key.job]
    if limit is None or run.key.backfill is not None:
        return []
    last, ends = run.starts_at + limit, waited_until(scenario, run.key)
    sent, _ = scenario.queue.starts.get(run.key, (START, START))
    spread = max(run.claimed_at, sent) + CAUGHT_UP
    if (
        ends is not None
        and sent > START + FAULTLESS
        and START + CALM < last < START + PAUSED
        and ends > max(last, spread) + SOON
    ):
        return [f"{run.key.job} {run.key.run_id}: waited until {ends}, and could not begin after {last}"]
    return []


def waited_until(scenario: Scenario, run: RunKey) -> datetime | None:
    """When the run last ceased to be queued."""
    moves = [move for move in scenario.history.moves if move.after.key == run and move.before is not None]
    return max(
        (m.at for m in moves if m.before and m.before.state is RunState.QUEUED is not m.after.state), default=None
    )


def _retries_are_prompt(scenario: Scenario) -> list[str]:
    """Without faults, and where nothing limits a job's runs, a retry begins at its instant."""
    if scenario.crowds.limits_all:
        return []
    free = {
        job
        for job in scenario.jobs
        if scenario.overlaps[job] is Overlap.ALLOW and not scenario.delayed[job] and scenario.crowds.most[job] is None
    }
    return [
        f"{move.after.key.job} {move.after.key.run_id}: its retry of {move.before.retry_at} began at {move.at}"
        for move in scenario.history.moves
        if move.after.key.job in free and move.after.state is RunState.RUNNING
        if move.before is not None and move.before.state is RunState.RETRYING
        if move.before.retry_at is not None and START + CALM < move.before.retry_at < move.at - AT_ONCE
        if (move.before.finished_at or START)
        > START + FAULTLESS  # else a process with another clock may have sent its message
    ]


def _the_latest_missed_come_first(scenario: Scenario) -> list[str]:
    """The latest missed run is sent so that it begins before those that were claimed and sent together with it.

    What counts is when they were to begin as of their claim: a call that takes long to send them may outlast the second between them.
    """
    runs, starts = scenario.state.runs, scenario.queue.starts
    found = []
    for skipped in scenario.state.skipped:
        late = runs.get(RunKey.scheduled(skipped.job, skipped.until))
        if str(skipped.policy) != "catch_up=latest" or late is None or late.start_delay or late.key not in starts:
            continue
        if late.resent_at is not None:
            continue  # the tick died before it sent them, and the sweep sends all that are overdue at once
        saves = sum(c.job == skipped.job for c in scenario.history.commits)
        grace = scenario.state.definitions[skipped.job].job.misfire_grace if saves <= SAVE_AND_PAUSE else LONGEST_GRACE
        if late.claimed_at - late.scheduled_for <= grace:
            continue  # it may have been claimed on time, before another tick recorded the range
        together = [
            run
            for run in runs.values()
            if run.key.job == skipped.job and run.claimed_at == late.claimed_at and run.key.named_by_schedule
        ]
        sent, begins = starts[late.key]
        found += [
            f"{late.key.job} {late.key.run_id}: missed, and to begin at {begins}, after {run.key.run_id}"
            for run in together
            if run.key in starts and run.scheduled_for > late.scheduled_for
            if starts[run.key][0] == sent
            if max(starts[run.key][1], run.claimed_at) <= max(begins, late.claimed_at)
        ]
    return found


def _the_pace_holds_up_nothing_else(scenario: Scenario) -> list[str]:
    """Without faults, a tick that dispatches a missed occurrence also dispatches those that are due soon."""
    found = []
    for job in scenario.jobs:
        definition = scenario.state.definitions.get(job)
        if definition is None or definition.job.max_runs is not None or definition.job.calendars:
            continue
        runs = [run for run in scenario.state.runs.values() if run.key.job == job and run.key.named_by_schedule]
        ticked = {run.claimed_at for run in runs if run.claimed_at - run.scheduled_for > timedelta(minutes=5)}
        found += [
            f"{job} {run.key.run_id}: due soon at {at}, when missed ones were claimed, and claimed at {run.claimed_at}"
            for run in runs
            for at in ticked
            if START + FAULTLESS < at < run.scheduled_for <= at + timedelta(seconds=100)
            if run.claimed_at > run.scheduled_for
        ]
    return found
