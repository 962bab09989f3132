"""Preview: the upcoming runs of a job, as stored or as it would be after an edit, and the runs that the edit adds and removes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.domain.calendar import Calendar, CalendarKey
from minutehand.domain.calendar_filter import Unblocked
from minutehand.domain.definition import Definition
from minutehand.domain.errors import FieldProblem, Invalid
from minutehand.domain.instants import SECOND
from minutehand.domain.job_key import JobKey
from minutehand.domain.occurrence_rule import Naming, OccurrenceRule, rule_of
from minutehand.domain.policies import OnBlocked
from minutehand.domain.shadow import ShadowOf
from minutehand.domain.timer import Timer
from minutehand.schedule.clock_notes import ClockNote, clock_notes
from minutehand.schedule.difference import Difference, difference
from minutehand.usecases.definitions.manage import Saved
from minutehand.usecases.definitions.saved_timer import keeps_timer, runs_left_of
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.queries.blocked_ranges import BlockedRange, blocked_ranges
from minutehand.usecases.queries.next_run import (
    next_or_why,
    next_run_facts,
    read_calendars,
    rule_of_definition,
    under_calendars,
)

SPAN = timedelta(days=30)
"""Period over which an edit is compared with the stored job."""
# Most occurrences of the two schedules together that a comparison reads. 200,000 are enough for two schedules with one every
# second of a day. Each occurrence of a job with calendars takes ten times as long to compute.
_MOST_COMPARED, _MOST_COMPARED_UNDER_CALENDARS = 200_000, 20_000
_MOST_PASSED = 20_000
MOST_STEPS = 100_000
"""Steps of the search for runs after which a preview is cut: about a second of work. Where calendars block nearly everything, or
move many occurrences, a single further run may take tens of thousands."""
_HORIZON = timedelta(days=14_610)
_NO_JOB = JobKey("", "")


class Occurrence(NamedTuple):
    """An upcoming run.

    Attributes:
        at: its nominal instant.
        starts_at: its instant with jitter.
        moved_from: the first occurrence that calendars moved to this instant; None for one of the schedule itself.
        estimated: whether the instant of a fixed delay is computed as if the run before it took no time.
    """

    at: datetime
    starts_at: datetime
    moved_from: datetime | None
    estimated: bool


class Ahead(NamedTuple):
    """A job's upcoming runs.

    Attributes:
        rule: the job's occurrence rule; None when it cannot be read.
        occurrences: the upcoming runs, in order.
        blocked: ranges that calendars block, up to the last occurrence.
        notes: effects of clock changes on the occurrences.
        idle_because: why the job has no runs, or none before a pause ends; None when nothing prevents runs, and in a dry run.
        cut: whether further runs were left out because finding them takes too much work (`MOST_STEPS`).
        shadow_of: what puts the stored job in shadow.
    """

    rule: OccurrenceRule | None
    occurrences: Sequence[Occurrence] = ()
    blocked: Sequence[BlockedRange] = ()
    notes: Sequence[ClockNote] = ()
    idle_because: str | None = None
    cut: bool = False
    shadow_of: ShadowOf | None = None


class Edit(NamedTuple):
    """A job's upcoming runs once it is saved, and how they differ from those of the stored job from `start` on.

    Attributes:
        difference: None for a new job, and when nothing changes or the stored schedule cannot be read.
    """

    ahead: Ahead
    start: datetime
    difference: Difference | None


class _Limit(NamedTuple):
    """How many occurrences later than `since` a job's `max_runs` still allows: `left`."""

    left: int
    since: datetime


def ahead_of(ports: Ports, definition: Definition, *, after: datetime, count: int) -> Ahead:
    """The stored job's first `count` runs later than `after` and now; none while the job is idle.

    Raises:
        Invalid: for a job with `max_runs`, when too many occurrences come before `after` to count them, or counting them takes too
            much work.
    """
    now = ports.clock()
    facts = next_run_facts(ports, [definition], timers=True)[definition.job.key]
    upcoming, reason = next_or_why(definition, facts, now=now)
    if upcoming is None:
        try:
            return Ahead(rule_of_definition(definition), idle_because=reason, shadow_of=facts.shadow_of)
        except ValueError:
            return Ahead(None, idle_because=reason, shadow_of=facts.shadow_of)
    rule, timer = rule_of(definition.revisions[-1].rule or ""), facts.timer
    named, limit = under_calendars(rule, definition.job.key, facts.calendars), None
    if isinstance(timer, Timer) and timer.runs_left is not None:
        limit = _limited(max(timer.runs_left, 0), timer.next_at, now)
    first = max(after, facts.runs_after(now) or now)
    known = facts.outstanding_after(first)
    ahead = _ahead(named, rule, definition.job.key, after=first, count=count, limit=limit, known=known)
    return ahead._replace(idle_because=reason, shadow_of=facts.shadow_of)


def ahead_of_rule(rule: OccurrenceRule, *, after: datetime, count: int) -> Ahead:
    """The first `count` runs later than `after` that a schedule would have by itself, without a job, its calendars and its limits."""
    if rule.next(after) is None:
        return Ahead(rule)
    return _ahead(rule, rule, _NO_JOB, after=after, count=count, limit=None)


