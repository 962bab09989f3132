"""Next run: when a job runs next, or why it does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from minutehand.domain.calendar import Calendar, CalendarKey
from minutehand.domain.calendar_filter import unblocked
from minutehand.domain.definition import Definition
from minutehand.domain.dependencies import parents_of
from minutehand.domain.instants import SECOND, floor, to_text
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.domain.namespace import Namespace
from minutehand.domain.occurrence_rule import Naming, OccurrenceRule, compiled, rule_of
from minutehand.domain.policies import Join
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.domain.shadow import ShadowOf, shadow_of
from minutehand.domain.timer import BrokenTimer, Timer
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.stores import Overview


class NextRunFacts(NamedTuple):
    """What a job's next run depends on.

    Attributes:
        calendars: those that the job names, possibly among others.
        timer: the job's timer; None where it was not read, or there is none.
        outstanding: a fixed delay's outstanding run (the one that has yet to end), if its instant has come and it was claimed.
        shadow_of: what puts the job in shadow.
    """

    calendars: Mapping[CalendarKey, Calendar]
    timer: Timer | BrokenTimer | None = None
    deleted_parents: tuple[JobKey, ...] = ()
    namespace: Namespace | None = None
    outstanding: Run | None = None
    shadow_of: ShadowOf | None = None

    def runs_after(self, now: datetime) -> datetime | None:
        """The instant after which occurrences may run: now, or the end of the namespace's pause; None while a pause has no end."""
        paused = self.namespace.paused(now) if self.namespace else None
        if paused is None:
            return now
        return None if paused.until is None else paused.until - SECOND

    def outstanding_after(self, instant: datetime) -> datetime | None:
        """Start of a fixed delay's outstanding run, if it is later than `instant`; else None."""
        starts = _outstanding_at(self.timer)
        return starts if starts is not None and starts > instant else None

    def waits_for(self, now: datetime) -> str | None:
        """What a fixed delay waits for before the start of its next run can be known, and since when, in words; None for another job,
        and while the start is known."""
        starts, run = _outstanding_at(self.timer), self.outstanding
        if starts is None or starts > now or (run is not None and run.state.finished):
            return None
        if run is None:
            return f"its run of {_text(starts)} is due, and waits for a tick to claim it"
        return f"it waits for the end of run {run.key.run_id}, {_in_state(run)}"


def next_run_facts(ports: Ports, definitions: Sequence[Definition], *, timers: bool) -> Mapping[JobKey, NextRunFacts]:
    """Read what the next runs of these jobs depend on, in as few calls as possible.

    Args:
        timers: whether to read every job's timer, rather than only those of jobs with `max_runs` or a fixed delay.
    """
    read = {d.job.key for d in definitions if timers or d.job.max_runs is not None or d.job.fixed_delay}
    found = ports.timers.of_jobs(sorted(read)) if read else {}
    settings = ports.namespaces.get(sorted({d.job.key.namespace for d in definitions})) if definitions else {}
    return _facts(ports, definitions, found, settings)


def facts_of(ports: Ports, definition: Definition, overview: Overview) -> NextRunFacts:
    """Read what the next run of a job depends on besides its overview: nothing, for most jobs."""
    key = definition.job.key
    timers = {} if overview.timer is None else {key: overview.timer}
    settings = {} if overview.namespace is None else {key.namespace: overview.namespace}
    return _facts(ports, [definition], timers, settings)[key]


def _facts(
    ports: Ports,
    definitions: Sequence[Definition],
    found: Mapping[JobKey, Timer | BrokenTimer],
    settings: Mapping[str, Namespace],
) -> Mapping[JobKey, NextRunFacts]:
    calendars = read_calendars(ports, definitions)
    parents = set[JobKey]().union(*map(parents_of, definitions))
    stored = ports.definitions.get(sorted(parents)) if parents else {}
    deleted = {key for key in parents if key not in stored or stored[key].deleted}
    now = ports.clock()
    begun = {
        key: RunKey.scheduled(key, starts)
        for key, timer in found.items()
        if (starts := _outstanding_at(timer)) is not None and starts <= now
    }
    outstanding = ports.runs.get([*begun.values()]) if begun else {}
    return {
        d.job.key: NextRunFacts(
            calendars,
            found.get(d.job.key),
            tuple(sorted(parents_of(d) & deleted)),
            settings.get(d.job.key.namespace),
            outstanding.get(begun[d.job.key]) if d.job.key in begun else None,
            shadow_of(d.job, settings.get(d.job.key.namespace), stack=ports.shadow),
        )
        for d in definitions
    }


