"""Planning: which occurrences of a due timer to claim, and which to skip. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from minutehand.domain.instants import SECOND, floor
from minutehand.domain.occurrence_rule import Naming, OccurrenceRule, rule_of
from minutehand.domain.policies import CatchUp, OnBlocked
from minutehand.domain.timer import Ahead, SkipCause, SkippedRange, SkipPolicy, Timer

if TYPE_CHECKING:
    from minutehand.domain.calendar import Calendar, CalendarKey
    from minutehand.domain.calendar_filter import Unblocked

MOST_AT_ONCE = 150
"""Most occurrences of one job in one plan; the rest stays due for the next plan."""
WATCHDOG = timedelta(minutes=10)
"""Time after the start of a fixed delay's outstanding run when its timer checks that the run was not forgotten."""


class Plan(NamedTuple):
    """Decisions about one due timer.

    Attributes:
        rule: the timer's occurrence rule, decoded.
        skipped: range to record first, in one transaction with the timer's move to `advance_from`; None when nothing is skipped.
        advance_from: the timer's `next_at` before its occurrences are claimed; None at the end of the schedule.
        occurrences: to claim, in order.
        next_at: the timer's `next_at` once all of them are claimed and sent; None at the end of the schedule.
        ahead: those of the occurrences, and of earlier plans', that come before missed ones which remain; None if none remain.
    """

    timer: Timer
    rule: OccurrenceRule
    skipped: SkippedRange | None
    advance_from: datetime | None
    occurrences: tuple[datetime, ...]
    next_at: datetime | None
    ahead: Ahead | None = None

    def missed(self, now: datetime) -> list[datetime]:
        """The plan's occurrences that are later than `misfire_grace` and still run, as `catch_up` says."""
        return [instant for instant in self.occurrences if self.timer.misfired(instant, now)]


def plan(
    timer: Timer, *, now: datetime, until: datetime, calendars: Mapping[CalendarKey, Calendar] = MappingProxyType({})
) -> Plan:
    """Plan a timer that is due by `until` (now + look-ahead).

    Args:
        now, until: aware, UTC.
        calendars: holds at least the calendars that the timer's rule names.

    Raises:
        ValueError: when the timer has no `next_at`, its rule cannot be read, or a calendar is missing.
    """
    if timer.next_at is None:
        raise ValueError(f"{timer.job} is paused or finished; it has nothing to plan")
    now = floor(now)
    rule = rule_of(timer.rule)
    renewed = rule.renewed(timer.next_at, timer.offset)
    if renewed != timer.next_at:
        return Plan(timer, rule, skipped=None, advance_from=timer.next_at, occurrences=(), next_at=renewed)
    if rule.schedule.delay is not None:
        return _plan_delay(timer, timer.next_at, rule, now, until)
    if rule.calendars:
        from minutehand.domain.calendar_filter import unblocked  # noqa: PLC0415 - most jobs name no calendar

        planned = plan_blocked(timer, timer.next_at, unblocked(rule, timer.job.namespace, calendars), now, until)
        return _in_order(planned, now)
    first = _first_to_run(rule, timer, timer.next_at, now)
    skipped = None
    if first is None or first > timer.next_at:
        skipped = _misfired(timer, timer.next_at, first or now)
    if first is None:
        return Plan(timer, rule, skipped=skipped, advance_from=None, occurrences=(), next_at=None)
    # A timer's instant need not be an occurrence: a timer that could not be planned was moved to another.
    named, next_at = _named(timer.rule, first, until)
    whole = _limited(Plan(timer, rule, skipped, advance_from=first, occurrences=named, next_at=next_at))
    return _paced(whole, first, now, until) if timer.runs_left is None else _in_order(whole, now)


@lru_cache(maxsize=1_024)
def _named(rule: str, first: datetime, until: datetime) -> tuple[tuple[datetime, ...], datetime | None]:
    """The instants that an encoded rule names from `first` up to `until`, at most `MOST_AT_ONCE`, and the next one.

    Cached: many jobs share a rule, and are due at the same instants.
    """
    named = rule_of(rule).between(first - SECOND, until, MOST_AT_ONCE + 1)
    following = named.pop() if len(named) > MOST_AT_ONCE else rule_of(rule).next(named[-1] if named else first - SECOND)
    return tuple(named), following


def _plan_delay(timer: Timer, next_at: datetime, rule: OccurrenceRule, now: datetime, until: datetime) -> Plan:
    """The plan of a fixed delay: claim its one outstanding run, or check that it was not forgotten.

    That run is never skipped for being late.
    """
    outstanding = timer.outstanding or next_at
    if next_at > until:
        return Plan(timer, rule, skipped=None, advance_from=next_at, occurrences=(), next_at=next_at)
    return Plan(
        timer,
        rule,
        skipped=None,
        advance_from=next_at,
        occurrences=(outstanding,),
        next_at=max(now, outstanding) + WATCHDOG,
    )


