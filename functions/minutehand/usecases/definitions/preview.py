"""Preview: the runs that lie ahead of a job as it stands or would stand, and what an edit adds to them and takes away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from minutehand.domain.blocked_ranges import BlockedRange, blocked_ranges
from minutehand.domain.calendar import Calendar, CalendarKey
from minutehand.domain.calendar_filter import Naming, Unblocked
from minutehand.domain.errors import FieldProblem, Invalid
from minutehand.domain.instants import SECOND
from minutehand.domain.job import Definition, JobKey, OnBlocked
from minutehand.domain.occurrence_rule import OccurrenceRule, rule_of
from minutehand.domain.timer import Timer
from minutehand.schedule.clock_notes import ClockNote, clock_notes
from minutehand.schedule.difference import Difference, difference
from minutehand.usecases.definitions.manage import Saved
from minutehand.usecases.definitions.next_run import naming, next_or_why, next_run_facts, rule_meant
from minutehand.usecases.definitions.revise import keeps_its_place, runs_left_of
from minutehand.usecases.ports.bundle import Ports

SPAN = timedelta(days=30)
"""Over how long an edit is compared with what it replaces."""
# Instants of both that are read at most. The first lets two schedules of every second be compared over a day; under
# calendars each instant takes ten times as long.
_MOST_COMPARED, _MOST_COMPARED_UNDER_CALENDARS = 200_000, 20_000
_MOST_PASSED = 20_000
_HORIZON = timedelta(days=14_610)
_LATEST = datetime.max.replace(tzinfo=UTC)


class Occurrence(NamedTuple):
    """A run to come: its nominal instant, when it starts by its jitter, and the first of the occurrences that a calendar
    has moved there; None for one that stands where it is named."""

    at: datetime
    starts_at: datetime
    moved_from: datetime | None


class Ahead(NamedTuple):
    """What lies ahead of a job.

    Attributes:
        agenda: None when it cannot be read.
        occurrences: in order.
        blocked: what calendars block up to the last of them.
        notes: what clock changes do to all these.
        idle_because: why there are none, or none before a pause has ended; None where that is not asked, or nothing is in the way.
    """

    rule: OccurrenceRule | None
    occurrences: Sequence[Occurrence] = ()
    blocked: Sequence[BlockedRange] = ()
    notes: Sequence[ClockNote] = ()
    idle_because: str | None = None


class Edit(NamedTuple):
    """What lies ahead of a job once it is saved, and how that differs from what did before, from `start` on.

    difference: None for a new job, and where nothing changes or cannot be compared.
    """

    ahead: Ahead
    start: datetime
    difference: Difference | None


class _Limit(NamedTuple):
    """How many occurrences still run of those later than `since`."""

    left: int
    since: datetime


def ahead_of(ports: Ports, definition: Definition, *, after: datetime, count: int) -> Ahead:
    """The job's first `count` runs later than `after` and than now, as it stands: none while it is idle.

    Raises:
        Invalid: when too many occurrences lie before `after` to say how many a job with `max_runs` has left then.
    """
    now = ports.clock()
    facts = next_run_facts(ports, [definition], timers=True)[definition.job.key]
    coming, because = next_or_why(definition, facts, now=now)
    if coming is None:
        return Ahead(_agenda(definition), idle_because=because)
    rule, timer = rule_of(definition.revisions[-1].rule or ""), facts.timer
    named, limit = naming(rule, definition.job.key, facts.calendars), None
    if isinstance(timer, Timer) and timer.runs_left is not None:
        limit = _limited(max(timer.runs_left, 0), timer.next_at, now)
    first = max(after, facts.runs_after(now) or now)
    known = facts.outstanding_after(first)
    ahead = _ahead(named, rule, definition.job.key, after=first, count=count, limit=limit, known=known)
    return ahead._replace(idle_because=because)


def edit_of(ports: Ports, saved: Saved, *, count: int) -> Edit:
    """What a dry run tells beside what would be saved. Of a paused job, it is told as if it were not."""
    definition, key, now = saved.definition, saved.definition.job.key, ports.clock()
    stands = None if saved.created else ports.definitions.get([key]).get(key)
    calendars = _calendars(ports, [definition] if stands is None else [definition, stands])
    try:
        rule = rule_meant(definition)
        named = naming(rule, key, calendars)
    except ValueError:  # it stands as it is, and its status says what is wrong
        return Edit(Ahead(None), now, None)
    return Edit(
        ahead=_ahead(named, rule, key, after=now, count=count, limit=_limit(ports, saved, stands, now)),
        start=now,
        difference=_difference(stands, named, calendars, now) if stands and saved.changed else None,
    )


def _ahead(
    named: Naming,
    rule: OccurrenceRule,
    job: JobKey,
    *,
    after: datetime,
    count: int,
    limit: _Limit | None,
    known: datetime | None = None,
) -> Ahead:
    """known: the first of the runs, where it is settled already."""
    count = count if limit is None else min(count, _runs_after(named, after, limit))
    found: list[datetime] = []
    instant = (known or named.next(after)) if count else None
    while instant is not None:
        found.append(instant)
        instant = named.next(instant) if len(found) < count else None
    start = after if rule.start_at is None else max(after, rule.start_at - SECOND)
    if len(found) == count:
        end = found[-1] if found else start
    else:
        end = max(start, rule.end_at or min(start, _LATEST - _HORIZON) + _HORIZON)
    return Ahead(
        rule,
        occurrences=[
            Occurrence(at, at + rule.jitter_of(job, at), moved_from=_moved_from(named, rule, at)) for at in found
        ],
        blocked=blocked_ranges(named, after, end) if isinstance(named, Unblocked) else (),
        notes=clock_notes(rule.schedule, start, end, found),
    )


def _moved_from(named: Naming, rule: OccurrenceRule, at: datetime) -> datetime | None:
    """The first of the occurrences that have been moved to this instant; None where it is named itself."""
    if rule.on_blocked is not OnBlocked.NEXT_DAY or not isinstance(named, Unblocked) or rule.names(at):
        return None
    return min(named.sources(at), default=None)


def _runs_after(named: Naming, after: datetime, limit: _Limit) -> int:
    """How many of the runs that are left come later than `after`, with those claimed ahead, which no longer count."""
    if after <= limit.since:
        return limit.left + len(named.between(after, limit.since, _MOST_PASSED))
    passed = len(named.between(limit.since, after, min(limit.left, _MOST_PASSED)))
    if passed == _MOST_PASSED < limit.left:
        message = f"more than {_MOST_PASSED:,} runs come before it, too many to say how many of max_runs are left then"
        raise Invalid(FieldProblem("after", message, "ask for an earlier instant"))
    return limit.left - passed


def _limited(left: int, stands_at: datetime | None, now: datetime) -> _Limit:
    return _Limit(left, now if stands_at is None else stands_at - SECOND)


def _limit(ports: Ports, saved: Saved, stands: Definition | None, now: datetime) -> _Limit | None:
    """How many runs the definition would leave, were it saved now."""
    after = saved.definition
    if after.job.max_runs is None:
        return None
    if stands is None:
        return _limited(after.job.max_runs, None, now)
    timer = ports.timers.get(after.job.key)
    keeps = not saved.changed or keeps_its_place(timer, after)
    left = runs_left_of(stands, after, timer, keeps=keeps, ports=ports, now=now)
    return _limited(max(left or 0, 0), timer.next_at if keeps and timer else None, now)


def _difference(
    stands: Definition, named: Naming, calendars: Mapping[CalendarKey, Calendar], now: datetime
) -> Difference | None:
    try:
        old = naming(rule_meant(stands), stands.job.key, calendars)
    except ValueError:  # what cannot be read any more cannot be compared, and may well be replaced
        return None
    slow = isinstance(old, Unblocked) or isinstance(named, Unblocked)
    most = _MOST_COMPARED_UNDER_CALENDARS if slow else _MOST_COMPARED
    return difference(old, named, now, now + SPAN, first=0, most=most)


def _calendars(ports: Ports, definitions: Sequence[Definition]) -> Mapping[CalendarKey, Calendar]:
    named = {CalendarKey(each.job.key.namespace, name) for each in definitions for name in each.job.calendars}
    return ports.calendars.get(sorted(named)) if named else {}


def _agenda(definition: Definition) -> OccurrenceRule | None:
    try:
        return rule_meant(definition)
    except ValueError:
        return None
