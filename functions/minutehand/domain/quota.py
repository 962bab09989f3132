"""Quota of a namespace, set by the operator of the deployment: how many jobs it may have, how many runs may begin in a minute, and how
many attempts may be in progress at once. Pure.

Runs are counted by clock minutes (UTC). The first attempt of a run needs a **place** in the minute in which it begins; each minute has as
many places as the quota allows. Places are given out in order, at most `REACH` minutes ahead, by a counter that is only added to. A run
that comes too late for its minute needs another place.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, NamedTuple
from zlib import crc32

from minutehand.domain.declaration.field import Field
from minutehand.domain.instants import SECOND

MOST_AT_ONCE = 1000
"""Highest concurrency limit that a namespace may have."""
MINUTE = timedelta(minutes=1)
REACH = 5
"""Number of minutes whose places are given out in advance. A higher quota takes effect within this time."""
SPREAD = 20
"""Seconds at the beginning of a minute over which the runs that waited for a place in it are spread."""
COUNTED_ANEW_AFTER = timedelta(hours=1)
"""How long a stored number of jobs counts. It is too high after deletes, and too low if earlier versions saved jobs."""
BELIEVED_FOR = timedelta(seconds=10)
"""How long a count is believed that leaves no place, or that is only shown: deletes in this time are not noticed. Else each refused save
would read the whole list."""
OLD_SAVES = timedelta(minutes=1)
"""Longest time for which a save may go on that read the settings before the quota was set, and so was not counted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class QuotaLimits:
    """What the operator of the deployment allows a namespace; null for what is not limited."""

    # To count jobs, all entries of the namespace's list are read.
    jobs: Annotated[
        int | None,
        Field("Maximum jobs; a save that would make another is refused. Null for no limit.", least=0, most=20_000),
    ] = None
    runs_per_minute: Annotated[
        int | None,
        Field(
            "Maximum runs that begin in a clock minute (UTC): others wait, and triggers and backfills are refused. Retries do not "
            "count. Null for no limit.",
            least=1,
            most=10_000,
        ),
    ] = None
    concurrency: Annotated[
        int | None,
        Field(
            "Maximum attempts in progress at once, over all jobs of the namespace: others wait. The lower of this and the namespace's "
            "`max_concurrency` applies. Null for no limit.",
            least=1,
            most=MOST_AT_ONCE,
        ),
    ] = None

    def since(self, before: Quota, now: datetime) -> Quota:
        """The quota as it is stored after `before`, with the instant from which saves are counted."""
        since = None if self.jobs is None else before.jobs_since or now
        return Quota(
            jobs=self.jobs, runs_per_minute=self.runs_per_minute, concurrency=self.concurrency, jobs_since=since
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Quota(QuotaLimits):
    """A namespace's quota, as it is stored.

    Attributes:
        jobs_since: since when the number of jobs is limited.
    """

    jobs_since: datetime | None = None

    @property
    def limits(self) -> QuotaLimits:
        """What is allowed, as documents have it."""
        return QuotaLimits(jobs=self.jobs, runs_per_minute=self.runs_per_minute, concurrency=self.concurrency)


UNLIMITED = Quota()


class JobCount(NamedTuple):
    """The stored number of jobs of a namespace: those that existed at `at`, and those made since. Deleted ones are not subtracted.

    Attributes:
        version: grows with each write, so that the same number at another time is recognized.
    """

    jobs: int
    at: datetime
    version: int = 1

    def anew(self, jobs: int, now: datetime) -> JobCount:
        """The number after another count."""
        return JobCount(jobs, now, self.version + 1)

    def counts(self, quota: Quota, now: datetime) -> bool:
        """Whether the number may be used at `now`; otherwise the jobs are counted anew."""
        since = quota.jobs_since or self.at
        if self.at < since:
            return False
        settled = since + OLD_SAVES
        return now < (settled if self.at < settled else self.at + COUNTED_ANEW_AFTER)

    def is_believed(self, quota: Quota, now: datetime) -> bool:
        """Whether the number may be used at `now` also where deleted jobs matter."""
        return self.counts(quota, now) and now < self.at + BELIEVED_FOR


class Pace(NamedTuple):
    """The places that were given out: `taken`, in the minutes from `since` on. Places beyond `REACH` minutes do not exist."""

    since: datetime | None
    taken: int

    def last(self, most: int) -> Place | None:
        """The place given out last, if `most` begin in a minute; None when it was given out for no minute."""
        if self.since is None:
            return None
        ahead = (self.taken - 1) // most
        return Place(self.since + ahead * MINUTE if ahead < REACH else None, self.since + min(ahead, REACH) * MINUTE)

    def places_before(self, minute: datetime, most: int) -> int | None:
        """How many places, if `most` begin in a minute, are in minutes before this one; None for all that can be given out."""
        ahead = 0 if self.since is None else (minute - self.since) // MINUTE
        return None if self.since is None or ahead >= REACH else max(ahead, 0) * most

    def is_over(self, most: int, minute: datetime) -> bool:
        """Whether every place that was given out is in a minute before this one, so that counting begins anew."""
        before = self.places_before(minute, most)
        return before is None or self.taken <= before

    def taken_in(self, minute: datetime, most: int) -> int:
        """How many places of a minute were given out."""
        if self.since is None or not self.since <= minute < self.since + REACH * MINUTE:
            return 0
        return min(max(self.taken - (minute - self.since) // MINUTE * most, 0), most)

    def free_at(self, minute: datetime, most: int) -> datetime:
        """The first minute, this one or a later one, in which a place may be free."""
        if self.since is None or self.is_over(most, minute):
            return minute
        return max(minute, self.since + min(self.taken // most, REACH) * MINUTE)


NO_PACE = Pace(None, 0)


class Place(NamedTuple):
    """A place for a run in a minute.

    Attributes:
        minute: None when all places within reach are taken.
        until: when the run has to wait until: its minute, or the first minute whose places are not yet given out.
    """

    minute: datetime | None
    until: datetime

    def wait(self, *, of: str) -> datetime:
        """When a run that has this place tries to start, in whole seconds. A hash spreads the runs of a minute. `of` names the message, so
        that two messages of one run get different times, and the earlier is deleted when it arrives."""
        return self.until + crc32(of.encode()) % SPREAD * SECOND


def minute_of(instant: datetime) -> datetime:
    """The beginning of an instant's clock minute."""
    return instant.replace(second=0, microsecond=0)


def held(minute: datetime | None, now: datetime) -> Place | None:
    """The place in this minute, for a run that has one there; None once the minute is over, or for a run without a place."""
    return None if minute is None or minute + MINUTE <= now else Place(minute, minute)
