"""Timers: what the due index sees. Small, hot, and the only thing a tick reads of a job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum
from typing import Annotated, Any, NamedTuple

from minutehand.domain.declaration import Field
from minutehand.domain.job import MAX_CATCH_UP, CatchUp, JobKey
from minutehand.domain.run import RunKey


@dataclass(frozen=True, kw_only=True, slots=True)
class Timer:
    """A job's own timer.

    Attributes:
        next_at: the first occurrence that is not yet dispatched; None when paused or finished.
        rule: the occurrence rule, encoded; empty when paused.
        offset: how far east of UTC the clocks are that `next_at` was computed with; None where no clock matters.
        runs_left: how many occurrences may still run; None for no limit, below 0 once more have run than a lowered limit allows.
        target: type of the job's target.
        max_catch_up: how many missed occurrences are planned at once.
        outstanding: of a fixed delay, the instant of the one run that is outstanding; where `next_at` is another, that run has been dispatched and
            `next_at` is when to look whether it has been forgotten.
        unknown: what a later version stored beside it.
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
    unknown: Annotated[Mapping[str, Any], Field(apart=True)] = field(default_factory=dict)

    @property
    def has_had_its_runs(self) -> bool:
        """Whether the limit of their number lets no occurrence run any more."""
        return self.runs_left is not None and self.runs_left <= 0

    def misfired(self, instant: datetime, now: datetime) -> bool:
        """Whether an occurrence that is planned now is a missed one."""
        return instant < now - self.misfire_grace


class Deadline(NamedTuple):
    """Says that a run's message is still to be sent, should whoever made the run have died first."""

    run: RunKey
    next_at: datetime


class Recheck(NamedTuple):
    """Says that runs claimed in (after, until] may be without a message and should be looked at.

    An edit, a pause, a delete or a skipped range moves the timer past instants that a tick may have claimed and not
    sent before it died. By `next_at` every such tick is dead, so what is still queued is sent again.
    """

    job: JobKey
    after: datetime
    until: datetime
    next_at: datetime


class Watchdog(NamedTuple):
    """Says that a backfill is to be looked at: whoever took it further may have died before its runs were claimed or sent."""

    job: JobKey
    backfill: str
    next_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class BrokenTimer:
    """A timer that cannot be read. `next_at` and `revision` are as stored.

    Attributes:
        problem: why it cannot be read.
        newer: whether a later version can read it: then it stays due, and nothing of it is skipped.
    """

    job: JobKey
    revision: int
    next_at: datetime
    problem: str
    newer: bool = False


class SkipCause(Enum):
    """What kind of rule kept occurrences from running."""

    CALENDAR = "calendar"
    """A calendar blocks them."""
    CATCH_UP = "catch_up"
    """They misfired, and the job's `catch_up` lets them pass."""
    OTHER = "other"
    """An edit gave up a backlog, or the timer could not be read."""


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
        """The policy of a readable form; any other text is the detail of another cause."""
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
    """The minutes of the last tick at or before an instant, and of the first one after it; None where none is known."""

    last: datetime | None
    next: datetime | None


Due = Timer | Deadline | Recheck | Watchdog | BrokenTimer
