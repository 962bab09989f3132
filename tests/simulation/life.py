"""The judge of runs once they are due: limits, overlap, fixed delays, later answers, cancels.

As `checker`, it shares no code with the rules that it judges.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta
from itertools import pairwise

from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Overlap
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from tests.simulation.attempts import READ_BEFORE
from tests.simulation.drawn import SHORTEST_DELAY
from tests.simulation.engine import START
from tests.simulation.observed import Called
from tests.simulation.rules import Rule
from tests.simulation.scenario import CHAOS, Scenario

SKEW = timedelta(seconds=1)
TWICE = 2 * SKEW
"""Two processes, each with a clock of its own."""
END = START + CHAOS + timedelta(minutes=9)
UNDER_WAY = timedelta(seconds=60)
"""How long after it read a definition a worker may use it: a call in between may take 45 seconds."""
LONGEST_REST = timedelta(minutes=4)
"""Longer than a fixed delay, an attempt, its lease and the look-ahead together, once there are no more faults."""
HELD = (RunState.RUNNING, RunState.WAITING)


def violations(scenario: Scenario) -> list[str]:
    """Every broken promise."""
    return [
        *_cancels_hold(scenario),
        *_runs_keep_their_limit(scenario),
        *_the_deleted_start_nothing(scenario),
        *(problem for job in scenario.jobs for problem in _calls_do_not_overlap(scenario, job)),
        *(problem for job in scenario.jobs if scenario.delayed[job] for problem in _delays_are_kept(scenario, job)),
    ]


def _cancels_hold(scenario: Scenario) -> list[str]:
    """No attempt starts after a cancel, and the run ends."""
    scenario.history.judged[Rule.CANCELLED] += sum(bool(run.cancelled_by) for run in scenario.state.runs.values())
    found = [
        f"{_name(move.after)}: attempt {move.after.attempt} began although {move.before.cancelled_by} had asked for its end"
        for move in scenario.history.moves
        if move.before is not None and move.before.cancelled_by and move.after.attempt != move.before.attempt
    ]
    return found + [
        f"{_name(run)}: cancelled by nobody"
        for run in scenario.state.runs.values()
        if run.state is RunState.CANCELLED and not run.cancelled_by
    ]


def _runs_keep_their_limit(scenario: Scenario) -> list[str]:
    found = []
    for call in scenario.history.calls:
        run = scenario.state.runs[call.run]
        known = scenario.history.in_sight(call.run.job, call.at - READ_BEFORE, call.at)
        limits = {c.run_timeout for c in known}
        if None in limits or not limits or run.lateness is None:
            continue
        scenario.history.judged[Rule.RUN_TIMEOUT] += 1
        last = run.starts_at + run.lateness + max(limit for limit in limits if limit is not None)
        if call.at > last + TWICE:
            found.append(f"{_name(run)}: attempt {call.attempt} began at {call.at}, its run was over at {last}")
    return found


def _the_deleted_start_nothing(scenario: Scenario) -> list[str]:
    """A run of a deleted job is not started under a new job of its name."""
    deletions = [(c.job, c.revision.number, c.at) for c in scenario.history.commits if c.deleted]
    return [
        f"{_name(move.after)}: attempt {move.after.attempt} began, its job was deleted at {at}"
        for move in scenario.history.moves
        if move.before is not None and move.after.attempt != move.before.attempt
        for job, number, at in deletions
        if job == move.after.key.job
        and move.after.revision < number
        and at + UNDER_WAY < (move.after.started_at or move.at)
        if not move.after.key.named_by_schedule
    ]


def _calls_do_not_overlap(scenario: Scenario, job: JobKey) -> list[str]:
    if scenario.overlaps[job] is Overlap.ALLOW and not scenario.delayed[job]:
        return []
    runs = scenario.state.runs  # those that were asked for with an overlap of their own may overlap, and do not count
    own = [c for c in scenario.history.calls if c.run.job == job and runs[c.run].overlap is not Overlap.ALLOW]
    calls = sorted(own, key=lambda call: call.at)
    found, busy_until, by = [], START, ""
    for call in calls:
        scenario.history.judged[Rule.ALONE] += 1
        if call.at < busy_until:
            found.append(f"{job}: {call.run.run_id} #{call.attempt} was called at {call.at} while {by} was active")
        ends = ends_of(scenario, call)
        if ends > busy_until:
            busy_until, by = ends, f"{call.run.run_id} #{call.attempt} until {ends}"
    return found


def ends_of(scenario: Scenario, call: Called) -> datetime:
    """When an attempt is over: with its call or, if that is answered later, with the end of the wait or of the lease."""
    if not call.later:
        return call.until
    leases: list[datetime] = []
    for move in scenario.history.moves:
        of_it = move.after.key == call.run and move.after.attempt == call.attempt and move.after.state in HELD
        if of_it and move.after.lease_until is not None:
            if leases and move.at > leases[-1] + TWICE:
                break  # a heartbeat whose write takes so long that the lease is over prolongs nothing
            leases.append(move.after.lease_until)
    ended = [
        move.at
        for move in scenario.history.moves
        if move.before is not None
        and move.before.key == call.run
        and move.before.attempt == call.attempt
        and move.before.state in HELD
        and not (move.after.state in HELD and move.after.attempt == call.attempt)
    ]
    return max(call.until, min([*ended, *leases[-1:]], default=call.until) - TWICE)


def _delays_are_kept(scenario: Scenario, job: JobKey) -> list[str]:
    """The next run of a fixed delay starts no sooner than the delay after the last one ended, and it does start."""
    ends: dict[RunKey, datetime] = {}
    for move in scenario.history.moves:
        if move.after.key.job == job and move.after.state.finished and move.after.key.named_by_schedule:
            ends[move.after.key] = move.after.finished_at or move.at
    starts: dict[RunKey, list[Called]] = defaultdict(list)
    for call in sorted(scenario.history.calls, key=lambda call: call.at):
        if call.run.job == job and call.run.named_by_schedule:
            starts[call.run].append(call)
    found = []
    for earlier, later in pairwise(sorted(starts, key=lambda key: starts[key][0].at)):
        scenario.history.judged[Rule.DELAY] += 1
        reborn = any(c.job == job and c.deleted and c.at <= starts[later][0].at for c in scenario.history.commits)
        end = ends.get(earlier)
        if end is not None and not reborn and starts[later][0].at + TWICE < end + SHORTEST_DELAY:
            found.append(f"{job}: {later.run_id} began at {starts[later][0].at}, {earlier.run_id} ended at {end}")
    last = [c for c in scenario.history.commits if c.job == job and c.at <= END]
    if last and not last[-1].paused and not last[-1].deleted:
        newest = max((c.at for calls in starts.values() for c in calls if c.at <= END), default=START)
        if newest < END - LONGEST_REST and not _is_outstanding(scenario, job):
            found.append(f"{job}: nothing has begun since {newest}")
    return found


def _is_outstanding(scenario: Scenario, job: JobKey) -> bool:
    """Whether a run is unfinished at the end, because its retry is far off or its worker died with its message: the delay has not begun.
    That it ends is judged for all runs."""
    stored = {move.after.key: move.after for move in scenario.history.moves if move.at <= END}
    return any(run.key.job == job and run.key.named_by_schedule and not run.state.finished for run in stored.values())


def _name(run: Run) -> str:
    return f"{run.key.job} {run.key.run_id}"
