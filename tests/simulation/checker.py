"""The judge: compares what happened with what the schedules name. Shares no code with planning or deciding."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from itertools import pairwise

from minutehand.domain.job import JobKey
from minutehand.domain.run import Run, RunKey, RunState, SkipReason
from minutehand.schedule import Schedule
from tests.simulation.engine import START
from tests.simulation.observed import Committed
from tests.simulation.scenario import CHAOS, Scenario

SKEW = timedelta(seconds=1)
AROUND_AN_EDIT = timedelta(seconds=2)
END = START + CHAOS + timedelta(minutes=9)
FINAL = {RunState.SUCCEEDED, RunState.FAILED, RunState.TIMED_OUT, RunState.LOST}


def violations(scenario: Scenario) -> list[str]:
    """Every broken promise of a finished history, in words."""
    return [
        *_moves_are_legal(scenario),
        *_calls_are_legal(scenario),
        *_triggers_are_once(scenario),
        *_everything_rests(scenario),
        *(problem for job in scenario.jobs for problem in _named_is_run(scenario, job)),
    ]


def _moves_are_legal(scenario: Scenario) -> list[str]:
    found = []
    started: Counter[tuple[RunKey, int]] = Counter()
    for move in scenario.history.moves:
        before, after = move.before, move.after
        where = f"{after.key.job} {after.key.run_id}"
        if before is None:
            continue
        if before.state in FINAL and before != after:
            found.append(f"{where}: finished as {before.state.value}, then became {after.state.value}")
        if before.state is RunState.SKIPPED and after.state is not RunState.QUEUED:
            found.append(f"{where}: was skipped, then became {after.state.value}")
        if after.state is RunState.RUNNING and after.attempt != before.attempt:
            started[after.key, after.attempt] += 1
            if after.attempt != before.attempt + 1:
                found.append(f"{where}: attempt {after.attempt} followed attempt {before.attempt}")
            if before.state is RunState.RUNNING and before.lease_until and move.at + SKEW < before.lease_until:
                found.append(f"{where}: taken over at {move.at}, its lease ends at {before.lease_until}")
        if before.state is RunState.RUNNING and after.state in FINAL - {RunState.LOST}:
            if (after.attempt, after.nonce) != (before.attempt, before.nonce):
                found.append(f"{where}: a report of attempt {after.attempt} was accepted at attempt {before.attempt}")
    found += [
        f"{key.job} {key.run_id}: attempt {attempt} started {n} times" for (key, attempt), n in started.items() if n > 1
    ]
    return found


def _calls_are_legal(scenario: Scenario) -> list[str]:
    calls = Counter((call.run, call.attempt) for call in scenario.history.calls)
    found = [
        f"{run.job} {run.run_id}: attempt {a} called its target {n} times" for (run, a), n in calls.items() if n > 1
    ]
    for call in scenario.history.calls:
        if call.at + SKEW + SKEW < call.run.scheduled_for:
            found.append(f"{call.run.job} {call.run.run_id}: started early, at {call.at}")
    by_run = sorted(scenario.history.calls, key=lambda call: (call.run, call.at))
    for earlier, later in pairwise(by_run):
        if earlier.run == later.run and later.at < earlier.until:
            found.append(
                f"{later.run.job} {later.run.run_id}: attempt {later.attempt} called before {earlier.attempt} ended"
            )
    return found


def _triggers_are_once(scenario: Scenario) -> list[str]:
    return [f"key {key} made {len(runs)} runs" for key, runs in scenario.history.triggers.items() if len(runs) > 1]


def _everything_rests(scenario: Scenario) -> list[str]:
    found = [
        f"{run.key.job} {run.key.run_id}: still {run.state.value} at the end"
        for run in scenario.state.runs.values()
        if not run.state.finished
    ]
    if scenario.queue.held or scenario.dead.held:
        found.append(f"{len(scenario.queue.held) + len(scenario.dead.held)} messages are left")
    if scenario.state.deadlines or scenario.state.rechecks:
        found.append("deadlines or rechecks are left")
    for job, timer in scenario.state.timers.items():
        definition = scenario.state.definitions[job]
        if definition.deleted or (timer.next_at is None) != definition.job.paused:
            found.append(f"{job}: deleted={definition.deleted} paused={definition.job.paused}, next_at={timer.next_at}")
    return found


def _named_is_run(scenario: Scenario, job: JobKey) -> list[str]:
    """Each instant named by the revision in effect has one run or a range that names a policy; nothing else started."""
    commits = [c for c in scenario.history.commits if c.job == job]
    edges = [edge for c in commits for edge in (c.at, c.revision.effective_from)]
    named: set[datetime] = set()
    for this, following in pairwise([*commits, None]):
        assert this is not None
        end = min(following.revision.effective_from, END) if following else END
        if this.revision.schedule is not None and end > this.revision.effective_from:
            named.update(Schedule.decode(this.revision.schedule).between(this.revision.effective_from, end, 10_000))
    found = []
    for instant in sorted(named):
        problem = _judge(scenario, job, instant, commits)
        if problem and not _near(instant, edges):
            found.append(f"{job} {instant:%H:%M:%S}: {problem}")
    for run in scenario.state.runs.values():
        if run.key.job == job and run.key.named_by_schedule and run.attempt and run.scheduled_for <= END:
            if run.scheduled_for not in named and not _while_editing(run.scheduled_for, commits):
                found.append(f"{job} {run.key.run_id}: started, and no revision in effect names it")
    return found


def _judge(scenario: Scenario, job: JobKey, instant: datetime, commits: list[Committed]) -> str | None:
    run: Run | None = scenario.state.runs.get(RunKey.scheduled(job, instant))
    if run is None:
        if any(s.job == job and s.first <= instant < s.until for s in scenario.state.skipped):
            return None
        return "named, but there is neither a run nor a range"
    if run.state in FINAL:
        return None
    if run.state is not RunState.SKIPPED:
        return f"named, but its run is {run.state.value}"
    judged = next((c for c in commits if c.revision.number == run.revision), None)
    stopped = judged is not None and (
        (run.skip_reason is SkipReason.PAUSED and judged.paused)
        or (run.skip_reason is SkipReason.DELETED and judged.deleted)
    )
    return None if stopped else f"named, but skipped as {run.skip_reason} by revision {run.revision}"


def _while_editing(instant: datetime, commits: list[Committed]) -> bool:
    """Whether an edit was under way: it took effect at an instant at which it was not yet stored."""
    return any(c.revision.effective_from - AROUND_AN_EDIT <= instant <= c.at + AROUND_AN_EDIT for c in commits)


def _near(instant: datetime, edges: list[datetime]) -> bool:
    return any(abs(instant - edge) <= AROUND_AN_EDIT for edge in edges)
