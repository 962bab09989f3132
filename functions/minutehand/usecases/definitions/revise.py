"""Revise a job: its next revision, and the checks that its schedule has occurrences and its calendars exist."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta

from minutehand.domain.calendar import Calendar, CalendarKey
from minutehand.domain.calendar_filter import MOST_MOVED_A_DAY, too_many_to_move, unblocked
from minutehand.domain.definition import Definition, Revision
from minutehand.domain.errors import FieldProblem, Invalid
from minutehand.domain.instants import SECOND, floor, to_text
from minutehand.domain.job import Job
from minutehand.domain.lanes import slow_until_of
from minutehand.domain.occurrence_rule import OccurrenceRule, compiled, rule_of
from minutehand.domain.policies import OnBlocked
from minutehand.usecases.ports.bundle import Ports

_KEEP_REVISIONS_FOR = timedelta(hours=24)
_MOST_REVISIONS = 100
_NAMES_INSTANTS = ("schedule", "timezone", "dialect", "calendars", "on_blocked", "start_at", "end_at")


class NeverRuns(Invalid):
    """The job has no future occurrence: it is over, or a mistake."""


def revised(before: Definition | None, job: Job | None, *, now: datetime, who: str) -> Definition:
    """The definition with its next revision, in effect from `now` on. A `job` of None deletes it.

    Raises:
        ScheduleError: when the schedule cannot be read.
        ValueError: when there is nothing to delete.
    """
    kept = job
    if kept is None:
        if before is None:
            raise ValueError("a job that does not exist cannot be deleted")
        kept = before.job
    encoded = compiled(job, now=now, before=_last_rule(before)).encode() if job else None
    number = before.revision + 1 if before else 1
    earlier: list[Revision] = []
    if before:
        # Keep the revisions that were in effect at any instant of the last 24 hours: earlier occurrences were dispatched long ago.
        ended = [later.effective_from for later in before.revisions[1:]]
        revisions = zip(before.revisions, [*ended, now], strict=False)
        earlier = [one for one, end in revisions if end >= now - _KEEP_REVISIONS_FOR][-_MOST_REVISIONS:]
    remade = before is not None and before.deleted
    since, by = _pause(before, job, now, who)
    this = Revision(
        number=number,
        effective_from=now,
        rule=None if kept.paused else encoded,
        deleted=job is None,
        paused_until=job.paused_until if job else None,
    )
    return Definition(
        job=kept,
        revision=number,
        created_at=before.created_at if before and not remade else now,
        updated_at=now,
        updated_by=who,
        revisions=(*earlier, this),
        deleted=job is None,
        children=before.children if before else frozenset(),
        made_anew=0 if before is None else before.revision if remade else before.made_anew,
        slow_until=slow_until_of(kept, before, now),
        paused_since=since,
        paused_by=by,
        unknown=before.unknown if before else {},
    )


def _pause(before: Definition | None, job: Job | None, now: datetime, who: str) -> tuple[datetime | None, str]:
    """When the pause in which a job is saved began, and by which token; None and empty if the job is not paused."""
    if job is None or not job.is_paused(now):
        return None, ""
    if before is not None and before.revisions[-1].paused_at(now):
        return before.paused_since, before.paused_by
    return now, who


def _last_rule(before: Definition | None) -> OccurrenceRule | None:
    """The occurrence rule of the last revision; None if it has none, or one that cannot be read."""
    if before is None or before.revisions[-1].rule is None:
        return None
    with suppress(ValueError):
        return rule_of(before.revisions[-1].rule)
    return None


def check_comes(
    before: Definition | None, after: Definition, calendars: Mapping[CalendarKey, Calendar], *, now: datetime
) -> None:
    """Refuse a job without a future occurrence, unless its schedule, window and calendars are those stored. Ignores pauses.

    Raises:
        NeverRuns: with the field that rules out every instant.
        Invalid: when more occurrences would be moved to another day than can be.
    """
    if after.deleted:
        return
    if before and not before.deleted:
        if all(getattr(before.job, name) == getattr(after.job, name) for name in _NAMES_INSTANTS):
            return
    problem = _never_runs(after.job, calendars, now)
    if problem is not None:
        raise Invalid(problem) if problem.path == "on_blocked" else NeverRuns(problem)


def _never_runs(job: Job, calendars: Mapping[CalendarKey, Calendar], now: datetime) -> FieldProblem | None:
    """The problem with the field that leaves a job no occurrence after `now`; None when it has one."""
    rule = compiled(replace(job, paused_until=None))
    if rule.schedule.manual:
        return None
    never = f"has no occurrence after {to_text(floor(now))}"
    if rule.schedule.next(now) is None:
        quoted = repr(job.schedule) if isinstance(job.schedule, str) else ", ".join(map(repr, job.schedule))
        return FieldProblem("schedule", f"{quoted} {never}", "name a time in the future")
    if rule.next(now) is None:
        begins = max(rule.start_at or now, now)
        if rule.schedule.next(begins - SECOND) is None:
            return FieldProblem(
                "start_at", f"from start_at on, the schedule {never}", "give an earlier start_at, or none"
            )
        return FieldProblem("end_at", f"up to end_at, the schedule {never}", "give a later end_at, or none")
    crowded = too_many_to_move(rule, now) if rule.on_blocked is OnBlocked.NEXT_DAY else None
    if crowded:
        often = f"the schedule has more than {MOST_MOVED_A_DAY} occurrences within 24 hours from {to_text(crowded)}"
        hint = "leave on_blocked out: blocked occurrences are then skipped"
        return FieldProblem("on_blocked", f"{often}, too many to be moved", hint)
    if rule.calendars and unblocked(rule, job.key.namespace, calendars).next(now) is None:
        blocks, hint = (
            ("the calendar blocks", "leave the calendar out, or change it")
            if len(rule.calendars) == 1
            else ("the calendars block", "leave one of the calendars out, or change it")
        )
        return FieldProblem("calendars", f"{blocks} every occurrence of the schedule after {to_text(floor(now))}", hint)
    return None


def calendars_for(definition: Definition, ports: Ports) -> Mapping[CalendarKey, Calendar]:
    """Read the calendars that a definition names.

    Raises:
        Invalid: when one of them does not exist.
    """
    calendars = () if definition.deleted else definition.job.calendars
    wanted = [CalendarKey(definition.job.key.namespace, name) for name in calendars]
    found = ports.calendars.get(wanted) if wanted else {}
    hint = "save it first, or leave it out: minutehand calendar list shows the calendars"
    missing = [FieldProblem("calendars", f"there is no calendar {key}", hint) for key in wanted if key not in found]
    if missing:
        raise Invalid(*missing)
    return found
