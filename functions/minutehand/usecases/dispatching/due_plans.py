"""Plan due timers: read their calendars, plan each, record the ranges that it skips, and set aside those that cannot be planned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from minutehand.domain.errors import Unavailable
from minutehand.domain.instants import SECOND
from minutehand.domain.job_key import JobKey
from minutehand.domain.occurrence_rule import rule_of
from minutehand.domain.planning import Plan, plan
from minutehand.domain.policies import OnBlocked
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import BrokenTimer, Due, Recheck, SkipCause, SkippedRange, SkipPolicy, Timer
from minutehand.usecases.dispatching.claim import DispatchReport, move_of
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.stores import Move
from minutehand.usecases.retries import read_each

if TYPE_CHECKING:
    from minutehand.domain.calendar import Calendar, CalendarKey


LONGEST_DISPATCH = timedelta(seconds=90)
"""Longest life of a process that dispatches (a tick has 60 s, the API 30 s), with differences between clocks included."""
SET_ASIDE = timedelta(minutes=10)
"""How far ahead a timer that cannot be planned is moved; then it is tried again."""
_UNKNOWN_SINCE = datetime(1970, 1, 1, tzinfo=UTC)


def read_calendars(due: Sequence[Due], ports: Ports, report: DispatchReport) -> Mapping[CalendarKey, Calendar | None]:
    """The calendars that these timers name, read once for all of them; None for one that could not be read."""
    named: set[CalendarKey] = set()
    for timer in due:
        if isinstance(timer, Timer):
            with suppress(ValueError):  # planning reports a rule that cannot be read
                named.update(_calendars_named_by(timer))
    if not named:
        return {}
    found, unread = read_each(ports.calendars.get, sorted(named))
    for key, trouble in unread.items():
        report.failed(f"calendar {key}: {trouble}"[:500], trouble)
    return found | dict.fromkeys(unread)


def _calendars_named_by(timer: Timer) -> Sequence[CalendarKey]:
    """The calendars of a timer's rule. `rule_of` caches the decoded rule, so planning does not decode it again."""
    rule = rule_of(timer.rule)
    if not rule.calendars:
        return ()
    from minutehand.domain.calendar_filter import calendars_of  # noqa: PLC0415 - most jobs name no calendar

    return calendars_of(timer.job, rule)


def plan_due(
    timer: Timer,
    ports: Ports,
    calendars: Mapping[CalendarKey, Calendar | None],
    report: DispatchReport,
    *,
    now: datetime,
    until: datetime,
) -> Plan | None:
    """Plan a timer, and record the range of occurrences that the plan skips.

    Returns None when there is nothing to claim: a calendar cannot be read, so the timer stays due; the timer cannot be planned, and was set
    aside; or another process moved it first.
    """
    try:
        named = _calendars_named_by(timer)
        known = {key: found for key in named if (found := calendars.get(key)) is not None}
        if any(key in calendars and key not in known for key in named):
            return None  # the timer stays due until its calendars can be read
        planned = plan(timer, now=now, until=until, calendars=known)
        if planned.rule.on_blocked is OnBlocked.NEXT_DAY:
            planned = _without_repeats(planned, known, ports)
    except Unavailable as trouble:
        report.failed(f"{timer.job}: {trouble}", trouble)
        return None
    except Exception as trouble:  # noqa: BLE001 - whatever is wrong with one timer must not delay another
        set_aside(timer, f"{trouble!r}", ports, now, report)
        return None
    if planned.skipped is None:
        return planned
    if not skip(planned.skipped, move_of(planned, timer.next_at, planned.advance_from), ports, now):
        return None
    report.skipped_ranges += 1
    return planned


def _without_repeats(planned: Plan, calendars: Mapping[CalendarKey, Calendar], ports: Ports) -> Plan:
    """The plan without moved occurrences whose original days a calendar blocked only after the job had run on them."""
    rule, job = planned.rule, planned.timer.job
    moved = [instant for instant in planned.occurrences if not rule.names(instant)]
    if not moved:
        return planned
    from minutehand.domain.calendar_filter import unblocked  # noqa: PLC0415 - most jobs name no calendar

    named = unblocked(rule, job.namespace, calendars)
    sources = {instant: [RunKey.scheduled(job, t) for t in named.sources(instant)] for instant in moved}
    runs = ports.runs.get([key for keys in sources.values() for key in keys])
    done = {key for key, run in runs.items() if not run.never_began}
    repeats = {instant for instant, keys in sources.items() if keys and done.issuperset(keys)}
    return planned._replace(occurrences=tuple(t for t in planned.occurrences if t not in repeats))


def recheck(job: JobKey, *, now: datetime, after: datetime, until: datetime) -> Recheck:
    """The recheck that a move of a timer past (after, until] leaves: another process may be claiming runs there, and die before it
    sends them."""
    return Recheck(job=job, after=after, until=until, next_at=now + LONGEST_DISPATCH)


def skip(skipped: SkippedRange, move: Move, ports: Ports, now: datetime) -> bool:
    """Record a skipped range and move the job's timer past it; False when another process has moved the timer."""
    owed = recheck(move.job, now=now, after=skipped.first - SECOND, until=skipped.until)
    return ports.timers.skip(skipped, move, owed)


def set_aside(timer: Timer | BrokenTimer, problem: str, ports: Ports, now: datetime, report: DispatchReport) -> None:
    """Push a timer that cannot be planned forward by `SET_ASIDE`.

    An unreadable item that is not a job's own timer is only reported, like a timer that a later version can read. Both stay due.
    """
    later = now + SET_ASIDE
    if isinstance(timer, BrokenTimer) and (timer.newer or not timer.own):
        report.problems.append(f"{timer.job}: {problem}")
        return
    report.problems.append(f"{timer.job}: timer set aside until {later}: {problem}")
    skip_until(timer, later, f"timer set aside: {problem}"[:500], ports, now)


def skip_until(timer: Timer | BrokenTimer, until: datetime, reason: str, ports: Ports, now: datetime) -> None:
    """Record the occurrences before `until` that are not dispatched as a skipped range, and move the timer to `until`."""
    if timer.next_at is None and isinstance(timer, Timer):
        return  # paused or finished: nothing is due
    first = timer.next_at or _UNKNOWN_SINCE
    skipped = SkippedRange(timer.job, first=first, until=until, policy=SkipPolicy(SkipCause.OTHER, reason))
    offset = None
    if isinstance(timer, Timer):
        with suppress(ValueError):  # its rule cannot be read
            offset = rule_of(timer.rule).schedule.offset_at(until)
    move = Move(timer.job, timer.revision, timer.next_at, until, offset, packed=timer.packed)
    skip(skipped, move, ports, now)
