"""The judge of what a run records that is skipped for `start_within`: how long that was, and what it last waited for."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from minutehand.domain.missed_start import WaitedFor
from minutehand.domain.run import RunState, SkipReason
from minutehand.domain.run_key import RunKey
from tests.simulation.rules import Rule

if TYPE_CHECKING:
    from tests.simulation.observed import Moved
    from tests.simulation.scenario import Scenario

READ_EARLIER = timedelta(minutes=2)
"""At most how long before its write the worker that skipped the run had read it, with several slow calls in between; another worker may
have taken it up meanwhile."""


def violations(scenario: Scenario) -> list[str]:
    """Every broken promise."""
    found: list[str] = []
    made: dict[RunKey, int] = {}
    tried: dict[RunKey, datetime] = {}
    """When runs first found no free slot, since they were claimed last."""
    for move in scenario.history.moves:
        run, before = move.after, move.before
        if before is None or before.claimed_at != run.claimed_at:
            made[run.key] = made.get(run.key, 0) + 1
            tried.pop(run.key, None)
        if run.state is RunState.QUEUED and run.retry_at is not None:
            tried.setdefault(run.key, move.at)
        if run.state is RunState.SKIPPED and run.skip_reason is SkipReason.START_WITHIN:
            scenario.history.judged[Rule.MISSED_START] += 1
            listed = scenario.history.listed.get(run.key) if made[run.key] == 1 else None
            wrong = _wrongly_recorded(scenario, move, tried.get(run.key), listed)
            found += [f"{run.key.job} {run.key.run_id}: {wrong}"] if wrong else []
    return found


def _wrongly_recorded(scenario: Scenario, move: Moved, tried: datetime | None, listed: datetime | None) -> str:
    """What is wrong about the record; empty if nothing is.

    Args:
        tried: when the run first found no free slot, if it did.
        listed: when it was put on the lock's list while the lock had a holder, if it was.
    """
    run = move.after
    limit, missed = scenario.start_within.get(run.key.job), run.missed_start
    if missed is None or missed.within != limit:
        return f"skipped as too late to begin, with {missed} instead of {limit}"
    if (missed.waited_for is WaitedFor.CLAIM) != (run.claimed_at >= run.starts_at + limit):
        return f"claimed at {run.claimed_at}, and recorded as {missed.waited_for.value}"
    match missed.waited_for:
        case WaitedFor.CLAIM:
            return ""
        case WaitedFor.WORKER if any(at is not None and at < move.at - READ_EARLIER for at in (tried, listed)):
            return "a worker had taken it up"
        case WaitedFor.SLOT if tried is None:
            return "it never found that no slot was free"
        case WaitedFor.LOCK if RunKey(run.key.job, run.blocked_by) not in {m.after.key for m in scenario.history.moves}:
            return f"it waited for {run.blocked_by!r}, which is no run"
    return ""
