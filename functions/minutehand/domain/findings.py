"""Findings: what is said of an instant, or of a stretch of them, when somebody asks what happened. Sentences are made elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum

from minutehand.domain.instants import SECOND
from minutehand.domain.revision_history import PastRevision, Pause
from minutehand.domain.run import Run, RunState
from minutehand.domain.timer import SkipPolicy, Ticks


class Kind(Enum):
    """What can be said of an instant."""

    RAN = "ran"
    """A run is over, whatever came of it."""
    UNDER_WAY = "under_way"
    """A run is there and not over."""
    SKIPPED = "skipped"
    """A run was to start, and a policy kept it from that."""
    PASSED_OVER = "passed_over"
    """No run was made: a skipped range says which policy wanted it so."""
    PAUSED = "paused"
    """The job was paused."""
    DELETED = "deleted"
    """The job had been deleted."""
    NOT_THERE = "not_there"
    """The job did not exist yet."""
    NOT_NAMED = "not_named"
    """The schedule does not name it."""
    OUTSIDE = "outside_window"
    """It lies before `start_at` or after `end_at`."""
    BLOCKED = "blocked"
    """A calendar holds it, as it stands now."""
    USED_UP = "used_up"
    """It comes after the last of `max_runs`."""
    NOT_YET = "not_yet_due"
    """It is still to come."""
    OVERDUE = "overdue"
    """It is due, and no tick has dispatched it yet."""
    MISSED = "missed"
    """It was named, and neither a run nor a skipped range is on record, although they are kept for longer."""
    FORGOTTEN = "forgotten"
    """It was named, nothing is on record, and that was so long ago that a record may be gone."""
    UNKNOWN = "unknown"
    """What was named then is not on record, or cannot be read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """What is said of the instants of first <= t <= last.

    Attributes:
        times: how many occurrences it is about; None where it is about a stretch of time rather than occurrences.
        run: the run, of a finding about one; of `NOT_NAMED`, the one of the window of its parents' runs that these instants begin in.
        revision: the one that governs these instants, or did what is told.
        pause: of `PAUSED`.
        policy: of `PASSED_OVER`, as recorded.
        calendar: of `BLOCKED`.
        moved_to: where a blocked occurrence runs instead.
        before, after: of `NOT_NAMED`, the nearest instants that are.
        ticks: around the first instant, where it matters whether ticks were there.
        problem: what cannot be read, and why.
    """

    kind: Kind
    first: datetime
    last: datetime
    times: int | None = None
    run: Run | None = None
    revision: PastRevision | None = None
    pause: Pause | None = None
    policy: SkipPolicy | None = None
    calendar: str = ""
    moved_to: datetime | None = None
    before: datetime | None = None
    after: datetime | None = None
    ticks: Ticks | None = None
    problem: str = ""

    def goes_on_in(self, other: Finding) -> bool:
        """Whether the other, which comes next, says the same, so that both may be told as one."""
        if self.kind is not other.kind or self.times is None or other.times is None:
            return False
        if self.run is not None and other.run is not None:
            return _alike(self.run, other.run)
        return (self.policy, self.calendar, self.revision) == (other.policy, other.calendar, other.revision)


def of_run(run: Run) -> Finding:
    """What is said of a run."""
    kind = Kind.RAN if run.state.finished else Kind.UNDER_WAY
    kind = Kind.SKIPPED if run.state is RunState.SKIPPED else kind
    return Finding(kind=kind, first=run.scheduled_for, last=run.scheduled_for, times=1, run=run)


def _alike(run: Run, other: Run) -> bool:
    """Whether two runs have so little to tell that they are told together: they succeeded at once, or were skipped alike."""
    if not (run.key.named_by_schedule and other.key.named_by_schedule and run.state is other.state):
        return False
    if run.state is RunState.SKIPPED:
        return (run.skip_reason, run.blocked_by) == (other.skip_reason, other.blocked_by)
    return run.state is RunState.SUCCEEDED and run.attempt == other.attempt == 1


def told_together(findings: Iterable[Finding], limit: int) -> tuple[list[Finding], datetime | None]:
    """Findings in order, those that go on in each other as one; at most `limit`, and from which instant on there are more.

    What is told of several runs keeps the first of them. All findings of one instant come together, unless they alone are too many.
    """
    told: list[Finding] = []
    for finding in findings:
        if told and told[-1].goes_on_in(finding):
            times = (told[-1].times or 0) + (finding.times or 0)
            told[-1] = replace(told[-1], last=finding.last, times=times, moved_to=None)
        elif len(told) == limit:
            earlier = [each for each in told if each.first < finding.first]
            return (earlier, finding.first) if earlier else (told, finding.first + SECOND)
        else:
            told.append(finding)
    return told, None
