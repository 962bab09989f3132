"""The judge: compares what happened with what the schedules name. Shares no code with planning or run decisions."""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime, timedelta
from itertools import pairwise

from minutehand.domain.definition import Revision
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Run, RunKey, RunState, SkipReason
from minutehand.domain.timer import SkipCause
from minutehand.schedule import Schedule
from tests.simulation import chains, crowds, life, named_limits, starts
from tests.simulation.engine import START
from tests.simulation.explained import unexplained
from tests.simulation.observed import Committed
from tests.simulation.scenario import CHAOS, LOOK_AHEAD, Scenario

SKEW = timedelta(seconds=1)
AROUND_AN_EDIT = timedelta(seconds=2)
DISPATCH = timedelta(seconds=90)
"""How long a decision that used a calendar may still be under way."""
END = START + CHAOS + timedelta(minutes=9)
JUDGED_ELSEWHERE = (
    SkipReason.OVERLAP,
    SkipReason.REPLACED,
    SkipReason.NAMESPACE_PAUSED,
    SkipReason.START_WITHIN,
)
FINAL = {RunState.SUCCEEDED, RunState.FAILED, RunState.TIMED_OUT, RunState.CANCELLED, RunState.LOST}


def violations(scenario: Scenario) -> list[str]:
    """Every broken promise of a finished history."""
    return [
        *_moves_are_legal(scenario),
        *_calls_are_legal(scenario),
        *_triggers_are_once(scenario),
        *_everything_rests(scenario),
        *life.violations(scenario),
        *chains.violations(scenario),
        *crowds.violations(scenario, life.ends_of),
        *named_limits.violations(scenario, life.ends_of),
        *starts.violations(scenario),
        *(problem for job in scenario.jobs for problem in _named_is_run(scenario, job)),
        *unexplained(scenario),
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
        if before.state in (RunState.RUNNING, RunState.WAITING) and after.state in FINAL - {RunState.LOST}:
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
        if call.at + SKEW + SKEW < scenario.state.runs[call.run].starts_at:
            found.append(f"{call.run.job} {call.run.run_id}: started early, at {call.at}")
    by_run = sorted(scenario.history.calls, key=lambda call: (call.run, call.at))
    for earlier, later in pairwise(by_run):
        if earlier.run == later.run and later.at < earlier.until:
            found.append(
                f"{later.run.job} {later.run.run_id}: attempt {later.attempt} called before {earlier.attempt} ended"
            )
    return found


def _triggers_are_once(scenario: Scenario) -> list[str]:
    found = []
    for (job, key, asked), runs in scenario.history.triggers.items():
        if len(runs) > 1:
            found.append(f"{job}: key {key} made {len(runs)} runs")
        found += [f"{job}: key {key} gave {run.run_id} of a deleted job" for run, whose in runs if whose < asked]
    return found


def _everything_rests(scenario: Scenario) -> list[str]:
    found = [
        f"{run.key.job} {run.key.run_id}: still {run.state.value} at the end"
        for run in scenario.state.runs.values()
        if not run.state.finished
    ]
    if left := [*scenario.queue.held, *scenario.slow.held, *scenario.dead.held]:
        found.append(f"{len(left)} messages are left")
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
        if this.revision.rule is not None and not this.delay and end > this.revision.effective_from:
            named.update(_instants(this.revision, end))
    found = []
    for instant in sorted(named):
        problem = _judge(scenario, job, instant, commits) or _blocked_wrongly(scenario, job, instant, commits)
        if problem and not _near(instant, edges) and not _had_enough(scenario, instant, commits):
            found.append(f"{job} {instant:%H:%M:%S}: {problem}")
    found += _ran_too_often(scenario, commits)
    for run in scenario.state.runs.values():
        if run.key.job == job and run.key.named_by_schedule and run.attempt and run.scheduled_for <= END:
            waits_for_ends = any(c.delay and c.revision.number == run.revision for c in commits)
            if run.scheduled_for not in named and not waits_for_ends and not _while_editing(run.scheduled_for, commits):
                found.append(f"{job} {run.key.run_id}: started, and no revision in effect names it")
    return found


def _instants(revision: Revision, end: datetime) -> list[datetime]:
    """The instants that a revision names from when it takes effect, by its schedule and its window."""
    schedule, _, limits = (revision.rule or "").partition("\n")
    given = json.loads(limits) if limits else {}
    start, last = (datetime.fromisoformat(given[name]) if name in given else None for name in ("start_at", "end_at"))
    instants = Schedule.decode(schedule).between(revision.effective_from, end, 10_000)
    return [t for t in instants if (start is None or start <= t) and (last is None or t <= last)]


def _governing(instant: datetime, commits: list[Committed]) -> Committed:
    return next(c for c in reversed(commits) if c.revision.effective_from < instant)


def _blocked_wrongly(scenario: Scenario, job: JobKey, instant: datetime, commits: list[Committed]) -> str | None:
    """Whether an instant ran although its calendars blocked it all the time, or was blocked by no calendar."""
    governing = _governing(instant, commits)
    limits = (governing.revision.rule or "").partition("\n")[2]
    names = json.loads(limits).get("calendars", ()) if limits else ()
    run = scenario.state.runs.get(RunKey.scheduled(job, instant))
    claimed = run.claimed_at if run else instant
    versions = {
        name: [
            version
            for (at, version), later in pairwise([*(c for c in scenario.history.calendars if c[1].key.name == name), None])
            if (later is None or later[0] >= min(claimed, instant) - LOOK_AHEAD - DISPATCH)
            and at <= (claimed + DISPATCH if run else END)
        ]
        for name in names
    }  # fmt: skip
    blocks = {
        name: [v.blocks(instant, instant.replace(tzinfo=None)) for v in found] for name, found in versions.items()
    }
    began_as_it_was = _while_editing(instant, commits)  # under the revision that still stood
    if run is not None and run.attempt and any(all(said) for said in blocks.values()) and not began_as_it_was:
        return "ran, though a calendar blocked it"
    if run is None and not any(any(said) for said in blocks.values()):
        ranges = [s for s in scenario.state.skipped if s.job == job and s.first <= instant < s.until]
        if ranges and all(s.policy.cause is SkipCause.CALENDAR for s in ranges):
            return f"was blocked, and no calendar ever said so: {ranges}"
    return None


def _had_enough(scenario: Scenario, instant: datetime, commits: list[Committed]) -> bool:
    """Whether the job had used up its runs before this instant."""
    limit, used = _used(scenario, instant, commits)
    cancelled = {
        run.scheduled_for
        for run in scenario.state.runs.values()
        if run.key.job == commits[0].job and run.state is RunState.CANCELLED and run.key.named_by_schedule
    }  # a person has taken them out before their time; they count all the same
    return limit is not None and sum(t < instant or t in cancelled for t in used) >= limit


def _ran_too_often(scenario: Scenario, commits: list[Committed]) -> list[str]:
    found = set()
    for commit in commits:
        limit, _ = _used(scenario, commit.revision.effective_from + SKEW, commits)
        ran = _ran(scenario, commit.revision.effective_from + SKEW, commits)
        # What begins while an edit is under way has been given back already.
        ran = [instant for instant in ran if not _while_editing(instant, commits)]
        if limit is not None and len(ran) > limit:
            found.add(
                f"{commit.job}: {len(ran)} occurrences ran, {limit} is the most: {[f'{t:%H:%M:%S}' for t in ran]}"
            )
    return sorted(found)


def _ran(scenario: Scenario, at: datetime, commits: list[Committed]) -> list[datetime]:
    born, gone = _life(at, commits)
    return sorted(
        run.scheduled_for
        for run in scenario.state.runs.values()
        if run.key.job == commits[0].job
        and run.key.named_by_schedule
        and run.attempt
        and born < run.scheduled_for <= gone
    )


def _used(scenario: Scenario, at: datetime, commits: list[Committed]) -> tuple[int | None, list[datetime]]:
    """The `max_runs` of the job that existed at this instant, and the instants that count towards it.

    A run claimed ahead of an edit that took effect before its instant does not count, unless it ran.
    """
    born, gone = _life(at, commits)
    claimed = {move.after.key: move.at for move in scenario.history.moves if move.after.state is RunState.QUEUED}
    given_back = {
        run.scheduled_for
        for run in scenario.state.runs.values()
        if run.state is RunState.SKIPPED
        and run.skip_reason not in (SkipReason.NAMESPACE_PAUSED, SkipReason.START_WITHIN)  # these are final, and count
        and any(
            c.job == run.key.job and c.at >= claimed[run.key] and c.revision.effective_from < run.scheduled_for
            for c in commits
        )
    }
    used = [
        run.scheduled_for
        for run in scenario.state.runs.values()
        if run.key.job == commits[0].job and run.key.named_by_schedule and born < run.scheduled_for <= gone
    ]
    return _governing(at, commits).limit, sorted(set(used) - given_back)


def _life(at: datetime, commits: list[Committed]) -> tuple[datetime, datetime]:
    """When the job of an instant was created and deleted."""
    ends = [c.revision.effective_from for c in commits if c.deleted]
    born = max((end for end in ends if end < at), default=START - CHAOS)
    return born, min((end for end in ends if end >= at), default=END + CHAOS)


def _judge(scenario: Scenario, job: JobKey, instant: datetime, commits: list[Committed]) -> str | None:
    run: Run | None = scenario.state.runs.get(RunKey.scheduled(job, instant))
    if run is None:
        if any(s.job == job and s.first <= instant < s.until for s in scenario.state.skipped):
            return None
        return "named, but there is neither a run nor a range"
    if run.state in FINAL:
        return None
    if run.state is RunState.SKIPPED and any(
        s.job == job and s.first <= instant < s.until for s in scenario.state.skipped
    ):
        return None
    if run.state is not RunState.SKIPPED:
        return f"named, but its run is {run.state.value}"
    if run.skip_reason in JUDGED_ELSEWHERE:
        return None  # whether rightly, is judged for all runs of the job
    judged = next((c for c in commits if c.revision.number == run.revision), None)
    stopped = judged is not None and (
        (run.skip_reason is SkipReason.PAUSED and _was_paused(judged, instant))
        or (run.skip_reason is SkipReason.DELETED and judged.deleted)
    )
    return None if stopped else f"named, but skipped as {run.skip_reason} by revision {run.revision}"


def _was_paused(by: Committed, instant: datetime) -> bool:
    """Whether a revision keeps an instant from running."""
    until = by.revision.paused_until
    return by.paused or (until is not None and instant < until)


def _while_editing(instant: datetime, commits: list[Committed]) -> bool:
    """Whether an edit was under way: it took effect at an instant before it was stored."""
    return any(c.revision.effective_from - AROUND_AN_EDIT <= instant <= c.at + AROUND_AN_EDIT for c in commits)


def _near(instant: datetime, edges: list[datetime]) -> bool:
    return any(abs(instant - edge) <= AROUND_AN_EDIT for edge in edges)
