"""Explain: what happened to a job at an instant or over a range, or why nothing did."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.domain.definition import Definition
from minutehand.domain.dependencies import keys_around
from minutehand.domain.errors import NotFound
from minutehand.domain.findings import Finding, Kind, joined, of_run
from minutehand.domain.instants import EARLIEST, SECOND, floor
from minutehand.domain.job_key import JobKey
from minutehand.domain.namespace import Namespace
from minutehand.domain.revision_history import Did, PastRevision, calendars_named, horizon
from minutehand.domain.run import Run
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import BrokenTimer, SkipCause, Timer
from minutehand.usecases.completion.trim import SETTLED
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.stores import SKIPPED_KEPT
from minutehand.usecases.queries.explanation import Evidence, explain

MOST_FINDINGS = 100
"""Maximum findings in one answer; the next request begins where it ends."""
BESIDE = timedelta(minutes=15)
"""How close to the explained instant other runs must be to be listed with it."""
MOST_BESIDE = 10
"""Maximum other runs listed with an instant."""
_MOST_RUNS = 1_000
_MOST_RANGES = 500
_MOST_TICK_QUERIES = 20
_RETENTION_FIELDS = {"retention", "retention_count"}


class Explanation(NamedTuple):
    """Findings about the instants of first <= t <= last.

    Attributes:
        history: the job's revisions from the first instant on, oldest first.
        namespace: the settings of the job's namespace, with its pauses.
        beside: related runs that are scheduled for other instants: triggered or active ones near a single instant, and the child
            run of the join window that the first instant belongs to.
        more_from: the instant from which there are more findings; None when these are all.
        gone: parents of the job that were deleted.
    """

    definition: Definition
    history: Sequence[PastRevision]
    first: datetime
    last: datetime
    findings: Sequence[Finding]
    namespace: Namespace | None
    beside: Sequence[Finding] = ()
    more_from: datetime | None = None
    gone: Collection[JobKey] = ()


def explain_instant(ports: Ports, key: JobKey, at: datetime) -> Explanation:
    """What happened at this second, or why nothing did, with the runs near it.

    Raises:
        NotFound: when no job of this name ever existed.
    """
    found = explain_range(ports, key, at, at)
    listed = {finding.run.key for finding in found.beside if finding.run}
    at = floor(at)
    others = [
        run
        for run in ports.runs.between(key, at - BESIDE - SECOND, at + BESIDE, limit=_MOST_RUNS)
        if run.scheduled_for != at and (not run.key.named_by_schedule or _active(run, at, at))
    ]
    others = sorted(others, key=lambda run: abs(run.scheduled_for - at))[:MOST_BESIDE]
    near = [of_run(run, found.history) for run in others if run.key not in listed]
    return found._replace(beside=[*found.beside, *near][:MOST_BESIDE])


def explain_range(ports: Ports, key: JobKey, first: datetime, last: datetime) -> Explanation:
    """What happened at each occurrence with first <= t <= last, in order, and why there were none in between.

    Raises:
        NotFound: when no job of this name ever existed.
    """
    definition = ports.definitions.get([key]).get(key)
    if definition is None:
        raise NotFound(f"there is no job {key}, and there never was one")
    first, last = floor(first), floor(last)
    history = _history(ports, definition, first)
    reaches = horizon(history, first, last)
    runs = ports.runs.between(key, first - SECOND, reaches, limit=_MOST_RUNS + 1)
    if len(runs) > _MOST_RUNS:
        reaches = max(first, runs[_MOST_RUNS].scheduled_for - SECOND)
    timer = ports.timers.get(key)
    around = _around(ports, definition, timer, first, last)
    skipped = ports.timers.skipped(key, first, reaches + SECOND, _MOST_RANGES + 1)
    later = [each for each in skipped if each.first > first]
    if len(later) > _MOST_RANGES:
        reaches = later[_MOST_RANGES].first - SECOND
    named = calendars_named(history, key.namespace, first, reaches)
    evidence = Evidence(
        definition=definition,
        history=history,
        timer=timer,
        runs=[run for run in runs[:_MOST_RUNS] if run.scheduled_for <= reaches],
        around=around,
        skipped=skipped,
        calendars=ports.calendars.get(sorted(named)) if named else {},
        kept_from=_kept_from(ports, definition, history),
        now=ports.clock(),
    )
    findings, more_from = joined(explain(evidence, first, reaches), MOST_FINDINGS)
    if more_from is None and reaches < last:
        more_from = reaches + SECOND
    findings = _with_ticks(ports, evidence, findings)
    namespace = ports.namespaces.get([key.namespace]).get(key.namespace)
    beside = [of_run(run, history) for run in around]
    parents = [each.job for each in definition.job.depends_on]
    stored = ports.definitions.get(parents) if parents else {}
    gone = {parent for parent in parents if parent not in stored or stored[parent].deleted}
    return Explanation(definition, history, first, last, findings, namespace, beside, more_from, gone)


def _history(ports: Ports, definition: Definition, first: datetime) -> list[PastRevision]:
    """The revisions from an instant on, oldest first. Those older than the revision history come from the definition's own list."""
    found: list[PastRevision] = []
    for page in ports.definitions.history(definition.job.key):
        for past in page:
            found.append(past)
            if past.effective_from < first and not past.paused_at(past.effective_from + SECOND):
                return found[::-1]
    begun = found[-1].number if found else definition.revision + 1
    remembered = [
        PastRevision(
            number=each.number,
            effective_from=each.effective_from,
            rule=each.rule,
            did=Did.DELETED if each.deleted else Did.EDITED,
            who=definition.updated_by if each.number == definition.revision else "",
            paused_until=each.paused_until,
        )
        for each in definition.revisions
        if each.number < begun
    ]
    return [*remembered, *reversed(found)]


