"""Backfill: a range of a job's past occurrences to replay. The instants still to replay are computed as needed. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum
from typing import Annotated, NamedTuple

from minutehand.domain.calendar import Calendar, CalendarKey
from minutehand.domain.calendar_filter import unblocked
from minutehand.domain.declaration.field import Field
from minutehand.domain.instants import SECOND
from minutehand.domain.job_key import JobKey
from minutehand.domain.occurrence_rule import Naming, OccurrenceRule
from minutehand.domain.policies import OnBlocked
from minutehand.domain.run import RunState
from minutehand.domain.run_key import RunKey

MOST_OCCURRENCES = 10_000
"""Most occurrences that one backfill may replay."""
MOST_AT_ONCE = 100
"""Most runs of one backfill that may be active at once."""


class Order(Enum):
    """In which order a backfill replays its occurrences: the oldest or the newest first."""

    OLDEST = "oldest"
    NEWEST = "newest"


class BackfillState(Enum):
    """State of a backfill. A step counts the runs that have ended and starts the next ones."""

    ACTIVE = "active"
    """Entered at the backfill's start. Left when its last run ends, a person cancels it, or a step finds its job deleted."""
    DONE = "done"
    """Entered by a step that finds no active run and no occurrence left to replay. Final."""
    CANCELLED = "cancelled"
    """Entered when a person cancels the backfill, or a step finds its job deleted. Final, though runs that have begun continue."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Backfill:
    """A range of a job's past occurrences, and how far it has been replayed.

    Attributes:
        id: the last part of its runs' ids.
        rule: the job's occurrence rule at the backfill's start, encoded; later edits of the job do not change it.
        start, end: it replays instants from `start` on and before `end`; both in UTC and whole seconds.
        concurrency: most of its runs that may be active at once.
        ignore_overlap: whether its runs start beside others of the job, whatever the job's overlap policy.
        total: number of occurrences, counted when the backfill starts. A later edit of a calendar may change how many are replayed.
        job_created_at: when the job was created, which tells the job from a later one of the same name.
        cancelled_by: name of the token that cancelled it; empty when the job's deletion ended it.
        cursor: instant of the run that was started last, in the backfill's order; None before the first.
        active: instants that a step has taken, and whose runs are not counted as ended. A run of the last step may not exist yet.
        counts: number of runs that ended in each state.
        finished_at: when its last run was counted.
        next_at: when the backfill's watchdog timer takes the next step, in case no run's end has; None once the backfill is
            finished.
        version: grows by one with each change.
    """

    job: Annotated[JobKey, Field(apart=True)]
    id: Annotated[str, Field(apart=True)]
    rule: str
    start: datetime
    end: datetime
    order: Order
    concurrency: int
    ignore_overlap: bool
    total: int
    job_created_at: datetime
    created_at: datetime
    created_by: str
    next_at: Annotated[datetime | None, Field(apart=True)]
    state: BackfillState = BackfillState.ACTIVE
    cancelled_by: str = ""
    cursor: datetime | None = None
    active: tuple[datetime, ...] = ()
    counts: Mapping[RunState, int] = field(default_factory=dict)
    finished_at: datetime | None = None
    version: Annotated[int, Field(always=True)] = 1

    def run(self, instant: datetime) -> RunKey:
        """The key of the run with which this backfill replays the occurrence at `instant`."""
        return RunKey.backfilled(self.job, instant, self.id)

    @property
    def ended(self) -> int:
        """Number of the backfill's runs that are counted as ended."""
        return sum(self.counts.values())

    @property
    def remaining(self) -> int:
        """Number of occurrences not started yet, computed from `total`; 0 unless the backfill is active."""
        return max(self.total - self.ended - len(self.active), 0) if self.state is BackfillState.ACTIVE else 0

    def coming(self, named: Naming, count: int) -> Sequence[datetime]:
        """The next instants to replay, in the backfill's order: at most `count`, fewer when there are no more."""
        if self.order is Order.OLDEST:
            return named.between(self.cursor or self.start - SECOND, self.end - SECOND, count)
        return latest(named, self.start, self.cursor or self.end, count)

    def counting(self, ended: Mapping[datetime, RunState]) -> Backfill:
        """A copy of the backfill that counts the runs of these instants as ended, and no longer as active."""
        counts = dict(self.counts)
        for state in ended.values():
            counts[state] = counts.get(state, 0) + 1
        return replace(self, counts=counts, active=tuple(t for t in self.active if t not in ended))

    def taking(self, instants: Sequence[datetime]) -> Backfill:
        """A copy of the backfill in which these instants are active, and the last of them is the cursor."""
        return replace(self, active=(*self.active, *instants), cursor=instants[-1]) if instants else self

    def without(self, instants: Sequence[datetime]) -> Backfill:
        """A copy of the backfill in which these instants are not active."""
        return replace(self, active=tuple(t for t in self.active if t not in instants))


class Extent(NamedTuple):
    """Number of occurrences in a range, the first and the last.

    Attributes:
        exact: whether `total` is exact. For more than `MOST_OCCURRENCES` it is an estimate, and `last` is the last one counted.
    """

    total: int
    first: datetime
    last: datetime
    exact: bool


def replayed(rule: OccurrenceRule, namespace: str, calendars: Mapping[CalendarKey, Calendar]) -> Naming:
    """The instants that a backfill replays: those of the job's occurrence rule that no calendar blocks. A backfill moves no blocked
    occurrence to another day.

    Args:
        calendars: as stored now; a deleted calendar that the rule still names blocks nothing.
    """
    existing = tuple(name for name in rule.calendars if CalendarKey(namespace, name) in calendars)
    plain = replace(rule, calendars=existing, on_blocked=OnBlocked.SKIP, moves_from=None)
    return unblocked(plain, namespace, calendars) if existing else plain


def extent(named: Naming, start: datetime, end: datetime) -> Extent | None:
    """Number of occurrences in [start, end), the first and the last; None without any. Estimated if above `MOST_OCCURRENCES`."""
    found = named.between(start - SECOND, end - SECOND, MOST_OCCURRENCES + 1)
    if not found:
        return None
    if len(found) <= MOST_OCCURRENCES:
        return Extent(total=len(found), first=found[0], last=found[-1], exact=True)
    estimate = len(found) * (end - found[0]) / (found[-1] - found[0])
    coarse = 10 ** max(len(str(int(estimate))) - 3, 0)  # three significant digits
    return Extent(total=round(estimate / coarse) * coarse, first=found[0], last=found[-1], exact=False)


def latest(named: Naming, start: datetime, end: datetime, count: int) -> Sequence[datetime]:
    """The last instants in [start, end) that `named` has, latest first, at most `count`.

    Schedules only search forward, so the span before `end` doubles until it holds enough.
    """
    span = count * 60 * SECOND
    while True:
        low = max(start, end - span)
        at_most_one_a_second = max((end - low) // SECOND, 0)
        found = named.between(low - SECOND, end - SECOND, at_most_one_a_second)
        if len(found) >= count or low == start:
            return found[::-1][:count]
        span *= 2
