"""Findings: what happened at an instant or over a range, as data. `entrypoints/api/rendering/sentences.py` turns them into text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum
from typing import NamedTuple

from minutehand.domain.instants import SECOND
from minutehand.domain.revision_history import PastRevision, Pause, pause_at
from minutehand.domain.run import Run, RunError, RunState, SkipReason
from minutehand.domain.timer import SkipPolicy, Ticks

_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")


class Kind(Enum):
    """What happened at an instant, or why nothing did."""

    RAN = "ran"
    """A run has ended, in any state but skipped."""
    UNDER_WAY = "under_way"
    """A run exists and has not ended."""
    SKIPPED = "skipped"
    """A run exists, and a policy kept it from starting."""
    PASSED_OVER = "passed_over"
    """No run was created; a skipped range records the policy."""
    PAUSED = "paused"
    """The job was paused."""
    DELETED = "deleted"
    """The job had been deleted."""
    NOT_CREATED = "not_there"
    """The job did not exist yet."""
    NOT_NAMED = "not_named"
    """The schedule names no occurrence at the instant."""
    OUTSIDE = "outside_window"
    """The instant lies before the job's `start_at` or after its `end_at`."""
    BLOCKED = "blocked"
    """A calendar, by its present content, blocks the occurrence."""
    USED_UP = "used_up"
    """The occurrence comes after the last one that `max_runs` allows."""
    NOT_YET = "not_yet_due"
    """The occurrence is in the future."""
    OVERDUE = "overdue"
    """The occurrence is due, and no tick has dispatched it yet."""
    MISSED = "missed"
    """The occurrence has neither a run nor a skipped range, although records of that age are kept."""
    FORGOTTEN = "forgotten"
    """The occurrence is so long ago that its record may have expired."""
    UNKNOWN = "unknown"
    """The schedule that was in effect is not on record, or cannot be read."""


class Lateness(NamedTuple):
    """How late the first attempts of one or more runs began, at least and at most."""

    least: timedelta
    most: timedelta

    def including(self, other: Lateness | None) -> Lateness:
        """The lateness of these runs and others."""
        return self if other is None else Lateness(min(self.least, other.least), max(self.most, other.most))


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """What happened at the instants of first <= t <= last.

    Attributes:
        times: number of occurrences; None for a range of time without occurrences.
        lateness: how late the first attempts began: of the run, or of all runs that share the finding. None if none has begun.
        run: the run; for `NOT_NAMED`, the run of the dependency window that `first` belongs to.
        revision: the one in effect at these instants; before the first on record, that one.
        pause: for `PAUSED`, the pause around the instants; for a run that a pause of its job skipped, that pause, if it is on record.
        policy: for `PASSED_OVER`, the policy on record.
        calendar: for `BLOCKED`, the calendar's name.
        moved_to: the instant that a blocked occurrence is moved to.
        before, after: for `NOT_NAMED`, the nearest instants that the schedule names.
        ticks: the ticks around the first instant, where they help to explain it.
        problem: what cannot be read, and why.
    """

    kind: Kind
    first: datetime
    last: datetime
    times: int | None = None
    lateness: Lateness | None = None
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

    def joins(self, other: Finding) -> bool:
        """Whether `other`, the next finding, says the same, so that one finding can stand for both."""
        if self.kind is not other.kind or self.times is None or other.times is None:
            return False
        run, another = self.run, other.run
        if run is None or another is None:
            return (self.policy, self.calendar, self.revision) == (other.policy, other.calendar, other.revision)
        if not (run.key.named_by_schedule and another.key.named_by_schedule and run.state is another.state):
            return False
        if run.state is RunState.SKIPPED:
            alike = _skip(run) == _skip(another) and self.pause == other.pause
            return alike and (
                self.pause is None or (self.was_paused_at_its_instant and other.was_paused_at_its_instant)
            )
        if run.state is RunState.SUCCEEDED:
            return run.attempt == another.attempt == 1
        return run.state in (RunState.FAILED, RunState.TIMED_OUT) and _failure(run) == _failure(another)

    @property
    def was_paused_at_its_instant(self) -> bool:
        """Whether the pause that skipped the run was in effect at its instant, rather than only when it was to start."""
        run, pause = self.run, self.pause
        return bool(run and pause and run.key.named_by_schedule and pause.covers(run.scheduled_for))


def _skip(run: Run) -> tuple[object, ...]:
    # The error of a run in shadow says why a call would have failed.
    error = run.error and (run.error.type, common_message(run.error))
    return run.skip_reason, run.blocked_by, run.missed_start, run.waits_for, error


def _failure(run: Run) -> tuple[object, ...]:
    """What runs that failed alike have in common: how often they were tried, which workers died, and the error."""
    return run.attempt, run.takeovers, run.error and run.error.type, common_message(run.error)


def common_message(error: RunError | None) -> str:
    """The first line of an error's message, with an ellipsis for each instant: runs that failed alike differ in these."""
    return "" if error is None else _INSTANT.sub("…", error.message.partition("\n")[0])


def of_run(run: Run, history: Sequence[PastRevision] = ()) -> Finding:
    """The finding that reports a run. `history`: the job's revisions, oldest first, among which a pause that skipped it is looked up."""
    kind = Kind.RAN if run.state.finished else Kind.UNDER_WAY
    return Finding(
        kind=Kind.SKIPPED if run.state is RunState.SKIPPED else kind,
        first=run.scheduled_for,
        last=run.scheduled_for,
        times=1,
        lateness=None if run.lateness is None else Lateness(run.lateness, run.lateness),
        run=run,
        pause=_pause_of(run, history),
    )


def _pause_of(run: Run, history: Sequence[PastRevision]) -> Pause | None:
    """The pause of its job that skipped a run: the one in effect at its scheduled instant, else when it was skipped."""
    named = run.key.named_by_schedule
    if run.skip_reason is not SkipReason.PAUSED or run.finished_at is None or not history:
        return None
    if named and history[0].number > 1 and history[0].effective_from >= run.scheduled_for:
        return None
    pause = pause_at(history, run.scheduled_for) if named else None
    # The clocks of a worker and of the function that paused may differ a little.
    return pause or pause_at(history, run.finished_at) or pause_at(history, run.finished_at + SECOND)


def joined(findings: Iterable[Finding], limit: int) -> tuple[list[Finding], datetime | None]:
    """At most `limit` findings, in order, with equal neighbours joined into one; and the instant from which there are more, if any.

    A finding about several runs keeps the first run. All findings of one instant stay together, unless they alone exceed the limit.
    """
    found: list[Finding] = []
    for finding in findings:
        if found and found[-1].joins(finding):
            times = (found[-1].times or 0) + (finding.times or 0)
            late = finding.lateness and finding.lateness.including(found[-1].lateness)
            found[-1] = replace(
                found[-1], last=finding.last, times=times, lateness=late or found[-1].lateness, moved_to=None
            )
        elif len(found) == limit:
            earlier = [each for each in found if each.first < finding.first]
            return (earlier, finding.first) if earlier else (found, finding.first + SECOND)
        else:
            found.append(finding)
    return found, None