def _kept_from(ports: Ports, definition: Definition, history: Sequence[PastRevision]) -> datetime:
    """The instant from which every run and skipped range is still stored.

    A run is kept for the `retention` and `retention_count` that its job had at the claim, a skipped range for `SKIPPED_KEPT`, and
    all of the last day in any case.
    """
    now = ports.clock()
    changes = [each for each in history if each.did is Did.CREATED or not _RETENTION_FIELDS.isdisjoint(each.changed)]
    bounds = [
        now - min(definition.job.retention, SKIPPED_KEPT),
        *(each.effective_from + ports.look_ahead for each in changes),  # runs are claimed ahead by the look-ahead
        *([] if definition.job.retention_count is None else [_oldest_named(ports, definition.job.key)]),
    ]
    return min(max(bounds), now - SETTLED + ports.look_ahead)


def _oldest_named(ports: Ports, key: JobKey) -> datetime:
    """The oldest scheduled run's instant; now if none is found. Triggered and backfill runs do not count: they may be older than any
    scheduled run that is still kept."""
    now = ports.clock()
    for most in (1, _MOST_RUNS):
        runs = ports.runs.between(key, EARLIEST, now, limit=most)
        named = next((run.scheduled_for for run in runs if run.key.named_by_schedule), None)
        if named is not None:
            return named
    return now


def _around(
    ports: Ports, definition: Definition, timer: Timer | BrokenTimer | None, first: datetime, last: datetime
) -> Sequence[Run]:
    """The child run of the join window in which a range begins, and that of the window before if it was active in the range. For a fixed
    delay, the active run whose end the job waits for.

    A child run is scheduled for the start of its window, which may be long before the range. So may be the run of a fixed delay.
    """
    keys = keys_around(definition, first)
    outstanding = timer.outstanding if isinstance(timer, Timer) else None
    delayed = [RunKey.scheduled(definition.job.key, outstanding)] if outstanding and outstanding < first else []
    stored = ports.runs.get([*keys, *delayed]) if keys or delayed else {}
    found = [stored[key] for key in keys if key in stored and key.scheduled_for < first]
    waited_for = [stored[key] for key in delayed if key in stored and not stored[key].state.finished]
    return [*(run for run in found if run.key == keys[0] or _active(run, first, last)), *waited_for]


def _active(run: Run, first: datetime, last: datetime) -> bool:
    begun = run.started_at is not None and run.starts_at <= last
    return begun and (run.finished_at is None or run.finished_at >= first)


def _with_ticks(ports: Ports, evidence: Evidence, findings: Sequence[Finding]) -> list[Finding]:
    """The findings, with the ticks around those that were missed or are overdue."""
    found, queries = [], 0
    for finding in findings:
        caught_up = finding.policy is not None and finding.policy.cause is SkipCause.CATCH_UP
        if (caught_up or finding.kind in (Kind.MISSED, Kind.OVERDUE)) and queries < _MOST_TICK_QUERIES:
            queries += 1
            finding = replace(finding, ticks=ports.timers.ticks_around(finding.first))  # noqa: PLW2901 - the same finding with its ticks
        if finding.kind is Kind.OVERDUE and isinstance(evidence.timer, BrokenTimer):
            finding = replace(finding, problem=evidence.timer.problem)  # noqa: PLW2901
        found.append(finding)
    return found
