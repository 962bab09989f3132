"""Occurrence rule: the instants that a job's definition names, before calendars block any."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Protocol
from zlib import crc32

from minutehand.domain.instants import SECOND, from_text, to_text
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import OnBlocked
from minutehand.schedule import Schedule, wall_clock

LAST = datetime(9950, 1, 1, tzinfo=UTC)
"""No occurrence is later: decades can be added to any, as calendars and previews do, before datetime ends."""
_LIMITS = "\n"
_SHORTEST_REACH, _LONGEST_AGO = timedelta(minutes=1), timedelta(days=10_000)


class Naming(Protocol):
    """A source of instants: an occurrence rule, alone or with its calendars."""

    def next(self, after: datetime) -> datetime | None:
        """The first instant of this source that is later than `after`."""

    def between(self, after: datetime, until: datetime, limit: int) -> list[datetime]:
        """The instants t with after < t <= until, ascending, at most `limit` of them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class OccurrenceRule:
    """A schedule with its limits. Timers, revisions and backfills store it encoded.

    Attributes:
        start_at, end_at: first and last instant that may be named; None for no limit.
        calendars: names of calendars in the job's namespace.
        moves_from: when the rule took effect; only occurrences named after it are moved to another day.
        max_runs: most occurrences dispatched in all. The timer counts them; another limit makes another rule, and so a new timer.
        jitter: longest delay from an occurrence's nominal instant to its start.
    """

    schedule: Schedule
    start_at: datetime | None = None
    end_at: datetime | None = None
    calendars: tuple[str, ...] = ()
    on_blocked: OnBlocked = OnBlocked.SKIP
    moves_from: datetime | None = None
    max_runs: int | None = None
    jitter: timedelta = timedelta(0)

    def next(self, after: datetime) -> datetime | None:
        """The first instant later than `after`."""
        if self.start_at is not None and after < self.start_at:
            after = self.start_at - SECOND
        found = self.schedule.next(after)
        return None if found is None or found > self._last else found

    def between(self, after: datetime, until: datetime, limit: int) -> list[datetime]:
        """The instants t with after < t <= until, ascending, at most `limit` of them."""
        if self.start_at is not None and after < self.start_at:
            after = self.start_at - SECOND
        return self.schedule.between(after, min(until, self._last), limit)

    @property
    def _last(self) -> datetime:
        return LAST if self.end_at is None else min(self.end_at, LAST)

    def names(self, instant: datetime) -> bool:
        """Whether this instant is an occurrence of the rule."""
        return self.next(instant - SECOND) == instant

    def renewed(self, instant: datetime, offset: timedelta | None) -> datetime:
        """Correct an instant, computed with an `offset` east of UTC, for newer time zone data; see `Schedule.renewed`.

        An occurrence that was moved to another day also keeps its local time, though the schedule does not name it there.
        """
        renewed = self.schedule.renewed(instant, offset)
        if renewed != instant or offset is None or self.on_blocked is OnBlocked.SKIP or self.names(instant):
            return renewed
        clock = wall_clock(self.schedule.timezone)
        shown = (instant + offset).replace(tzinfo=None)
        return instant if clock.local(instant) == shown else clock.instant(shown)

    def jitter_of(self, job: JobKey, instant: datetime) -> timedelta:
        """The delay from an occurrence's instant to its start: 0 to `jitter`, always the same for the same occurrence."""
        if not self.jitter:
            return timedelta(0)
        return crc32(f"{job} {to_text(instant)}".encode()) % (self.jitter // SECOND + 1) * SECOND

    def encode(self) -> str:
        """The stored text, equal for equal rules: the encoded schedule and, after a newline, the rule's other fields (`start_at`, `end_at`,
        calendars, …) as JSON if any is set."""
        limits = {
            "start_at": to_text(self.start_at) if self.start_at else None,
            "end_at": to_text(self.end_at) if self.end_at else None,
            "calendars": self.calendars or None,
            "on_blocked": self.on_blocked.value if self.calendars else None,
            "moves_from": to_text(self.moves_from) if self.moves_from else None,
            "max_runs": self.max_runs,
            "jitter": self.jitter // SECOND or None,
        }
        given = {name: value for name, value in limits.items() if value is not None}
        written = f"{_LIMITS}{json.dumps(given, separators=(',', ':'))}" if given else ""
        return f"{self.schedule.encode()}{written}"


def compiled(job: Job, *, now: datetime | None = None, before: OccurrenceRule | None = None) -> OccurrenceRule:
    """Compile a job's schedule and limits into its occurrence rule.

    A rate counts from the job's `start_at`, or else from the epoch. A pause that ends by itself delays the first instant and does
    not shift a rate.

    Args:
        now: instant from which blocked occurrences are moved; if `before`, the rule so far, is otherwise the same, it is kept.

    Raises:
        ScheduleError: when the schedule cannot be read, or has no occurrence at all.
    """
    schedule = Schedule.parse(job.schedule, job.timezone, job.dialect, name=str(job.key), anchor=job.start_at)
    rule = OccurrenceRule(
        schedule=schedule,
        start_at=max((t for t in (job.start_at, job.paused_until) if t is not None), default=None),
        end_at=job.end_at,
        calendars=job.calendars,
        on_blocked=job.on_blocked,
        max_runs=job.max_runs,
        jitter=job.jitter or timedelta(0),
    )
    if rule.on_blocked is OnBlocked.SKIP or now is None:
        return rule
    if before is not None and replace(before, moves_from=None) == rule:
        return before
    return replace(rule, moves_from=now)


def latest(naming: Naming, until: datetime) -> datetime | None:
    """The last instant that is named at or before `until`, a whole second; None if there is none in `_LONGEST_AGO`.

    A source of instants only looks ahead, so this searches: about 25 looks for a daily job.
    """
    reach, found = _SHORTEST_REACH, None
    while reach <= _LONGEST_AGO and (found is None or found > until):
        found = naming.next(until - reach)
        reach *= 8
    if found is None or found > until:
        return None
    beyond = until  # no instant is in (beyond, until]
    while found < beyond:
        middle = found + (beyond - found) // (2 * SECOND) * SECOND
        later = naming.next(middle)
        if later is not None and later <= until:
            found = later
        else:
            beyond = middle
    return found


@lru_cache(maxsize=4096)
def rule_of(text: str) -> OccurrenceRule:
    """Decode the text that `encode` wrote. Cached, since a tick reads the same rules every minute.

    Raises:
        ValueError: when the text cannot be read; `ScheduleError` is a kind of it.
    """
    schedule, _, written = text.partition(_LIMITS)
    limits = json.loads(written) if written else {}
    try:
        return OccurrenceRule(
            schedule=Schedule.decode(schedule),
            start_at=from_text(limits["start_at"]) if "start_at" in limits else None,
            end_at=from_text(limits["end_at"]) if "end_at" in limits else None,
            calendars=tuple(limits.get("calendars", ())),
            on_blocked=OnBlocked(limits.get("on_blocked", OnBlocked.SKIP.value)),
            moves_from=from_text(limits["moves_from"]) if "moves_from" in limits else None,
            max_runs=limits.get("max_runs"),
            jitter=limits.get("jitter", 0) * SECOND,
        )
    except (AttributeError, TypeError, OverflowError) as error:
        raise ValueError(f"the limits of its schedule are damaged: {error}") from None