def _in_order(whole: Plan, now: datetime) -> Plan:
    """The plan with at most `max_catch_up` missed occurrences; all others wait for the next tick. For timers that must go from one
    occurrence to the next: they count runs, or stop where a calendar blocks."""
    most = whole.timer.max_catch_up
    if len(whole.occurrences) <= most or not whole.timer.misfired(whole.occurrences[most], now):
        return whole
    return whole._replace(occurrences=whole.occurrences[:most], next_at=whole.occurrences[most])


def _paced(whole: Plan, first: datetime, now: datetime, until: datetime) -> Plan:
    """The plan with at most `max_catch_up` missed occurrences, from `first` on, and with all that are on time.

    If missed ones remain, the timer stays at them, and remembers which occurrences were dispatched ahead of them. It may forget
    that: each occurrence is claimed once, however often it is planned.
    """
    timer, rule, most = whole.timer, whole.rule, whole.timer.max_catch_up
    on_time, ahead = now - timer.misfire_grace, timer.ahead
    if ahead is not None and ahead.until < on_time:
        ahead = None  # no tick came for so long that later occurrences were missed too
    behind = whole.occurrences[most] if len(whole.occurrences) > most else whole.next_at
    if ahead is None and (behind is None or not timer.misfired(behind, now)):
        return whole
    missed = rule.between(first - SECOND, (ahead.first if ahead else on_time) - SECOND, most + 1)
    begins = ahead.until if ahead else on_time
    ready = rule.between(begins - SECOND, until, MOST_AT_ONCE)
    following = rule.next(ready[-1] if ready else begins - SECOND)
    planned = whole._replace(occurrences=(*missed[:most], *ready), next_at=following)
    if len(missed) <= most:
        return planned
    dispatched = Ahead(ahead.first if ahead else begins, following or until + SECOND)
    return planned._replace(next_at=missed[most], ahead=dispatched)


def plan_blocked(timer: Timer, next_at: datetime, named: Unblocked, now: datetime, until: datetime) -> Plan:
    """The plan of a timer with calendars. It stops at blocked occurrences too, since a calendar may be edited before they are due.

    A blocked range is recorded as far as it is due; occurrences after it wait for the next plan.
    """
    rule = named.rule
    if next_at > until:
        return Plan(timer, rule, skipped=None, advance_from=next_at, occurrences=(), next_at=next_at)
    upcoming = named.next(next_at - SECOND)
    first = _first_to_run(named, timer, upcoming, now) if upcoming else None
    misfired = upcoming is not None and upcoming <= until and first != upcoming
    first = first if first and first <= until else None
    skipped, blocker = None, named.blocker(next_at)
    if (
        misfired and upcoming is not None and blocker is not None
    ):  # record the blocked range now, the misfired one in the next plan
        skipped = SkippedRange(timer.job, next_at, upcoming, _policy(rule, blocker))
        return Plan(timer, rule, skipped, advance_from=upcoming, occurrences=(), next_at=upcoming)
    if misfired:
        skipped = _misfired(timer, next_at, first or until + SECOND)
    elif blocker is not None and first != next_at:
        skipped = SkippedRange(
            job=timer.job, first=next_at, until=first or until + SECOND, policy=_policy(rule, blocker)
        )
    elif first != next_at:
        # The timer's instant is no occurrence, as after the timer was set aside: move to the next instant to run or to record.
        mark = named.next_mark(next_at - SECOND)
        if mark is not None and mark < (first or until + SECOND):
            return Plan(timer, rule, skipped=None, advance_from=next_at, occurrences=(), next_at=mark)
    if first is None:
        beyond = named.next_mark(until)
        return Plan(timer, rule, skipped, advance_from=beyond if skipped else next_at, occurrences=(), next_at=beyond)
    due = named.between(first - SECOND, until, MOST_AT_ONCE)
    blocked = set(rule.between(first - SECOND, due[-1], MOST_AT_ONCE)) - set(due)
    due = [t for t in due if not blocked or t < min(blocked)]
    following = min(blocked) if blocked else named.next_mark(due[-1])
    advance_from = first if skipped else next_at
    return _limited(Plan(timer, rule, skipped, advance_from=advance_from, occurrences=tuple(due), next_at=following))


def _limited(whole: Plan) -> Plan:
    """The plan without occurrences after the last one that `max_runs` allows."""
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
    """The first occurrence from `first` on that is to run: one that is on time, or one that is missed and that `catch_up` runs."""
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
    """The last occurrence in [not_before, end), found by looking back over ever longer spans, then by bisection."""
    span = timedelta(minutes=5)
    while True:
        start = max(end - span, not_before)
        found = schedule.next(start - SECOND)
        if found is not None and found < end:
            return _last_from(schedule, found, end)
        if start <= not_before:
            return None
        span *= 4


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
