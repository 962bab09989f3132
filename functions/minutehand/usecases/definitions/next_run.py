"""Outlook: when a job runs next, or why it does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from minutehand.domain.calendar import Calendar, CalendarKey
from minutehand.domain.calendar_filter import Naming, unblocked
from minutehand.domain.dependencies import parents_of
from minutehand.domain.instants import SECOND, floor, to_text
from minutehand.domain.job import Definition, Job, JobKey, Join
from minutehand.domain.namespace import Namespace
from minutehand.domain.occurrence_rule import OccurrenceRule, compiled, rule_of
from minutehand.domain.timer import BrokenTimer, Timer
from minutehand.usecases.ports.bundle import Ports


class NextRunFacts(NamedTuple):
    """What an outlook is made from: the calendars that a job names, its timer where that is needed, those of its parents that
    were deleted, and its namespace's settings."""

    calendars: Mapping[CalendarKey, Calendar]
    timer: Timer | BrokenTimer | None = None
    deleted_parents: tuple[JobKey, ...] = ()
    namespace: Namespace | None = None

    def runs_after(self, now: datetime) -> datetime | None:
        """Now, or where a pause of the namespace that is on lets instants run again later than this; None for one that goes on."""
        paused = self.namespace.paused(now) if self.namespace else None
        if paused is None:
            return now
        return None if paused.until is None else paused.until - SECOND

    def outstanding_after(self, instant: datetime) -> datetime | None:
        """The one run of a fixed delay that is outstanding, where it starts later than this; None where it does not, and of other jobs."""
        timer = self.timer
        if not isinstance(timer, Timer) or not timer.rule or timer.outstanding is None:
            return None
        return timer.outstanding if timer.outstanding > instant else None


def next_run_facts(ports: Ports, definitions: Sequence[Definition], *, timers: bool) -> Mapping[JobKey, NextRunFacts]:
    """What the outlooks of these jobs need, read in as few calls as can be.

    timers: read each job's timer, and not only those of jobs whose number of runs is limited or that have a fixed delay.
    """
    named = {CalendarKey(d.job.key.namespace, name) for d in definitions for name in d.job.calendars}
    calendars = ports.calendars.get(sorted(named)) if named else {}
    parents = set[JobKey]().union(*map(parents_of, definitions))
    there = ports.definitions.get(sorted(parents)) if parents else {}
    gone = {key for key in parents if key not in there or there[key].deleted}
    settings = ports.namespaces.get(sorted({d.job.key.namespace for d in definitions})) if definitions else {}
    return {
        d.job.key: NextRunFacts(
            calendars,
            ports.timers.get(d.job.key) if timers or d.job.max_runs is not None or d.job.fixed_delay else None,
            tuple(sorted(parents_of(d) & gone)),
            settings.get(d.job.key.namespace),
        )
        for d in definitions
    }


def next_or_why(definition: Definition, facts: NextRunFacts, *, now: datetime) -> tuple[datetime | None, str | None]:
    """When the job runs next, or why it does not; of one that is paused until an instant, both. One whose schedule cannot be read says
    so, and hides no other."""
    try:
        because = idle_because(definition, facts, now=now)
        after = facts.runs_after(now)
        coming = None
        if after is not None and not because:
            coming = facts.outstanding_after(after) or next_run_at(definition, facts, now=after)
    except ValueError as error:
        return None, f"its schedule cannot be read ({error}); save the job again"
    return coming, because or _namespace_paused(facts, now) or _paused_until(definition, now)


def next_run_at(definition: Definition, facts: NextRunFacts, *, now: datetime) -> datetime | None:
    """The first instant after `now` that the newest revision names and no calendar blocks."""
    coming = upcoming(definition, facts)
    return coming.next(now) if coming else None


def upcoming(definition: Definition, facts: NextRunFacts) -> Naming | None:
    """What names the job's coming instants, the limit of their number apart; None while it is paused or finished.

    Raises:
        ValueError: when a calendar is missing.
    """
    schedule = definition.revisions[-1].rule
    finished = isinstance(facts.timer, Timer) and facts.timer.is_used_up
    return None if schedule is None or finished else naming(rule_of(schedule), definition.job.key, facts.calendars)


