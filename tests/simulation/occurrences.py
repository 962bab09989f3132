"""The judge of occurrences: each instant that the revision in effect names has one run or the record of a policy; nothing else begins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Run, RunState, SkipReason
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import SkipCause
from tests.simulation.attempts import FINAL
from tests.simulation.counted import had_enough, ran_too_often
from tests.simulation.instants import named
from tests.simulation.observed import Committed, governing, while_editing
from tests.simulation.rules import Rule
from tests.simulation.scenario import LOOK_AHEAD, Scenario

SKEW = timedelta(seconds=1)
CLOSE = timedelta(seconds=2)
DISPATCH = timedelta(seconds=90)
"""How long a decision that used a calendar may still be under way."""
_JUDGED_ELSEWHERE = (
    SkipReason.OVERLAP,
    SkipReason.REPLACED,
    SkipReason.NAMESPACE_PAUSED,
    SkipReason.START_WITHIN,
    SkipReason.SHADOW,
    SkipReason.TARGET,
)


def violations(scenario: Scenario, job: JobKey, end: datetime) -> Iterator[str]:
    """Every broken promise about a job's instants until `end`."""
    commits = scenario.history.of(job)
    due, until_stored = _named(commits, end)
    judged = scenario.history.judged
    edges = [c.revision.effective_from for c in commits]
    for instant in sorted(due):
        judged[Rule.NAMED] += 1
        judged[Rule.NEAR_AN_EDIT] += any(abs(instant - edge) <= CLOSE for edge in edges)
        problem = _missing(scenario, job, instant, commits) or _blocked_wrongly(scenario, job, instant, commits, end)
        if problem and not had_enough(scenario, instant, commits):
            yield f"{job} {instant:%H:%M:%S}: {problem}"
    yield from ran_too_often(scenario, commits)
    for run in scenario.state.runs.values():
        if run.key.job == job and run.key.named_by_schedule and run.attempt and run.scheduled_for <= end:
            waits_for_ends = any(c.delay and c.revision.number == run.revision for c in commits)
            judged[Rule.UNNAMED] += not waits_for_ends
            if not waits_for_ends and run.scheduled_for not in due | until_stored:
                yield f"{job} {run.key.run_id}: started, and no revision in effect names it"


def _named(commits: Sequence[Committed], end: datetime) -> tuple[set[datetime], set[datetime]]:
    """The instants that the revisions in effect name; and those that a revision names between the instant at which an edit takes
    effect and the one at which it is stored, until when a worker, whose clock may be ahead, knows only the earlier revision."""
    due, until_stored = set[datetime](), set[datetime]()
    for this, following in pairwise([*commits, None]):
        if this is None or this.paused or this.deleted or this.delay:
            continue
        begins = this.revision.effective_from
        ends = min(following.revision.effective_from, end) if following else end
        due.update(named(this.given, begins, ends))
        if following and following.at + SKEW > ends:
            until_stored.update(named(this.given, ends, following.at + SKEW))
    return due, until_stored


def _missing(scenario: Scenario, job: JobKey, instant: datetime, commits: list[Committed]) -> str | None:
    """Why a named instant has neither a run nor a reason not to run."""
    run: Run | None = scenario.state.runs.get(RunKey.scheduled(job, instant))
    in_a_range = any(s.job == job and s.first <= instant < s.until for s in scenario.state.skipped)
    if run is None:
        return None if in_a_range else "named, but there is neither a run nor a range"
    if run.state in FINAL:
        return None  # how it ended is judged for all runs
    if run.state is not RunState.SKIPPED:
        return f"named, but its run is {run.state.value}"
    if in_a_range or run.skip_reason in _JUDGED_ELSEWHERE:
        return None
    by = next((c for c in commits if c.revision.number == run.revision), None)
    stopped = by is not None and (
        (run.skip_reason is SkipReason.PAUSED and _was_paused(by, instant))
        or (run.skip_reason is SkipReason.DELETED and by.deleted)
    )
    return None if stopped else f"named, but skipped as {run.skip_reason} by revision {run.revision}"


def _was_paused(by: Committed, instant: datetime) -> bool:
    """Whether a revision keeps an instant from running."""
    until = by.revision.paused_until
    return by.paused or (until is not None and instant < until)


def _blocked_wrongly(
    scenario: Scenario, job: JobKey, instant: datetime, commits: list[Committed], end: datetime
) -> str | None:
    """Whether an instant ran although its calendars blocked it all the time, or was blocked by no calendar."""
    names = governing(instant, commits).given.calendars
    run = scenario.state.runs.get(RunKey.scheduled(job, instant))
    claimed = run.claimed_at if run else instant
    versions = {
        name: [
            version
            for (at, version), later in pairwise([*(c for c in scenario.history.calendars if c[1].key.name == name), None])
            if (later is None or later[0] >= min(claimed, instant) - LOOK_AHEAD - DISPATCH)
            and at <= (claimed + DISPATCH if run else end)
        ]
        for name in names
    }  # fmt: skip
    blocks = {
        name: [v.blocks(instant, instant.replace(tzinfo=None)) for v in found] for name, found in versions.items()
    }
    scenario.history.judged[Rule.BLOCKED] += any(any(said) for said in blocks.values())
    began_as_it_was = while_editing(instant, commits)  # under the revision then in effect
    if run is not None and run.attempt and any(all(said) for said in blocks.values()) and not began_as_it_was:
        return "ran, though a calendar blocked it"
    if run is None and not any(any(said) for said in blocks.values()):
        ranges = [s for s in scenario.state.skipped if s.job == job and s.first <= instant < s.until]
        if ranges and all(s.policy.cause is SkipCause.CALENDAR for s in ranges):
            return f"was blocked, and no calendar ever said so: {ranges}"
    return None
