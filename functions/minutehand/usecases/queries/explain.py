"""Explain: what happened to a job at any instant, or why nothing did."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from minutehand.domain.dependencies import keys_around
from minutehand.domain.effective_revisions import calendars_named, horizon
from minutehand.domain.errors import NotFound
from minutehand.domain.explanation import Evidence, explain
from minutehand.domain.findings import Finding, Kind, of_run, told_together
from minutehand.domain.instants import SECOND, floor
from minutehand.domain.job import Definition, JobKey
from minutehand.domain.namespace import Namespace
from minutehand.domain.revision_history import Did, PastRevision
from minutehand.domain.run import Run
from minutehand.domain.timer import BrokenTimer, SkipCause
from minutehand.usecases.completion.trim import SETTLED
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.stores import SKIPPED_KEPT

MOST_FINDINGS = 100
"""Findings in one answer; the rest is asked for from where that ends."""
BESIDE = timedelta(minutes=15)
"""How far from an instant runs are looked for that have to do with it."""
MOST_BESIDE = 10
"""Runs that are told beside an instant."""
_MOST_RUNS = 1_000
_MOST_RANGES = 500
_MOST_LOOKS_AT_TICKS = 20
_LONG_AGO = datetime(1970, 1, 2, tzinfo=UTC)
_OF_KEEPING = {"retention", "retention_count"}


class Explanation(NamedTuple):
    """What was found out about the instants of first <= t <= last.

    Attributes:
        namespace: the settings of its namespace, with its pauses.
        beside: runs that the schedule did not name for these instants, but that began near a single one, or were under way, or are those
            of the window of their parents' runs that the instants begin in.
        goes_on: from which instant on there is more to tell; None when this is all.
        gone: parents of the job that are not there any more.
    """

    definition: Definition
    first: datetime
    last: datetime
    findings: Sequence[Finding]
    namespace: Namespace | None
    beside: Sequence[Finding] = ()
    goes_on: datetime | None = None
    gone: Collection[JobKey] = ()


def explain_instant(ports: Ports, key: JobKey, at: datetime) -> Explanation:
    """What happened at this second, or why nothing did, with the runs near it.

    Raises:
        NotFound: when there never was such a job.
    """
    found = explain_stretch(ports, key, at, at)
    told = {finding.run.key for finding in found.beside if finding.run}
    near = [of_run(run) for run in _beside(ports, key, floor(at)) if run.key not in told]
    return found._replace(beside=[*found.beside, *near][:MOST_BESIDE])


def explain_stretch(ports: Ports, key: JobKey, first: datetime, last: datetime) -> Explanation:
    """What happened at each occurrence of first <= t <= last, in order, and why nothing did in between.

    Raises:
        NotFound: when there never was such a job.
    """
    definition = ports.definitions.get([key]).get(key)
    if definition is None:
        raise NotFound(f"there is no job {key}, and there never was one")
    first, last = floor(first), floor(last)
    history = _history(ports, definition, first)
    reaches = horizon(history, first, last)
    runs, reaches = _runs(ports, key, first, reaches)
    around = _around(ports, definition, first, last)
    skipped = ports.timers.skipped(key, first, reaches + SECOND, _MOST_RANGES + 1)
    later = [each for each in skipped if each.first > first]
    if len(later) > _MOST_RANGES:
        reaches = later[_MOST_RANGES].first - SECOND
    named = calendars_named(history, key.namespace, first, reaches)
    evidence = Evidence(
        definition=definition,
        history=history,
        timer=ports.timers.get(key),
        runs=[run for run in runs if run.scheduled_for <= reaches],
        around=around,
        skipped=skipped,
        calendars=ports.calendars.get(sorted(named)) if named else {},
        kept_from=_kept_from(ports, definition, history),
        now=ports.clock(),
    )
    findings, goes_on = told_together(explain(evidence, first, reaches), MOST_FINDINGS)
    if goes_on is None and reaches < last:
        goes_on = reaches + SECOND
    told = _with_ticks(ports, evidence, findings)
    namespace = ports.namespaces.get([key.namespace]).get(key.namespace)
    beside = [of_run(run) for run in around]
    return Explanation(definition, first, last, told, namespace, beside, goes_on, _gone(ports, definition))


def _gone(ports: Ports, definition: Definition) -> Collection[JobKey]:
    """The parents that were deleted."""
    parents = [each.job for each in definition.job.depends_on]
    there = ports.definitions.get(parents) if parents else {}
    return {parent for parent in parents if parent not in there or there[parent].deleted}


def _history(ports: Ports, definition: Definition, first: datetime) -> list[PastRevision]:
    """The revisions that matter from an instant on, oldest first; those that the definition itself remembers count where the
    history has none, having been begun later."""
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


def _runs(ports: Ports, key: JobKey, first: datetime, last: datetime) -> tuple[Sequence[Run], datetime]:
    """The runs of a stretch, and how far they could be read; of one second, no more than can be."""
    runs = ports.runs.between(key, first - SECOND, last, limit=_MOST_RUNS + 1)
    if len(runs) <= _MOST_RUNS:
        return runs, last
    return runs[:_MOST_RUNS], max(first, runs[_MOST_RUNS].scheduled_for - SECOND)


def _kept_from(ports: Ports, definition: Definition, history: Sequence[PastRevision]) -> datetime:
    """From when on all that became of occurrences is on record: runs are kept by age and by number, as the job said when they were
    claimed, and skipped ranges for a while. Of the last day everything is."""
    now = ports.clock()
    said = [each for each in history if each.did is Did.CREATED or not _OF_KEEPING.isdisjoint(each.changed)]
    bounds = [
        now - min(definition.job.retention, SKIPPED_KEPT),
        *(each.effective_from + ports.look_ahead for each in said),  # runs are claimed that much ahead
        *([] if definition.job.retention_count is None else [_oldest_named(ports, definition.job.key)]),
    ]
    return min(max(bounds), now - SETTLED + ports.look_ahead)


def _oldest_named(ports: Ports, key: JobKey) -> datetime:
    """The oldest occurrence with a run, now if none is found. A run that was asked for, such as a backfill's, may be of an older
    instant than what the schedule named that is still kept."""
    now = ports.clock()
    for most in (1, _MOST_RUNS):
        runs = ports.runs.between(key, _LONG_AGO, now, limit=most)
        named = next((run.scheduled_for for run in runs if run.key.named_by_schedule), None)
        if named is not None:
            return named
    return now


def _around(ports: Ports, definition: Definition, first: datetime, last: datetime) -> Sequence[Run]:
    """What parents' runs have started in the window that a stretch begins in, and in the one before it what was under way in the stretch:
    such runs bear the beginning of their window, however long ago that was."""
    keys = keys_around(definition, first)
    there = ports.runs.get(keys) if keys else {}
    found = [there[key] for key in keys if key in there and key.scheduled_for < first]
    return [run for run in found if run.key == keys[0] or _under_way(run, first, last)]


def _beside(ports: Ports, key: JobKey, at: datetime) -> Sequence[Run]:
    """The runs near an instant that are no answer to what the schedule named there, and still have to do with it."""
    near = ports.runs.between(key, at - BESIDE - SECOND, at + BESIDE, limit=_MOST_RUNS)
    others = [
        run for run in near if run.scheduled_for != at and (not run.key.named_by_schedule or _under_way(run, at, at))
    ]
    return sorted(others, key=lambda run: abs(run.scheduled_for - at))[:MOST_BESIDE]


def _under_way(run: Run, first: datetime, last: datetime) -> bool:
    begun = run.started_at is not None and run.starts_at <= last
    return begun and (run.finished_at is None or run.finished_at >= first)


def _with_ticks(ports: Ports, evidence: Evidence, findings: Sequence[Finding]) -> list[Finding]:
    """The findings, those that are about a tick that came late or not at all with when ticks were there."""
    told, looks = [], 0
    for finding in findings:
        asks = finding.kind in (Kind.MISSED, Kind.OVERDUE) or (
            finding.policy is not None and finding.policy.cause is SkipCause.CATCH_UP
        )
        if asks and looks < _MOST_LOOKS_AT_TICKS:
            looks += 1
            finding = replace(finding, ticks=ports.timers.ticks_around(finding.first))  # noqa: PLW2901 - the same, and more of it
        if finding.kind is Kind.OVERDUE and isinstance(evidence.timer, BrokenTimer):
            finding = replace(finding, problem=evidence.timer.problem)  # noqa: PLW2901
        told.append(finding)
    return told