def _outstanding_at(timer: Timer | BrokenTimer | None) -> datetime | None:
    """The instant of a fixed delay's outstanding run; None for another timer, and while the job is paused or finished."""
    return timer.outstanding if isinstance(timer, Timer) and timer.rule and timer.next_at is not None else None


def _in_state(run: Run) -> str:
    """The state of an active run, and since when it lasts or when it ends."""
    match run.state:
        case RunState.RUNNING:
            return f"running since {_text(run.started_at or run.starts_at)} (attempt {run.attempt})"
        case RunState.WAITING:
            return f"waiting for its target's answer since {_text(run.started_at or run.starts_at)}"
        case RunState.RETRYING:
            return f"retrying: attempt {run.attempt + 1} starts at {_text(run.due_at)}"
    return f"queued since {_text(run.due_at)}"


def read_calendars(ports: Ports, definitions: Sequence[Definition]) -> Mapping[CalendarKey, Calendar]:
    """The calendars that these jobs name and that exist."""
    named = {CalendarKey(each.job.key.namespace, name) for each in definitions for name in each.job.calendars}
    return ports.calendars.get(sorted(named)) if named else {}


def next_or_why(definition: Definition, facts: NextRunFacts, *, now: datetime) -> tuple[datetime | None, str | None]:
    """The job's next run, or the reason why it has none. For a pause that ends by itself, both. An unreadable schedule is a
    reason."""
    try:
        reason = _stopped_because(definition, facts)
        following = None if reason else next_run_at(definition, facts, now=now)
        if following is None and not reason:
            reason = _without_occurrence_because(definition, facts, now=now)
        after = facts.runs_after(now)
        upcoming = None
        if after is not None and not reason:
            if (waits := facts.waits_for(now)) is not None:
                return None, waits
            upcoming = facts.outstanding_after(after)
            if upcoming is None:
                upcoming = following if after == now else next_run_at(definition, facts, now=after)
    except ValueError as error:
        return None, f"its schedule cannot be read ({error}); save the job again"
    return upcoming, reason or _namespace_paused(facts, now) or _paused_until(definition, now)


def next_run_at(definition: Definition, facts: NextRunFacts, *, now: datetime) -> datetime | None:
    """The newest revision's first occurrence after `now` that no calendar blocks; None while the job is paused or finished.

    Raises:
        ValueError: when a calendar is missing.
    """
    encoded = definition.revisions[-1].rule
    if encoded is None or (isinstance(facts.timer, Timer) and facts.timer.is_used_up):
        return None
    return under_calendars(rule_of(encoded), definition.job.key, facts.calendars).next(now)


def rule_of_definition(definition: Definition) -> OccurrenceRule:
    """The occurrence rule of a definition, whether the job is paused or not.

    Raises:
        ValueError: when its schedule cannot be read.
    """
    encoded = definition.revisions[-1].rule
    return compiled(definition.job) if encoded is None else rule_of(encoded)


def under_calendars(rule: OccurrenceRule, job: JobKey, calendars: Mapping[CalendarKey, Calendar]) -> Naming:
    """The rule with its calendars applied; the rule itself if it names no calendar."""
    return unblocked(rule, job.namespace, calendars) if rule.calendars else rule


