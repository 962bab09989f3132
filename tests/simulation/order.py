"""The judge of the overlap lock: whom a run may be skipped for, and who takes the lock before whom."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from minutehand.domain.overlap_lock import LOCK, PermitKey
from minutehand.domain.policies import Overlap
from minutehand.domain.run import Run, RunState, SkipReason
from minutehand.domain.run_key import RunKey
from tests.simulation.rules import Rule

if TYPE_CHECKING:
    from tests.simulation.observed import Moved, Sight
    from tests.simulation.scenario import Scenario

CLOCKS_DIFFER = timedelta(seconds=3)
"""How long after the end of its lease a run still holds the lock."""
PATIENCE = timedelta(minutes=15)
"""How long a run whose retry is overdue still holds the lock."""
_ALLOWED = {
    SkipReason.OVERLAP: (Overlap.SKIP, Overlap.QUEUE_ONE),
    SkipReason.REPLACED: (Overlap.REPLACE,),
}


def violations(scenario: Scenario) -> list[str]:
    """Every broken promise."""
    found = []
    earlier: dict[RunKey, list[Run]] = defaultdict(list)
    for move in scenario.history.moves:
        run = move.after
        if run.state is RunState.SKIPPED and run.skip_reason in _ALLOWED:
            found += _wrongly_skipped(scenario, move)
        if run.state is RunState.RUNNING and run.attempt == 1 and move.before and not move.before.attempt:
            found += _overtakes(scenario, move, lambda key: earlier[key])
        earlier[run.key].append(run)
    return found


def _policy(scenario: Scenario, run: Run) -> Overlap:
    if run.overlap is not None:
        return run.overlap
    job = run.key.job
    given = scenario.overlaps.get(job, Overlap.ALLOW)
    return Overlap.SKIP if scenario.delayed.get(job) and given is Overlap.ALLOW else given


def _wrongly_skipped(scenario: Scenario, move: Moved) -> list[str]:
    """A run skipped for another names one that was active or waiting, as the worker itself had just read it."""
    run, sight = move.after, move.sight
    assert run.skip_reason is not None
    scenario.history.judged[Rule.BLOCKER] += 1
    where, policy = f"{run.key.job} {run.key.run_id}", _policy(scenario, run)
    if policy not in _ALLOWED[run.skip_reason]:
        return [f"{where}: skipped as {run.skip_reason.value} under {policy.value}"]
    other = sight.runs.get(RunKey(run.key.job, run.blocked_by)) if sight else None
    if sight is None or other is None:
        return [f"{where}: skipped for {run.blocked_by!r}, which its worker had not read"]
    if not _was_in_the_way(other, sight):
        return [
            f"{where}: skipped for {run.blocked_by!r} ({other.state.value}, lease {other.lease_until}) at {sight.clock}"
        ]
    return []


def _was_in_the_way(other: Run, sight: Sight) -> bool:
    match other.state:
        case RunState.QUEUED:
            return True
        case RunState.RUNNING | RunState.WAITING:
            return other.lease_until is None or sight.clock < other.lease_until + CLOCKS_DIFFER
        case RunState.RETRYING:
            return sight.clock < other.due_at + PATIENCE
    return False


def _overtakes(scenario: Scenario, move: Moved, earlier: Callable[[RunKey], list[Run]]) -> list[str]:
    """A run that takes the lock although another that should come first is listed in it, as the run itself has read it."""
    run, job = move.after, move.after.key.job
    lock = next((permit for permit in move.permits if permit.key == PermitKey(job, LOCK)), None)
    others = [RunKey(job, name) for name in lock.waiting if name != run.key.run_id] if lock else []
    if not others:
        return []
    scenario.history.judged[Rule.IN_ORDER] += 1
    policy, found = _policy(scenario, run), []
    for key in others:
        states = earlier(key)
        waits = states and all(one.state is RunState.QUEUED and not one.cancelled_by for one in states)
        if waits and not _is_too_late(scenario, states[-1], move.at) and _comes_first(states[-1], run, policy):
            found.append(f"{job} {run.key.run_id}: began at {move.at} under {policy.value}, and {key.run_id} waits")
    return found


def _is_too_late(scenario: Scenario, run: Run, at: datetime) -> bool:
    """Whether a waiting run may not begin any more, by the job's `start_within`; clocks may be a second ahead."""
    limit = scenario.start_within.get(run.key.job)
    return limit is not None and run.key.backfill is None and run.starts_at + limit <= at + timedelta(seconds=1)


def _comes_first(one: Run, other: Run, policy: Overlap) -> bool:
    """Whether one waiting run comes before another: the oldest, or the newest if runs replace earlier ones; backfills' runs last."""
    last, its = one.key.backfill is not None, other.key.backfill is not None
    if last != its:
        return not last
    if policy is Overlap.REPLACE:
        return _start(one) > _start(other)
    return policy in (Overlap.QUEUE_ONE, Overlap.QUEUE_ALL) and one.key.run_id < other.key.run_id


def _start(run: Run) -> tuple[datetime, str]:
    return run.starts_at, run.key.run_id
