"""Last runs: how the newest runs of many jobs ended, without a query for each job."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from minutehand.domain.calendar import Calendar, CalendarKey
from minutehand.domain.definition import Definition
from minutehand.domain.errors import Unread, ignored
from minutehand.domain.instants import SECOND, floor
from minutehand.domain.job_key import JobKey
from minutehand.domain.occurrence_rule import Naming, latest
from minutehand.domain.overlap_lock import lock_of
from minutehand.domain.policies import Overlap
from minutehand.domain.run import Run
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.queries.find_runs import look_at
from minutehand.usecases.queries.next_run import rule_of_definition, under_calendars


def last_runs(
    ports: Ports,
    definitions: Sequence[Definition],
    calendars: Mapping[CalendarKey, Calendar],
    *,
    now: datetime,
    unreadable: Unread = ignored,
) -> Mapping[JobKey, Run]:
    """The newest ended run of each job, among those whose ids are known without a query.

    They are the runs of the last two instants that the job's present schedule names, and the run that took the job's overlap lock last,
    where runs must not overlap. A job of which none of them has ended is left out. Two reads of runs, in batches, and one of locks.
    """
    rules = {each.job.key: rule for each in definitions if (rule := _naming(each, calendars)) is not None}
    until = {each.job.key: _until(each, now) for each in definitions}
    newest = {job: instant for job, rule in rules.items() if (instant := latest(rule, until[job])) is not None}
    locked = [lock_of(each.job.key) for each in definitions if _takes_the_lock(each)]
    holders = [permit.holder for permit in ports.permits.get(locked).values() if permit.holder] if locked else []
    scheduled = [RunKey.scheduled(job, instant) for job, instant in newest.items()]
    found = _ended(look_at(ports, [*dict.fromkeys((*scheduled, *holders))], unreadable).values())
    # The newest run may not have ended, or not exist: its instant was skipped.
    earlier = [
        RunKey.scheduled(job, instant)
        for job in newest
        if job not in found and (instant := latest(rules[job], newest[job] - SECOND)) is not None
    ]
    return found | _ended(look_at(ports, earlier, unreadable).values())


def _ended(runs: Iterable[Run]) -> dict[JobKey, Run]:
    """The newest ended run of each job."""
    found: dict[JobKey, Run] = {}
    for run in sorted(runs, key=lambda run: run.key.run_id):
        if run.state.finished:
            found[run.key.job] = run
    return found


def _naming(definition: Definition, calendars: Mapping[CalendarKey, Calendar]) -> Naming | None:
    """What names the instants of a job's runs; None where nothing does, as for a fixed delay."""
    try:
        rule = rule_of_definition(definition)
        if rule.schedule.manual or rule.schedule.delay is not None:
            return None
        return under_calendars(rule, definition.job.key, calendars)
    except ValueError:  # its schedule cannot be read, or a calendar is missing
        return None


def _until(definition: Definition, now: datetime) -> datetime:
    """Until when runs of the schedule may exist: now, or the beginning of the job's pause."""
    paused = definition.paused_since if definition.job.is_paused(now) else None
    return floor(now if paused is None else min(paused, now))


def _takes_the_lock(definition: Definition) -> bool:
    return definition.job.overlap is not Overlap.ALLOW or definition.job.fixed_delay