def _stopped_because(definition: Definition, facts: NextRunFacts) -> str | None:
    """Why the job has no next run whatever its schedule, in words; None when nothing stops it."""
    timer, job = facts.timer, definition.job
    if isinstance(timer, BrokenTimer):
        return f"its timer cannot be read ({timer.problem}); save the job again to make a new one"
    if job.paused:
        return f"paused {_since(definition)}; resume it to let it run"
    if isinstance(timer, Timer) and timer.is_used_up:
        last = "its one run" if job.max_runs == 1 else "the last of these runs"
        return f"max_runs is {job.max_runs}, and {last} is queued or over; raise max_runs to let it run again"
    return None


def _without_occurrence_because(definition: Definition, facts: NextRunFacts, *, now: datetime) -> str:
    """Why the schedule of a job that nothing stops has no occurrence after `now`, in words."""
    job = definition.job
    rule = rule_of(definition.revisions[-1].rule or "")
    until = _paused_until(definition, now)
    if until is not None:
        return until if rule.schedule.manual else f"{until}, and its schedule has no later occurrence"
    if rule.schedule.manual:
        return _waits_for_parents(job, facts.deleted_parents) or "its schedule is @manual: it runs when it is triggered"
    if rule.next(now) is not None:
        return f"its calendars ({', '.join(job.calendars)}) block every occurrence of its schedule after {_text(now)}"
    if job.end_at is not None and job.end_at <= now:
        return f"its end_at, {_text(job.end_at)}, has passed"
    return f"the schedule {job.schedule!r} has no occurrence after {_text(now)}"


def paused_until(definition: Definition, facts: NextRunFacts, *, now: datetime) -> datetime | None:
    """When the pauses of a job and of its namespace are over by themselves; None if neither is paused, or a pause has no end."""
    paused = facts.namespace.paused(now) if facts.namespace else None
    own = [definition.job.paused_until] if definition.job.is_paused(now) else []
    ends = [*own, *([paused.until] if paused else [])]
    known = [end for end in ends if end is not None]
    return max(known) if known and len(known) == len(ends) else None


def _namespace_paused(facts: NextRunFacts, now: datetime) -> str | None:
    """The reason, in words, why a job has no run while its namespace is paused; None when the namespace is not."""
    paused = facts.namespace.paused(now) if facts.namespace else None
    if paused is None or facts.namespace is None:
        return None
    until = f" until {_text(paused.until)}" if paused.until else ""
    since = f"by {paused.who} at {_text(paused.begun)}"
    return f"the namespace {facts.namespace.name} is paused{until} ({since}); resume the namespace to let its jobs run"


def _paused_until(definition: Definition, now: datetime) -> str | None:
    """The reason, in words, why a job has no run while it is paused until an instant; None for any other job."""
    until = definition.job.paused_until
    if until is None or not definition.job.is_paused(now):
        return None
    return f"paused until {_text(until)} ({_since(definition)}); resume it to let it run earlier"


def _since(definition: Definition) -> str:
    """Since when and by whom a job is paused, in words."""
    if definition.paused_since is None:
        return f"since {_text(definition.updated_at)} or earlier"
    return f"since {_text(definition.paused_since)} by {definition.paused_by}"


def _waits_for_parents(job: Job, deleted: Sequence[JobKey]) -> str | None:
    """In words, the parents that a job waits for, or that were deleted; None for a job without parents."""
    parents = sorted({entry.job for entry in job.depends_on})
    if not parents:
        return None
    if deleted and (job.join is Join.ALL or len(deleted) == len(parents)):
        text = "its parent {} was deleted" if len(deleted) == 1 else "its parents {} were deleted"
        return f"{text.format(_listed(deleted, 'and'))}; save what it depends on again, or leave it out"
    whose = "the run" if len(parents) == 1 else "runs" if job.join is Join.ALL else "a run"
    return f"it waits for {whose} of {_listed([p for p in parents if p not in deleted], 'and' if job.join is Join.ALL else 'or')}"


def _listed(jobs: Sequence[JobKey], word: str) -> str:
    *others, last = map(str, jobs)
    return f"{', '.join(others)} {word} {last}" if others else last


def _text(instant: datetime) -> str:
    """ISO 8601 in whole seconds, for messages."""
    return to_text(floor(instant))