def rule_meant(definition: Definition) -> OccurrenceRule:
    """What the job's definition names, be it paused or not.

    Raises:
        ValueError: when its schedule cannot be read.
    """
    encoded = definition.revisions[-1].rule
    return compiled(definition.job) if encoded is None else rule_of(encoded)


def naming(rule: OccurrenceRule, job: JobKey, calendars: Mapping[CalendarKey, Calendar]) -> Naming:
    """The agenda, under its calendars where it names any."""
    return unblocked(rule, job.namespace, calendars) if rule.calendars else rule


def idle_because(definition: Definition, facts: NextRunFacts, *, now: datetime) -> str | None:
    """Why the job has no next run, in words; None when it has one, as far as is known."""
    timer, job = facts.timer, definition.job
    if isinstance(timer, BrokenTimer):
        return f"its timer cannot be read ({timer.problem}); save the job again to make a new one"
    if job.paused:
        return f"paused (last changed by {definition.updated_by} at {_text(definition.updated_at)}); resume it to let it run"
    if isinstance(timer, Timer) and timer.is_used_up:
        had = "its one run has been" if job.max_runs == 1 else f"its {job.max_runs} runs have all been"
        return f"{had} dispatched; raise max_runs to let it run again"
    if next_run_at(definition, facts, now=now) is not None:
        return None
    rule = rule_of(definition.revisions[-1].rule or "")
    until = _paused_until(definition, now)
    if until is not None:
        return until if rule.schedule.manual else f"{until}, and its schedule names nothing later"
    if rule.schedule.manual:
        return _waits_for_parents(job, facts.deleted_parents) or "its schedule is @manual: it runs when it is triggered"
    if rule.next(now) is not None:
        return f"its calendars ({', '.join(job.calendars)}) block all that its schedule names after {_text(now)}"
    if job.end_at is not None and job.end_at <= now:
        return f"its end_at, {_text(job.end_at)}, has passed"
    return f"the schedule {job.schedule!r} names no instant after {_text(now)}"


def _namespace_paused(facts: NextRunFacts, now: datetime) -> str | None:
    """That the job's namespace is paused; None when it is not."""
    paused = facts.namespace.paused(now) if facts.namespace else None
    if paused is None or facts.namespace is None:
        return None
    until = f" until {_text(paused.until)}" if paused.until else ""
    since = f"by {paused.who} at {_text(paused.begun)}"
    return f"the namespace {facts.namespace.name} is paused{until} ({since}); resume the namespace to let its jobs run"


def _paused_until(definition: Definition, now: datetime) -> str | None:
    """That a job is paused up to an instant; None for one that is not, or for good."""
    until = definition.job.paused_until
    if until is None or not definition.job.is_paused(now):
        return None
    return f"paused until {_text(until)} (last changed by {definition.updated_by} at {_text(definition.updated_at)}); resume it to let it run before"


def _waits_for_parents(job: Job, deleted: Sequence[JobKey]) -> str | None:
    """Whose end it waits for, or whose will never come; None for a job without parents."""
    parents = sorted({entry.job for entry in job.depends_on})
    if not parents:
        return None
    if deleted and (job.join is Join.ALL or len(deleted) == len(parents)):
        said = "its parent {} was deleted" if len(deleted) == 1 else "its parents {} were deleted"
        return f"{said.format(_listed(deleted, 'and'))}; save what it depends on again, or leave it out"
    whose = "the run" if len(parents) == 1 else "runs" if job.join is Join.ALL else "a run"
    return f"it waits for {whose} of {_listed([p for p in parents if p not in deleted], 'and' if job.join is Join.ALL else 'or')}"


def _listed(jobs: Sequence[JobKey], word: str) -> str:
    *others, last = map(str, jobs)
    return f"{', '.join(others)} {word} {last}" if others else last


def _text(instant: datetime) -> str:
    """In whole seconds: for people."""
    return to_text(floor(instant))
