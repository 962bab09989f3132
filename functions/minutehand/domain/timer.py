"""Timers: small items in the due index, which orders them by time, or packed in buckets. A tick reads nothing else of most jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Annotated, Any, NamedTuple

from minutehand.domain.declaration.field import Field
from minutehand.domain.job import MAX_CATCH_UP
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import CatchUp
from minutehand.domain.run_key import RunKey

_NEVER = datetime.min.replace(tzinfo=UTC)


class Ahead(NamedTuple):
    """Occurrences in [first, until) that were dispatched on time, ahead of missed ones that wait for their turn."""

    first: datetime
    until: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Timer:
    """A job's own timer, from which a tick knows when the job is due next.

    Attributes:
        next_at: first occurrence that is not dispatched yet; None when the job is paused or finished.
        rule: the occurrence rule, encoded; empty when the job is paused.
        offset: the offset east of UTC with which `next_at` was computed; None for a schedule that no local time affects.
        runs_left: occurrences that may still run; None without `max_runs`, below 0 when more had run before `max_runs` was lowered.
        target: type of the job's target.
        max_catch_up: most missed occurrences in one plan.
        outstanding: of a fixed delay, the instant of the one run that has yet to end. When `next_at` is another instant, that run
            was dispatched, and `next_at` is when to check that it was not forgotten.
        slow: whether messages go to the slow lane at once, since the job had a slow call; a hint that may be out of date. Not set for a
            new job, whose messages are sent two minutes ahead: its first quick call would come too late for them.
        ahead_from, ahead_until: the last occurrences dispatched ahead of missed ones; see `ahead`.
        packed: whether it is a packed timer, in a bucket, rather than in the due index (`domain/packing.py`). Each write of a timer is
            made where it was read.
        unknown: fields that a later version stored, kept unread.
    """

    job: Annotated[JobKey, Field(apart=True)]
    revision: int
    next_at: Annotated[datetime | None, Field(apart=True)]
    rule: str
    target: str
    misfire_grace: timedelta
    catch_up: CatchUp
    catchup_window: timedelta
    retention: timedelta
    offset: Annotated[timedelta | None, Field(stored="utc_offset")] = None
    runs_left: int | None = None
    max_catch_up: int = MAX_CATCH_UP
    outstanding: datetime | None = None
    slow: bool = False
    ahead_from: datetime | None = None
    ahead_until: datetime | None = None
    packed: Annotated[bool, Field(apart=True)] = False
    unknown: Annotated[Mapping[str, Any], Field(apart=True)] = field(default_factory=dict, hash=False)

    @property
    def is_used_up(self) -> bool:
        """Whether all runs that `max_runs` allows were dispatched."""
        return self.runs_left is not None and self.runs_left <= 0

    @property
    def ahead(self) -> Ahead | None:
        """The occurrences that were dispatched although `next_at` has not reached them; None if there are none."""
        if (
            self.ahead_from is None
            or self.ahead_until is None
            or self.next_at is None
            or self.next_at >= self.ahead_from
        ):
            return None
        return Ahead(self.ahead_from, self.ahead_until)

    def misfired(self, instant: datetime, now: datetime) -> bool:
        """Whether an occurrence planned at `now` is later than `misfire_grace` allows."""
        return instant < now - self.misfire_grace


class Deadline(NamedTuple):
    """A timer that leads back to one run: at `next_at` a tick sends the run's message.

    Either the run is due only then, or a process may have died before it sent the message itself.
    """

    run: RunKey
    next_at: datetime


class Recheck(NamedTuple):
    """A timer to send again the messages of queued runs that are scheduled in (after, until].

    An edit, a pause, a delete or a skipped range moves the job's own timer past instants for which a tick may have claimed runs,
    and died before it sent their messages. By `next_at` every such tick has ended.
    """

    job: JobKey
    after: datetime
    until: datetime
    next_at: datetime


class Watchdog(NamedTuple):
    """A timer to step a backfill, in case the process of its last step died before the runs of that step were claimed or sent."""

    job: JobKey
    backfill: str
    next_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class BrokenTimer:
    """A timer that cannot be read.

    Attributes:
        revision, next_at: as stored; None where they cannot be read either.
        problem: what cannot be read, and why.
        own: whether it is the job's own timer, rather than a deadline, a recheck or a watchdog.
        newer: whether a later version can read it: then it stays due, and none of its occurrences is skipped.
        packed: see `Timer.packed`.
    """

    job: JobKey
    revision: int | None
    next_at: datetime | None
    problem: str
    own: bool = True
    newer: bool = False
    packed: bool = False


def in_effect(timers: Sequence[Timer | BrokenTimer]) -> Timer | BrokenTimer:
    """The timer that counts where a job has several, which happens only if someone copies an item by hand.

    The one of the latest revision counts, since an edit decides about all instants after it. Of one revision, the one furthest ahead
    counts: a timer moves only past instants that were dispatched or recorded as skipped.
    """
    return max(timers, key=lambda timer: (timer.revision or 0, timer.next_at is not None, timer.next_at or _NEVER))


class SkipCause(Enum):
    """What kind of rule kept occurrences from running."""

    CALENDAR = "calendar"
    """A calendar blocks the occurrences."""
    CATCH_UP = "catch_up"
    """The occurrences came later than `misfire_grace` allows, and the job's `catch_up` does not run them."""
    OTHER = "other"
    """An edit gave up overdue occurrences, or the timer could not be read or planned."""


_MOVED = ", moved to the next day that is open"


class SkipPolicy(NamedTuple):
    """The rule that kept occurrences from running.

    Attributes:
        detail: name of the calendar, value of `catch_up`, or for other causes the reason in words.
        moved: whether the job's `on_blocked` moves blocked occurrences to the next open day.
    """

    cause: SkipCause
    detail: str
    moved: bool = False

    def __str__(self) -> str:
        """The readable form, which stores keep and the API answers with: `calendar=holidays`, `catch_up=skip`."""
        if self.cause is SkipCause.OTHER:
            return self.detail
        return f"{self.cause.value}={self.detail}{_MOVED if self.moved else ''}"

    @classmethod
    def of(cls, text: str) -> SkipPolicy:
        """Parse the readable form; a text of any other form becomes the detail of `SkipCause.OTHER`."""
        cause, _, detail = text.partition("=")
        if cause == SkipCause.CALENDAR.value:
            return cls(SkipCause.CALENDAR, detail.removesuffix(_MOVED), moved=detail.endswith(_MOVED))
        if cause == SkipCause.CATCH_UP.value:
            return cls(SkipCause.CATCH_UP, detail)
        return cls(SkipCause.OTHER, text)


class SkippedRange(NamedTuple):
    """Occurrences in [first, until) that do not run, and the policy that kept them from running."""

    job: JobKey
    first: datetime
    until: datetime
    policy: SkipPolicy


class Ticks(NamedTuple):
    """Minutes of the last tick at or before an instant and of the first one after it; None where none is known."""

    last: datetime | None
    next: datetime | None


Due = Timer | Deadline | Recheck | Watchdog | BrokenTimer
