"""Plans of due timers: read their calendars, plan each timer, record the ranges that it skips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

from minutehand.domain.errors import Unavailable
from minutehand.domain.occurrence_rule import rule_of
from minutehand.domain.planning import Plan, plan
from minutehand.domain.policies import OnBlocked
from minutehand.domain.run import RunKey, RunState
from minutehand.domain.timer import Due, Timer
from minutehand.usecases.dispatching.claim import move_of
from minutehand.usecases.dispatching.dispatch_report import DispatchReport
from minutehand.usecases.dispatching.skip import set_aside, skip
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.retries import read_each

if TYPE_CHECKING:
    from minutehand.domain.calendar import Calendar, CalendarKey


def read_calendars(due: Sequence[Due], ports: Ports, report: DispatchReport) -> Mapping[CalendarKey, Calendar | None]:
    """The calendars that these timers name, read once for all of them; None for one that could not be read."""
    named: set[CalendarKey] = set()
    for timer in due:
        if isinstance(timer, Timer):
            with suppress(ValueError):  # planning reports it
                named.update(_calendars_named_by(timer))
    if not named:
        return {}
    found, unread = read_each(ports.calendars.get, sorted(named))
    report.problems += [f"calendar {key}: {trouble}"[:500] for key, trouble in unread.items()]
    return found | dict.fromkeys(unread)


def _calendars_named_by(timer: Timer) -> Sequence[CalendarKey]:
    """The calendars of a timer's rule. `rule_of` remembers the rule, so planning does not decode it again."""
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
    """The plan of a timer, its skipped range already recorded.

    None when the timer has to wait for a calendar or was set aside, or when another process moved it.
    """
    try:
        named = _calendars_named_by(timer)
        known = {key: found for key in named if (found := calendars.get(key)) is not None}
        if any(key in calendars and key not in known for key in named):
            return None  # it stays due until its calendars can be read
        planned = plan(timer, now=now, until=until, calendars=known)
        if planned.rule.on_blocked is OnBlocked.NEXT_DAY:
            planned = _without_repeats(planned, known, ports)
    except Unavailable as trouble:
        report.problems.append(f"{timer.job}: {trouble}")
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
    """The plan without occurrences that were moved from days which were blocked only after the job had run on them."""
    rule, job = planned.rule, planned.timer.job
    moved = [instant for instant in planned.occurrences if not rule.names(instant)]
    if not moved:
        return planned
    from minutehand.domain.calendar_filter import unblocked  # noqa: PLC0415 - most jobs name no calendar

    named = unblocked(rule, job.namespace, calendars)
    sources = {instant: [RunKey.scheduled(job, t) for t in named.sources(instant)] for instant in moved}
    runs = ports.runs.get([key for keys in sources.values() for key in keys])
    done = {key for key, run in runs.items() if run.state is not RunState.SKIPPED}
    repeats = {instant for instant, keys in sources.items() if keys and done.issuperset(keys)}
    return planned._replace(occurrences=tuple(t for t in planned.occurrences if t not in repeats))
