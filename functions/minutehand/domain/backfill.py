"""A backfill: past occurrences of a job, replayed on purpose. Its instants are worked out as they are needed. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum
from typing import NamedTuple

from minutehand.domain.calendar import Calendar, CalendarKey
from minutehand.domain.calendar_filter import Naming, unblocked
from minutehand.domain.instants import SECOND
from minutehand.domain.job import JobKey, OnBlocked
from minutehand.domain.occurrence_rule import OccurrenceRule, rule_of
from minutehand.domain.run import RunKey, RunState

MOST_OCCURRENCES = 10_000
"""Of one backfill."""
MOST_AT_ONCE = 100
"""Runs of one backfill that are active at once."""
_SIGNIFICANT = 3


class Order(Enum):
    """Which occurrences come first."""

    OLDEST = "oldest"
    NEWEST = "newest"


class BackfillState(Enum):
    """Where a backfill stands."""

    ACTIVE = "active"
    """In: being asked for. Out: the end of its last run; a person's cancel; a step that finds the job deleted."""
    DONE = "done"
    """In: a step that finds nothing active and nothing left. Final."""
    CANCELLED = "cancelled"
    """In: a person; a step that finds the job deleted. Final, though runs that had begun go on and are counted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Backfill:
    """A range of a job's past, and how far it has been replayed.

    Attributes:
        id: what its runs' ids end with.
        rule: the occurrence rule, encoded, as it was when it was asked for: edits do not change it.
        start, end: the first instant that it may replay, and the first that it does not; whole seconds.
        concurrency: how many of its runs are active at most.
        ignore_overlap: whether its runs start beside others of the job, whatever the job's overlap policy.
        total: how many occurrences there were when it was asked for; a calendar that is changed since changes what comes.
        job_created_at: tells the job from one of the same name that is made after a deletion.
        cancelled_by: who cancelled it; empty for one that the job's deletion ended.
        cursor: the instant that was taken last, in its order; None before the first.
        active: the instants whose runs have not been found finished; of the last that were taken, runs may not exist yet.
        counts: how many runs ended in each state.
        finished_at: since when nothing of it is left.
        next_at: when it is looked at again at the latest; None once it is finished.
        version: grows by one with each change.
    """

    job: JobKey
    id: str
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
    next_at: datetime | None
    state: BackfillState = BackfillState.ACTIVE
    cancelled_by: str = ""
    cursor: datetime | None = None
    active: tuple[datetime, ...] = ()
    counts: Mapping[RunState, int] = field(default_factory=dict)
    finished_at: datetime | None = None
    version: int = 1

    def run(self, instant: datetime) -> RunKey:
        """The run that replays an occurrence."""
        return RunKey.backfilled(self.job, instant, self.id)

    @property
    def ended(self) -> int:
        """How many of its runs have ended."""
        return sum(self.counts.values())

    @property
    def remaining(self) -> int:
        """How many occurrences have not been taken, as far as is known."""
        return max(self.total - self.ended - len(self.active), 0) if self.state is BackfillState.ACTIVE else 0

    def coming(self, named: Naming, count: int) -> Sequence[datetime]:
        """The instants that come next in its order, at most `count`; fewer when there are no more."""
        if self.order is Order.OLDEST:
            return named.between(self.cursor or self.start - SECOND, self.end - SECOND, count)
        return latest(named, self.start, self.cursor or self.end, count)

    def counting(self, ended: Mapping[datetime, RunState]) -> Backfill:
        """With the runs of these instants counted and no longer active."""
        counts = dict(self.counts)
        for state in ended.values():
            counts[state] = counts.get(state, 0) + 1
        return replace(self, counts=counts, active=tuple(t for t in self.active if t not in ended))

    def taking(self, instants: Sequence[datetime]) -> Backfill:
        """With these instants active."""
        return replace(self, active=(*self.active, *instants), cursor=instants[-1]) if instants else self

    def without(self, instants: Sequence[datetime]) -> Backfill:
        """Without these among the active."""
        return replace(self, active=tuple(t for t in self.active if t not in instants))


class Extent(NamedTuple):
    """How many occurrences a range has, its first and its last.

    Attributes:
        exact: whether `total` is; where there are more than `MOST_OCCURRENCES` it is an estimate, and `last` the last that was counted.
    """

    total: int
    first: datetime
    last: datetime
    exact: bool


def replayed(rule: OccurrenceRule, namespace: str, calendars: Mapping[CalendarKey, Calendar]) -> Naming:
    """What a backfill replays: what the agenda names, without what its calendars block. Nothing is moved to another day.

    calendars: as they stand; one that the agenda names and that is gone blocks nothing.
    """
    there = tuple(name for name in rule.calendars if CalendarKey(namespace, name) in calendars)
    plain = replace(rule, calendars=there, on_blocked=OnBlocked.SKIP, moves_from=None)
    return unblocked(plain, namespace, calendars) if there else plain


def replayed_by(backfill: Backfill, calendars: Mapping[CalendarKey, Calendar]) -> Naming:
    """What a backfill replays; see `replayed`."""
    return replayed(rule_of(backfill.rule), backfill.job.namespace, calendars)


def extent(named: Naming, start: datetime, end: datetime) -> Extent | None:
    """The occurrences in [start, end); None for none. Of very many, their number is told from how close the first stand."""
    found = named.between(start - SECOND, end - SECOND, MOST_OCCURRENCES + 1)
    if not found:
        return None
    if len(found) <= MOST_OCCURRENCES:
        return Extent(total=len(found), first=found[0], last=found[-1], exact=True)
    estimate = len(found) * (end - found[0]) / (found[-1] - found[0])
    coarse = 10 ** max(len(str(int(estimate))) - _SIGNIFICANT, 0)
    return Extent(total=round(estimate / coarse) * coarse, first=found[0], last=found[-1], exact=False)


def latest(named: Naming, start: datetime, end: datetime, count: int) -> Sequence[datetime]:
    """The last instants in [start, end), latest first, at most `count`.

    Schedules only look ahead, so a stretch before `end` is searched that doubles until it holds enough.
    """
    span = count * 60 * SECOND
    while True:
        low = max(start, end - span)
        found = _all(named, low, end)
        if len(found) >= count or low == start:
            return found[::-1][:count]
        span *= 2


def _all(named: Naming, start: datetime, end: datetime) -> list[datetime]:
    found: list[datetime] = []
    after = start - SECOND
    while part := named.between(after, end - SECOND, MOST_OCCURRENCES):
        found += part
        after = part[-1]
    return found
