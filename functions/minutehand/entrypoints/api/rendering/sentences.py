"""Sentences about findings: what happened at an instant or in a range."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta

from minutehand.domain.dependencies import window_of
from minutehand.domain.durations import format_duration
from minutehand.domain.findings import Finding, Kind, of_run
from minutehand.domain.occurrence_rule import rule_of
from minutehand.domain.revision_history import PastRevision
from minutehand.domain.timer import SkipCause, SkipPolicy, Ticks
from minutehand.entrypoints.api.rendering.run_phrases import instant_text
from minutehand.entrypoints.api.rendering.run_sentences import (
    Context,
    job_pause_text,
    of_runs,
    pause_text,
    shadow_text,
    who_text,
)
from minutehand.usecases.ports.stores import SKIPPED_KEPT

_A_TICK_EACH = timedelta(minutes=2)
_POLICIES = {
    "skip": "missed occurrences do not run",
    "latest": "only the latest missed occurrence runs",
    "all": "missed occurrences run within catchup_window",
}


def sentence(finding: Finding, context: Context) -> str:
    """The sentence of a finding: in lower case, without a full stop. Instants are in UTC."""
    return _SENTENCES[finding.kind](finding, context)


def _paused(finding: Finding, _: Context) -> str:
    pause = finding.pause
    if pause is None:
        raise ValueError("a finding about a pause without the pause")
    return job_pause_text(pause)


def _not_named(finding: Finding, context: Context) -> str:
    definition = context.definition
    revision = finding.revision
    rule = rule_of((revision.rule if revision else None) or "")
    newest = revision is not None and revision.number == definition.revision
    waits = newest and bool(definition.job.depends_on)
    if rule.schedule.manual and (finding.run or waits):
        return _by_parents(finding, context, waits=waits)
    if rule.schedule.manual:
        return "its schedule is @manual: it runs only when triggered, and nothing triggered it"
    if rule.schedule.delay is not None:
        wait = format_duration(rule.schedule.delay)
        if finding.before is not None:
            return (
                f"it waits for the end of the run of {instant_text(finding.before)}: the next starts {wait} after that"
            )
        return f"no run of its fixed delay was due: each starts {wait} after the end of the one before"
    nearest = [f"{instant_text(finding.before)} before it" if finding.before else "none before it"]
    nearest.append(f"{instant_text(finding.after)} after it" if finding.after else "none after it")
    number = f" of revision {revision.number}" if revision else ""
    return f"not an occurrence of the schedule{number} ({rule.schedule.describe()}); the nearest are {' and '.join(nearest)}"


def _by_parents(finding: Finding, context: Context, *, waits: bool) -> str:
    """The sentence about a job that its parents start: the run that they started in the join window of the finding's instants, or
    the parents that the job waits for."""
    job, run = context.definition.job, finding.run
    window = window_of(job, finding.first)
    named = f"the window from {instant_text(window.start)} to {instant_text(window.end)}"
    within = finding.last < window.end
    begun = f", which began at {instant_text(run.begun_at)}" if run and run.begun_at else ""
    its_run = f"{named} has its run{begun}: {of_runs(of_run(run), context)}" if run else ""
    if run and (within or not waits):
        return its_run
    parents = ", ".join(
        f"{each.job} ({each.on.value}{', and it was deleted' if each.job in context.deleted_parents else ''})"
        for each in job.depends_on
    )
    where = f" in {named}" if within and job.join_window else " since" if run else ""
    none = f"no run of its parents has started one{where}: it waits for {job.join.value} of {parents}"
    return f"{its_run}; {none}" if its_run else none


def _passed_over(finding: Finding, _: Context) -> str:
    policy = finding.policy or SkipPolicy(SkipCause.OTHER, "no reason was recorded")
    if policy.cause is SkipCause.CALENDAR:
        moved = ", moved to the next open day" if policy.moved else ""
        return f"blocked by the calendar {policy.detail}{moved}, as recorded when it was due"
    if policy.cause is SkipCause.CATCH_UP:
        effect = _POLICIES.get(policy.detail, "")
        return f"missed: {_ticks(finding.ticks)}; catch_up is {policy.detail}{f': {effect}' if effect else ''}"
    return f"not run, as recorded: {policy.detail}"


def _ticks(ticks: Ticks | None) -> str:
    """The ticks around an occurrence that no tick dispatched in time, in words. Only the minutes of ticks are on record."""
    if ticks is None:
        return "no tick dispatched it in time"
    if ticks.last is None:
        ahead = f" before the one of {_minute_text(ticks.next)}" if ticks.next else " for days around it"
        return f"no tick ran{ahead}"
    if ticks.next is None:
        return f"no tick has run since the one of {_minute_text(ticks.last)}"
    if ticks.next - ticks.last <= _A_TICK_EACH:
        return "ticks ran, but none dispatched it in time"
    return f"no tick ran between the one of {_minute_text(ticks.last)} and the one of {_minute_text(ticks.next)}"


def _minute_text(minute: datetime) -> str:
    """A minute as text, in UTC: an instant without its seconds."""
    return f"{minute.astimezone(UTC):%Y-%m-%dT%H:%MZ}"


def _outside(finding: Finding, _: Context) -> str:
    rule = rule_of((finding.revision.rule if finding.revision else None) or "")
    if rule.end_at is not None and finding.first > rule.end_at:
        return f"after the job's end_at, {instant_text(rule.end_at)}"
    return f"before the job's start_at, {instant_text(rule.start_at)}"


def _unknown(finding: Finding, _: Context) -> str:
    if finding.problem:
        rule = (
            f"the schedule of revision {finding.revision.number}" if finding.revision else "its schedule at that time"
        )
        return f"{rule} cannot be read: {finding.problem}"
    if finding.revision is None:
        return "no record shows the job at that time"
    return f"the job's history begins later, with revision {finding.revision.number}{_by(finding.revision)}"


def _blocked(finding: Finding, _: Context) -> str:
    moved = f"; it runs at {instant_text(finding.moved_to)} instead" if finding.moved_to else ""
    return f"blocked by the calendar {finding.calendar}, as it is now{moved}"


def _not_yet(finding: Finding, context: Context) -> str:
    paused = context.namespace.paused(context.now) if context.namespace else None
    kept = paused is not None and (paused.until is None or finding.first < paused.until)
    but = (
        f"; it will be skipped unless the namespace ({pause_text(paused)}) is resumed first" if paused and kept else ""
    )
    return f"not yet due: a tick claims it from {instant_text(finding.first - context.look_ahead)} on{but}{shadow_text(context)}"


def _overdue(finding: Finding, _: Context) -> str:
    if finding.problem:
        return f"due, but the job's timer cannot be read ({finding.problem}); save the job again to make a new one"
    return f"due, but not dispatched yet: {_ticks(finding.ticks)}; the next tick applies catch_up"


def _forgotten(finding: Finding, context: Context) -> str:
    job = context.definition.job
    most = "" if job.retention_count is None else f", and the newest {job.retention_count:,} at most"
    edited = finding.revision is not None and finding.revision.number < context.definition.revision
    then = "; the revision at that time may have kept them longer or shorter" if edited else ""
    skips = (
        f"; records of skipped occurrences, for {format_duration(SKIPPED_KEPT)}" if job.retention > SKIPPED_KEPT else ""
    )
    kept = f"runs are kept for {format_duration(job.retention)}{most}{then}{skips}"
    return f"the schedule named this instant, but its record is no longer kept ({kept})"


def _by(revision: PastRevision | None) -> str:
    return "" if revision is None else f" at {instant_text(revision.effective_from)}{who_text(revision)}"


_SENTENCES: Mapping[Kind, Callable[[Finding, Context], str]] = {
    Kind.RAN: of_runs,
    Kind.UNDER_WAY: of_runs,
    Kind.SKIPPED: of_runs,
    Kind.PASSED_OVER: _passed_over,
    Kind.PAUSED: _paused,
    Kind.DELETED: lambda finding, _: f"the job had been deleted{_by(finding.revision)}",
    Kind.NOT_CREATED: lambda finding, _: f"the job did not exist yet: it was created{_by(finding.revision)}",
    Kind.NOT_NAMED: _not_named,
    Kind.OUTSIDE: _outside,
    Kind.BLOCKED: _blocked,
    Kind.USED_UP: lambda _, context: (
        f"the last run that max_runs allows ({context.definition.job.max_runs or 0:,} in all) comes before this instant"
    ),
    Kind.NOT_YET: _not_yet,
    Kind.OVERDUE: _overdue,
    Kind.MISSED: lambda finding, _: f"missed: {_ticks(finding.ticks)}; it has no record",
    Kind.FORGOTTEN: _forgotten,
    Kind.UNKNOWN: _unknown,
}
