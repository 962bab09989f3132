"""The judge of `max_runs`: which occurrences count, and how many may run. A deleted job that is made again counts anew."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from minutehand.domain.run import RunState, SkipReason
from tests.simulation.engine import START
from tests.simulation.observed import Committed, governing, while_editing
from tests.simulation.rules import Rule

if TYPE_CHECKING:
    from tests.simulation.scenario import Scenario

SKEW = timedelta(seconds=1)
_FINAL = (SkipReason.NAMESPACE_PAUSED, SkipReason.START_WITHIN, SkipReason.SHADOW)
"""Skips after which a run is never claimed again, so that its occurrence counts."""
LONG = timedelta(hours=1)
"""Longer than jobs run in a history, on either side of its start."""


def had_enough(scenario: Scenario, instant: datetime, commits: list[Committed]) -> bool:
    """Whether the job had used up its runs before this instant."""
    limit, used = _used(scenario, instant, commits)
    cancelled = {
        run.scheduled_for
        for run in scenario.state.runs.values()
        if run.key.job == commits[0].job and run.state is RunState.CANCELLED and run.key.named_by_schedule
    }  # a person has taken them out before their time; they count all the same
    return limit is not None and sum(t < instant or t in cancelled for t in used) >= limit


def ran_too_often(scenario: Scenario, commits: list[Committed]) -> list[str]:
    found = set()
    for commit in commits:
        limit, _ = _used(scenario, commit.revision.effective_from + SKEW, commits)
        ran = _ran(scenario, commit.revision.effective_from + SKEW, commits)
        # What begins while an edit is under way has been given back already.
        ran = [instant for instant in ran if not while_editing(instant, commits)]
        scenario.history.judged[Rule.COUNTED] += limit is not None
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

    A run claimed ahead of an edit of the schedule that took effect before its instant does not count, unless it ran.
    """
    born, gone = _life(at, commits)
    claimed = {move.after.key: move for move in scenario.history.moves if move.after.state is RunState.QUEUED}
    rules = {c.revision.number: c.revision.rule for c in commits}
    given_back = {
        run.scheduled_for
        for run in scenario.state.runs.values()
        if run.state is RunState.SKIPPED
        and run.skip_reason not in _FINAL
        and any(
            c.at >= claimed[run.key].at
            and c.revision.effective_from < run.scheduled_for
            and c.revision.rule != rules.get(claimed[run.key].after.revision)
            for c in commits
            if c.job == run.key.job
        )
    }
    used = [
        run.scheduled_for
        for run in scenario.state.runs.values()
        if run.key.job == commits[0].job and run.key.named_by_schedule and born < run.scheduled_for <= gone
    ]
    return governing(at, commits).limit, sorted(set(used) - given_back)


def _life(at: datetime, commits: list[Committed]) -> tuple[datetime, datetime]:
    """When the job of an instant was created and deleted."""
    ends = [c.revision.effective_from for c in commits if c.deleted]
    born = max((end for end in ends if end < at), default=START - LONG)
    return born, min((end for end in ends if end >= at), default=START + LONG)
