"""Planning: from a timer and the time to the occurrences to claim. Pure, and all that a tick thinks."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from minutehand.domain.instants import SECOND, floor
from minutehand.domain.job import CatchUp, OnBlocked
from minutehand.domain.occurrence_rule import OccurrenceRule, rule_of
from minutehand.domain.timer import SkipCause, SkippedRange, SkipPolicy, Timer

if TYPE_CHECKING:
    from minutehand.domain.calendar import Calendar, CalendarKey
    from minutehand.domain.calendar_filter import Naming, Unblocked

MOST_AT_ONCE = 150
"""Occurrences of one job planned in one go; the rest stays due and is planned next."""


WATCHDOG = timedelta(minutes=10)
"""How long after the start of the outstanding run of a fixed delay somebody looks whether it has been forgotten."""


class Plan(NamedTuple):
    """What is to be done about one timer.

    Attributes:
        agenda: the timer's.
        skipped: written first, with the move of `next_at` to `stands_at`; None when nothing is skipped.
        stands_at: where the timer stands then; None when the schedule is at its end.
        occurrences: to claim, in order.
        next_at: where the timer goes once all of them are claimed and sent; None when the schedule is at its end.
    """

    timer: Timer
    rule: OccurrenceRule
    skipped: SkippedRange | None
    stands_at: datetime | None
    occurrences: tuple[datetime, ...]
    next_at: datetime | None

    def missed(self, now: datetime) -> list[datetime]:
        """Those of its occurrences that are caught up with."""
        return [instant for instant in self.occurrences if self.timer.misfired(instant, now)]


def plan(
    timer: Timer, *, now: datetime, until: datetime, calendars: Mapping[CalendarKey, Calendar] = MappingProxyType({})
) -> Plan:
    """The plan for a timer that is due by `until` (now + look-ahead); `calendars` holds those that its agenda names.

    Raises:
        ValueError: when the timer has no `next_at`, its schedule cannot be read, or a calendar is missing.
    """
    if timer.next_at is None:
        raise ValueError(f"{timer.job} is paused or finished; it has nothing to plan")
    now = floor(now)
    rule = rule_of(timer.rule)
    renewed = rule.renewed(timer.next_at, timer.offset)
    if renewed != timer.next_at:
        return Plan(timer, rule, skipped=None, stands_at=timer.next_at, occurrences=(), next_at=renewed)
    if rule.schedule.delay is not None:
        return _plan_delay(timer, timer.next_at, rule, now, until)
    if rule.calendars:
        from minutehand.domain.calendar_filter import unblocked  # noqa: PLC0415 - most jobs name no calendar

        planned = _plan_blocked(timer, timer.next_at, unblocked(rule, timer.job.namespace, calendars), now, until)
        return _paced(planned, now)
    first = _first_to_run(rule, timer, timer.next_at, now)
    skipped = None
    if first is None or first > timer.next_at:
        skipped = _misfired(timer, timer.next_at, first or now)
    if first is None:
        return Plan(timer, rule, skipped=skipped, stands_at=None, occurrences=(), next_at=None)
    # The timer may stand at an instant that the schedule does not name: one that was set aside does.
    named, next_at = _named(timer.rule, first, until)
    return _paced(_limited(Plan(timer, rule, skipped, stands_at=first, occurrences=named, next_at=next_at)), now)


@lru_cache(maxsize=1_024)
def _named(rule: str, first: datetime, until: datetime) -> tuple[tuple[datetime, ...], datetime | None]:
    """What an encoded agenda names from `first` up to `until`, at most so much as is planned in one go, and what it names next. Remembered, since
    most of what is due at midnight is due at midnight each day."""
    named = rule_of(rule).between(first - SECOND, until, MOST_AT_ONCE + 1)
    goes_on = named.pop() if len(named) > MOST_AT_ONCE else rule_of(rule).next(named[-1] if named else first - SECOND)
    return tuple(named), goes_on


def _plan_delay(timer: Timer, next_at: datetime, rule: OccurrenceRule, now: datetime, until: datetime) -> Plan:
    """The plan of a fixed delay: its one outstanding run, or a look whether that has been forgotten.

    However late it is, it runs: there is never more than this one.
    """
    outstanding = timer.outstanding or next_at
    if next_at > until:
        return Plan(timer, rule, skipped=None, stands_at=next_at, occurrences=(), next_at=next_at)
    return Plan(
        timer,
        rule,
        skipped=None,
        stands_at=next_at,
        occurrences=(outstanding,),
        next_at=max(now, outstanding) + WATCHDOG,
    )


def _paced(whole: Plan, now: datetime) -> Plan:
    """The plan with no more missed occurrences than may be dispatched at once; the others wait for the next tick."""
    most = whole.timer.max_catch_up
    if len(whole.occurrences) <= most or not whole.timer.misfired(whole.occurrences[most], now):
        return whole
    return whole._replace(occurrences=whole.occurrences[:most], next_at=whole.occurrences[most])


def _plan_blocked(timer: Timer, next_at: datetime, named: Unblocked, now: datetime, until: datetime) -> Plan:
    """The plan under calendars. The timer stops at what they block too, since they may be changed until it is due.

    A blocked stretch is recorded as far as it is due, and what lies behind it waits for the next plan.
    """
    rule = named.rule
    if next_at > until:
        return Plan(timer, rule, skipped=None, stands_at=next_at, occurrences=(), next_at=next_at)
    upcoming = named.next(next_at - SECOND)
    first = _first_to_run(named, timer, upcoming, now) if upcoming else None
    misfired = upcoming is not None and upcoming <= until and first != upcoming
    first = first if first and first <= until else None
    skipped, blocker = None, named.blocker(next_at)
    if misfired and upcoming is not None and blocker is not None:  # first what was blocked, then what misfired
        skipped = SkippedRange(timer.job, next_at, upcoming, _policy(rule, blocker))
        return Plan(timer, rule, skipped, stands_at=upcoming, occurrences=(), next_at=upcoming)
    if misfired:
        skipped = _misfired(timer, next_at, first or until + SECOND)
    elif blocker is not None and first != next_at:
        skipped = SkippedRange(
            job=timer.job, first=next_at, until=first or until + SECOND, policy=_policy(rule, blocker)
        )
    elif first != next_at:
        # It stands where nothing is named, having been set aside, say: it goes on to what is, and is to be recorded.
        mark = named.next_mark(next_at - SECOND)
        if mark is not None and mark < (first or until + SECOND):
            return Plan(timer, rule, skipped=None, stands_at=next_at, occurrences=(), next_at=mark)
    if first is None:
        beyond = named.next_mark(until)
        return Plan(timer, rule, skipped, stands_at=beyond if skipped else next_at, occurrences=(), next_at=beyond)
    due = named.between(first - SECOND, until, MOST_AT_ONCE)
    blocked = set(rule.between(first - SECOND, due[-1], MOST_AT_ONCE)) - set(due)
    due = [t for t in due if not blocked or t < min(blocked)]
    goes_on = min(blocked) if blocked else named.next_mark(due[-1])
    stands_at = first if skipped else next_at
    return _limited(Plan(timer, rule, skipped, stands_at=stands_at, occurrences=tuple(due), next_at=goes_on))


def _limited(whole: Plan) -> Plan:
    """The plan, ended where the job has had all its runs."""
    left = whole.timer.runs_left
    if left is None or len(whole.occurrences) < left:
        return whole
    return whole._replace(occurrences=whole.occurrences[:left], next_at=None)


def _misfired(timer: Timer, first: datetime, until: datetime) -> SkippedRange:
    return SkippedRange(
        job=timer.job, first=first, until=until, policy=SkipPolicy(SkipCause.CATCH_UP, timer.catch_up.value)
    )


def _policy(rule: OccurrenceRule, blocker: str) -> SkipPolicy:
    return SkipPolicy(SkipCause.CALENDAR, blocker, moved=rule.on_blocked is OnBlocked.NEXT_DAY)


def _first_to_run(schedule: Naming, timer: Timer, first: datetime, now: datetime) -> datetime | None:
    """The first occurrence from `first` on that is to run: misfired ones only as `catch_up` allows."""
    on_time = now - timer.misfire_grace
    if first >= on_time:
        return first
    oldest = min(now - timer.catchup_window, on_time)
    if timer.catch_up is CatchUp.ALL:
        return first if first >= oldest else schedule.next(oldest - SECOND)
    if timer.catch_up is CatchUp.LATEST:
        latest = last_before(schedule, on_time, not_before=max(first, oldest))
        if latest is not None:
            return latest
    return schedule.next(on_time - SECOND)


def last_before(schedule: Naming, end: datetime, *, not_before: datetime) -> datetime | None:
    """The last occurrence in [not_before, end), found by looking back over ever longer stretches, then halving."""
    blocked_range = timedelta(minutes=5)
    while True:
        start = max(end - blocked_range, not_before)
        found = schedule.next(start - SECOND)
        if found is not None and found < end:
            return _last_from(schedule, found, end)
        if start <= not_before:
            return None
        blocked_range *= 4


def _last_from(schedule: Naming, last: datetime, end: datetime) -> datetime:
    """The last occurrence in [last, end), where `last` is one."""
    while end - last > SECOND:
        middle = floor(last + (end - last) / 2)
        found = schedule.next(middle - SECOND)
        if found is not None and found < end:
            last = found
        else:
            end = middle
    return last