def difference_of_rules(
    old: OccurrenceRule, new: OccurrenceRule, start: datetime, end: datetime, *, first: int
) -> Difference:
    """Compare two schedules over a span, up to as many occurrences as a dry run compares. first: most instants that are listed."""
    return difference(old, new, start, end, first=first, most=_MOST_COMPARED)


def edit_of(ports: Ports, saved: Saved, *, count: int) -> Edit:
    """The upcoming runs for the answer to a dry run. A paused job is treated as if it were not paused."""
    definition, key, now = saved.definition, saved.definition.job.key, ports.clock()
    stored = None if saved.created else ports.definitions.get([key]).get(key)
    calendars = read_calendars(ports, [definition] if stored is None else [definition, stored])
    try:
        rule = rule_of_definition(definition)
        named = under_calendars(rule, key, calendars)
    except ValueError:  # the job's status says what is wrong
        return Edit(Ahead(None), now, None)
    return Edit(
        ahead=_ahead(named, rule, key, after=now, count=count, limit=_limit(ports, saved, stored, now)),
        start=now,
        difference=_difference(stored, named, calendars, now) if stored and saved.changed else None,
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
    """The first `count` upcoming runs later than `after`. `known` is the first of them, if the caller knows it already."""
    count = count if limit is None else min(count, _runs_after(named, after, limit))
    found: list[datetime] = []
    instant = (known or named.next(after)) if count else None
    cut = False
    while instant is not None:
        found.append(instant)
        cut = len(found) < count and _is_too_much(named)
        instant = named.next(instant) if len(found) < count and not cut else None
    start = after if rule.start_at is None else max(after, rule.start_at - SECOND)
    last = found[-1] if found else start
    end = last if cut or len(found) == count else max(start, rule.end_at or start + _HORIZON)
    occurrences = []
    for at in found:
        moved_from = None
        if rule.on_blocked is OnBlocked.NEXT_DAY and isinstance(named, Unblocked) and not rule.names(at):
            moved_from = min(named.sources(at), default=None)
        estimated = rule.schedule.delay is not None and at != known
        occurrences.append(Occurrence(at, at + rule.jitter_of(job, at), moved_from, estimated))
    return Ahead(
        rule,
        occurrences,
        blocked=blocked_ranges(named, after, end) if isinstance(named, Unblocked) else (),
        notes=clock_notes(rule.schedule, start, end, found),
        cut=cut,
    )


def _is_too_much(named: Naming) -> bool:
    return isinstance(named, Unblocked) and named.steps > MOST_STEPS


def _runs_after(named: Naming, after: datetime, limit: _Limit) -> int:
    """How many runs later than `after` are to come: those that `max_runs` still allows, and those already claimed ahead."""
    if after <= limit.since:
        return limit.left + len(named.between(after, limit.since, _MOST_PASSED))
    passed = _passed(named, limit.since, after, min(limit.left, _MOST_PASSED))
    if passed is None or passed == _MOST_PASSED < limit.left:
        most = f"{MOST_STEPS:,} runs and blocked times" if passed is None else f"{_MOST_PASSED:,} runs"
        message = f"more than {most} come before this instant, too many to count how many max_runs leaves"
        raise Invalid(FieldProblem("after", message, "give an earlier instant"))
    return limit.left - passed


def _passed(named: Naming, after: datetime, until: datetime, most: int) -> int | None:
    """How many runs come after one instant and until another, at most `most`; None if counting them takes too much work."""
    if not isinstance(named, Unblocked):
        return len(named.between(after, until, most))
    passed = 0
    while passed < most:
        instant = named.next(after)
        if instant is None or instant > until:
            break
        if _is_too_much(named):
            return None
        passed, after = passed + 1, instant
    return passed


def _limited(left: int, next_at: datetime | None, now: datetime) -> _Limit:
    return _Limit(left, now if next_at is None else next_at - SECOND)


def _limit(ports: Ports, saved: Saved, stored: Definition | None, now: datetime) -> _Limit | None:
    """How many runs `max_runs` would still allow if the definition were saved now; None without `max_runs`."""
    after = saved.definition
    if after.job.max_runs is None:
        return None
    if stored is None:
        return _limited(after.job.max_runs, None, now)
    timer = ports.timers.get(after.job.key)
    keeps = not saved.changed or keeps_timer(timer, after)
    left = runs_left_of(stored, after, timer, keeps=keeps, ports=ports, now=now)
    return _limited(max(left or 0, 0), timer.next_at if keeps and timer else None, now)


def _difference(
    stored: Definition, named: Naming, calendars: Mapping[CalendarKey, Calendar], now: datetime
) -> Difference | None:
    try:
        old = under_calendars(rule_of_definition(stored), stored.job.key, calendars)
    except ValueError:  # an unreadable schedule cannot be compared, but may be replaced
        return None
    slow = isinstance(old, Unblocked) or isinstance(named, Unblocked)
    most = _MOST_COMPARED_UNDER_CALENDARS if slow else _MOST_COMPARED
    return difference(old, named, now, now + SPAN, first=0, most=most)
