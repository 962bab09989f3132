"""Calendar filter: the occurrences of a rule, less those that calendars block, plus those moved to another day."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import NamedTuple

from minutehand.domain.calendar import Calendar, CalendarKey, joined_spans
from minutehand.domain.instants import SECOND
from minutehand.domain.job_key import JobKey
from minutehand.domain.occurrence_rule import LAST, OccurrenceRule
from minutehand.domain.policies import OnBlocked
from minutehand.schedule import WallClock, wall_clock

MOST_DAYS_MOVED = 92
"""Most days by which an occurrence is moved; one that is blocked for longer is skipped."""
MOST_MOVED_A_DAY = 96
"""Most occurrences a day of a job with `on_blocked: next_day`: one every 15 minutes."""
# A job counts as blocked for ever after this many consecutive blocks: as many as daily ones in four years.
_MOST_BLOCKS = 1_500
# Most days searched for a moved occurrence: by then it has found an open day, or is skipped.
_MOST_DAYS_TRIED = MOST_DAYS_MOVED + 8
_STEPS_OF_A_DAY = 5
_DAY = timedelta(days=1)
# A local time after the last occurrence in every time zone. Calendars may block until later: up to the last day of datetime.
_NEVER = LAST.replace(tzinfo=None) + _DAY


class _NamedOn(NamedTuple):
    """One day of a job: the instants that its rule names, with their times of day, and the spans in which its calendars may block.

    Both are in order. A span is in seconds since midnight.
    """

    times: Sequence[tuple[timedelta, datetime]]
    blocked: Sequence[tuple[int, int]]


class _Work:
    """Counts the steps of searches."""

    __slots__ = ("steps",)

    def __init__(self) -> None:
        self.steps = 0


@dataclass(frozen=True, slots=True)
class Unblocked:
    """An occurrence rule with the calendars that block or move its occurrences."""

    rule: OccurrenceRule
    calendars: Sequence[Calendar]
    clock: WallClock
    _days: dict[date, tuple[datetime, ...]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _waits: dict[date, Mapping[timedelta, int]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _named: dict[date, _NamedOn] = field(default_factory=dict, init=False, repr=False, compare=False)
    _work: _Work = field(default_factory=_Work, init=False, repr=False, compare=False)

    @property
    def steps(self) -> int:
        """Steps of all searches so far, a measure of their work that no clock decides: a look whether the calendars block an instant
        is one step, the occurrences of a day are `_STEPS_OF_A_DAY`."""
        return self._work.steps

    def next(self, after: datetime) -> datetime | None:
        """The first instant later than `after` at which an occurrence runs: one that is not blocked, or was moved there."""
        kept = self._next_kept(after)
        if self.rule.on_blocked is OnBlocked.SKIP:
            return kept
        moved = self._next_moved(after, kept)
        return moved if kept is None or (moved is not None and moved < kept) else kept

    def between(self, after: datetime, until: datetime, limit: int) -> list[datetime]:
        """At most `limit` instants t with after < t <= until at which occurrences run, ascending."""
        found: list[datetime] = []
        while len(found) < limit:
            instant = self.next(after)
            if instant is None or instant > until:
                break
            found.append(instant)
            after = instant
        return found

    def next_mark(self, after: datetime) -> datetime | None:
        """The first instant later than `after` with work for the job's timer: an occurrence to run, or a blocked one to record.

        While a blocked occurrence waits for an open day, the timer also stops every day at the time of that occurrence: an edit of
        a calendar may have opened the day.
        """
        marks = [self.rule.next(after), self.next(after)]
        if self.rule.on_blocked is OnBlocked.NEXT_DAY:
            marks.append(self._next_try(after))
        return min((t for t in marks if t is not None), default=None)

    def blocker(self, instant: datetime) -> str | None:
        """Name of a calendar that blocks this instant; None when none does."""
        self._work.steps += 1
        local = self.clock.local(instant)
        return next((found.key.name for found in self.calendars if found.blocks(instant, local)), None)

    def open_from(self, instant: datetime) -> datetime:
        """When the calendar that blocks this instant stops to block; another calendar may block then.

        The instant itself when no calendar blocks it.
        """
        self._work.steps += 1
        local = self.clock.local(instant)
        for calendar in self.calendars:
            if not calendar.blocks(instant, local):
                continue
            end = calendar.blocks_until(instant, local)
            return max(end if end.tzinfo else self.clock.instant(min(end, _NEVER)), instant + SECOND)
        return instant

    def moved_to(self, instant: datetime) -> datetime | None:
        """The instant that a blocked occurrence is moved to; None when it does not run."""
        if self.rule.on_blocked is OnBlocked.SKIP:
            return None
        local = self.clock.local(instant)
        if instant not in (named for _, named in self._named_on(local.date()).times):
            return None
        for distance in range(1, MOST_DAYS_MOVED + 1):
            moved = local + distance * _DAY
            if not self._blocked(moved):
                return self._in_time(self.clock.instant(moved))
        return None

    def sources(self, moved: datetime) -> Iterator[datetime]:
        """The occurrences that are moved to this instant."""
        local = self.clock.local(moved)
        for distance in range(1, MOST_DAYS_MOVED + 1):
            before = local - distance * _DAY
            if not self._blocked(before):
                return
            if self.rule.names(self.clock.instant(before)) and self._moves(self.clock.instant(before)):
                yield self.clock.instant(before)

    def _moves(self, instant: datetime) -> bool:
        since = self.rule.moves_from
        return (since is None or instant > since) and self.blocker(instant) is not None

    def _in_time(self, moved: datetime) -> datetime | None:
        return moved if self.rule.end_at is None or moved <= self.rule.end_at else None

    def _next_kept(self, after: datetime) -> datetime | None:
        """The first instant later than `after` that the rule names and no calendar blocks."""
        instant = self.rule.next(after)
        for _ in range(_MOST_BLOCKS):
            if instant is None:
                break
            open_from = self.open_from(instant)
            if open_from == instant:
                return instant
            instant = self.rule.next(open_from - SECOND)
        return None

    def _next_moved(self, after: datetime, kept: datetime | None) -> datetime | None:
        """The first instant later than `after`, and no later than the day of `kept`, to which blocked occurrences are moved."""
        day = self.clock.local(after).date()
        last = self.clock.local(kept).date() if kept else day + timedelta(days=14_610)
        for _ in range(_MOST_DAYS_TRIED):
            # Skip days that no occurrence can have been moved to.
            raw = self.rule.next(self.clock.instant(_midnight(day)) - (MOST_DAYS_MOVED + 1) * _DAY)
            if raw is None:
                return None
            day = max(day, self.clock.local(raw).date() + _DAY)
            if day > last:
                return None
            moved = min((t for t in self._moved_to(day) if t > after), default=None)
            if moved is not None:
                return self._in_time(moved)
            day += _DAY
        return None

    def _moved_to(self, day: date) -> tuple[datetime, ...]:
        """The instants on this day to which blocked occurrences of earlier days are moved."""
        if day not in self._days:
            times = [_midnight(day) + time for time in self._waiting(day)]
            self._days[day] = tuple(self.clock.instant(local) for local in times if not self._blocked(local))
        return self._days[day]

    def _next_try(self, after: datetime) -> datetime | None:
        """The earliest instant later than `after` to which `on_blocked: next_day` could move an occurrence of an earlier, blocked day.

        A calendar may block that instant too: the caller checks it.
        """
        today = self.clock.local(after).date()
        for day in (today, today + _DAY):
            tries = [self.clock.instant(_midnight(day) + time) for time in self._waiting(day)]
            found = min((t for t in tries if t > after), default=None)
            if found is not None:
                return self._in_time(found)
        return None

    def _waiting(self, day: date) -> Mapping[timedelta, int]:
        """Times of day of the occurrences put off to this day, with the number of days that each has been put off.

        An occurrence is put off to a day when, on the day before, it was due or had been put off to it, and was blocked.
        """
        begin = day
        while begin not in self._waits and day - begin < MOST_DAYS_MOVED * _DAY:
            if not self._named_on(begin - _DAY).blocked:
                break
            begin -= _DAY
        waits = self._waits.setdefault(begin, {})
        while begin < day:
            this = begin
            named = {time: 1 for time, instant in self._named_on(this).times if self._moves(instant)}
            still = {time: days + 1 for time, days in waits.items() if self._blocked(_midnight(this) + time)}
            waits = {time: days for time, days in (still | named).items() if days <= MOST_DAYS_MOVED}
            begin += _DAY
            self._waits[begin] = waits
        return waits

    def _named_on(self, day: date) -> _NamedOn:
        if day not in self._named:
            self._work.steps += _STEPS_OF_A_DAY
            midnight = _midnight(day)
            start, end = (self.clock.instant(each) for each in (midnight, midnight + _DAY))
            # Where clocks are put back at midnight, they show the end of this day again after the next one has begun.
            named = self.rule.between(start - SECOND, end + timedelta(hours=1), MOST_MOVED_A_DAY * 26 // 24)
            shown = [(self.clock.local(instant), instant) for instant in named]
            self._named[day] = _NamedOn(
                times=[(local - midnight, instant) for local, instant in shown if local.date() == day],
                blocked=joined_spans(span for each in self.calendars for span in each.spans(day, start, end)),
            )
        return self._named[day]

    def _blocked(self, local: datetime) -> bool:
        return self.blocker(self.clock.instant(local)) is not None


def unblocked(rule: OccurrenceRule, namespace: str, calendars: Mapping[CalendarKey, Calendar]) -> Unblocked:
    """The rule with the calendars that it names, taken from `calendars`.

    Raises:
        ValueError: when `calendars` lacks one that the rule names.
    """
    keys = [CalendarKey(namespace=namespace, name=name) for name in rule.calendars]
    missing = [str(key) for key in keys if key not in calendars]
    if missing:
        raise ValueError(f"there is no calendar {missing[0]}, which the job names")
    return Unblocked(rule, [calendars[key] for key in keys], wall_clock(rule.schedule.timezone))


def too_many_to_move(rule: OccurrenceRule, after: datetime) -> datetime | None:
    """Start of the first 24 hours, within a year after an instant or the rule's later `start_at`, that have more than
    `MOST_MOVED_A_DAY` occurrences.

    None if there are no such hours.
    """
    if rule.start_at is not None:
        after = max(after, rule.start_at - SECOND)
    named = rule.between(after, after + 366 * _DAY, 366 * MOST_MOVED_A_DAY + 1)
    later = named[MOST_MOVED_A_DAY:]
    return next((first for first, other in zip(named, later, strict=False) if other - first < _DAY), None)


def calendars_of(job: JobKey, rule: OccurrenceRule) -> tuple[CalendarKey, ...]:
    """Keys of the calendars that a job's rule names."""
    return tuple(CalendarKey(namespace=job.namespace, name=name) for name in rule.calendars)


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day)  # noqa: DTZ001 - a wall time has no zone
